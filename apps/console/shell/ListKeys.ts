/** `J` and `K` move the focus through the links of a list. The browser itself opens the focused link on `Enter`. */
import type { RefObject } from "react"
import { useShortcut } from "./Shortcuts.ts"

const rowLinks = (list: HTMLElement): ReadonlyArray<HTMLElement> => [
  ...list.querySelectorAll<HTMLElement>(".Table-link"),
]

const step = (list: HTMLElement | null, by: 1 | -1): void => {
  if (list === null) return
  const links = rowLinks(list)
  const at = links.indexOf(document.activeElement as HTMLElement)
  const next = links[at === -1 ? (by === 1 ? 0 : links.length - 1) : Math.min(Math.max(at + by, 0), links.length - 1)]
  next?.focus()
  next?.scrollIntoView({ block: "nearest" })
}

export const useListKeys = (list: RefObject<HTMLElement | null>): void => {
  useShortcut("J", "Next row", () => step(list.current, 1))
  useShortcut("K", "Row before", () => step(list.current, -1))
}
