/** A page whose code could not be had, or that failed: it says so in its place, and the rest of the frame lives on. */
import type { ErrorComponentProps } from "@tanstack/react-router"
import { Button } from "../ui/Button.tsx"
import { PageHeading } from "./Page.tsx"
import "./PageFailed.css"

export const PageFailed = ({ error }: ErrorComponentProps) => (
  <div className="PageFailed" role="alert">
    <PageHeading name="Not shown">This page couldn’t be shown</PageHeading>
    <p className="quiet">{error instanceof Error ? error.message : String(error)}</p>
    <p className="quiet">Campaigns continue without this page.</p>
    <Button onPress={() => location.reload()}>Reload</Button>
  </div>
)
