/** Whether anybody looks at the tab: one that nobody has looked at for a minute lets go of its streams. */
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
