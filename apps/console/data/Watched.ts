/** Whether the tab is visible. A tab hidden for a minute closes its streams. */
import { useEffect, useState } from "react"

const patience = 60_000

export const useIsWatched = (): boolean => {
  const [isWatched, setWatched] = useState(true)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      clearTimeout(timer)
      if (document.hidden) timer = setTimeout(() => setWatched(false), patience)
      else setWatched(true)
    }
    document.addEventListener("visibilitychange", look)
    return () => {
      clearTimeout(timer)
      document.removeEventListener("visibilitychange", look)
    }
  }, [])
  return isWatched
}
