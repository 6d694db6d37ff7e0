/** Replaces a page that failed or whose code did not load. The frame around it keeps working. */
import type { ErrorComponentProps } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { Button } from "../ui/Button.tsx"
import { PageNotLoaded } from "./LazyPage.ts"
import { PageHeading } from "./Page.tsx"
import "./PageFailed.css"

export const PageFailed = ({ error }: ErrorComponentProps) => (
  <div className="PageFailed" role="alert">
    <PageHeading name="Not shown">This page couldn’t be shown</PageHeading>
    {error instanceof PageNotLoaded ? (
      <NotLoaded />
    ) : (
      <>
        <p className="quiet">{error instanceof Error ? error.message : String(error)}</p>
        <p className="quiet">Campaigns continue without this page.</p>
        <Button onPress={() => location.reload()}>Reload</Button>
      </>
    )}
  </div>
)

const pollMs = 2_000

/**
 * The URL that was last reloaded for its code. If loading fails there again although the server answers, the user
 * decides.
 */
const reloadedKey = "parley.reloaded"

/** Requests the same URL as a reload would. */
const isReachable = (): Promise<boolean> =>
  fetch(location.href, { cache: "no-store" }).then(
    ({ ok }) => ok,
    () => false,
  )

/** Reloads the tab as soon as the server answers. */
const NotLoaded = () => {
  const [isAway, setAway] = useState(false)
  useEffect(() => {
    let wasAway = false
    let isOver = false
    let timer: ReturnType<typeof setTimeout>
    const look = async () => {
      const isThere = await isReachable()
      if (isOver) return
      setAway(!isThere)
      wasAway ||= !isThere
      if (!isThere) timer = setTimeout(look, pollMs)
      else if (wasAway || sessionStorage.getItem(reloadedKey) !== location.href) {
        sessionStorage.setItem(reloadedKey, location.href)
        location.reload()
      }
    }
    void look()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [])
  return isAway ? (
    <p className="quiet">
      The server did not answer. The page opens when it does. Campaigns continue without this page.
    </p>
  ) : (
    <>
      <p className="quiet">Its code could not be loaded. Campaigns continue without this page.</p>
      <Button onPress={() => location.reload()}>Reload</Button>
    </>
  )
}
