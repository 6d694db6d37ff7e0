/** The width of an element, so that a chart in it can be drawn pixel by pixel. */
import { type RefObject, useLayoutEffect, useRef, useState } from "react"

export const useWidth = <E extends HTMLElement>(): readonly [RefObject<E | null>, number] => {
  const place = useRef<E>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = place.current
    if (element === null) return undefined
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [place, width]
}
