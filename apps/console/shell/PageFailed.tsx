/** Replaces a page whose code did not load or that failed. The frame around it keeps working. */
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
