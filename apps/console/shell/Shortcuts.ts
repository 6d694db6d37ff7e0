/** The page's shortcuts: letters outside of fields, two letters that begin with G, and keys with ⌘ or Ctrl anywhere. */
import { useLayoutEffect, useRef, useSyncExternalStore } from "react"

export interface Shortcut {
  /** The keys as displayed: `C`, `/`, `G C`, `⌘K`, `⌘↵`, `?`. */
  readonly keys: string
  /** What the shortcut does, for the page's list of keys. */
  readonly word: string
  readonly act: () => void
}

/** The bound shortcuts. The last one with the pressed keys acts, so that a dialog or drawer overrides the page. */
let present: ReadonlyArray<Shortcut> = []
const listeners = new Set<() => void>()
const change = (next: ReadonlyArray<Shortcut>) => {
  present = next
  for (const listener of listeners) listener()
}

const off = "parley.single-letters-off"
export const areLettersOff = (): boolean => localStorage.getItem(off) === "1"
export const switchLetters = (isOff: boolean): void => localStorage.setItem(off, isOff ? "1" : "0")

/** The first letter of a pair, while the second may follow within `prefixLasts` milliseconds. */
let prefix = ""
let prefixEnds = 0
const prefixLasts = 1500

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  !(target instanceof HTMLInputElement && /^(?:checkbox|radio|button)$/.test(target.type))

const named: Record<string, string> = {
  Enter: "↵",
  Escape: "Esc",
  " ": "Space",
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
}

/** The pressed keys as displayed. */
const keysOf = (event: KeyboardEvent): string => {
  const key = named[event.key] ?? (event.key.length === 1 ? event.key.toUpperCase() : event.key)
  return `${event.metaKey || event.ctrlKey ? "⌘" : ""}${event.shiftKey && key.length > 1 ? "⇧" : ""}${key}`
}

const onKey = (event: KeyboardEvent): void => {
  if (event.defaultPrevented || event.altKey) return
  const key = keysOf(event)
  const hasCommand = key.startsWith("⌘")
  // Keys with ⌘ are handled before the focused element, since a button treats ⌘↵ as a press. Letters come after it.
  if (hasCommand !== (event.eventPhase === Event.CAPTURING_PHASE)) return
  if (!hasCommand && (isTyping(event.target) || (areLettersOff() && key !== "Esc"))) return
  // An open dialog has the keyboard to itself.
  if (!hasCommand && document.querySelector("[data-modal]") !== null) return
  const keys = prefix !== "" && event.timeStamp < prefixEnds ? `${prefix} ${key}` : key
  prefix = ""
  const shortcut = present.findLast((candidate) => candidate.keys === keys)
  if (shortcut !== undefined) {
    event.preventDefault()
    if (hasCommand) event.stopPropagation()
    shortcut.act()
  } else if (present.some((candidate) => candidate.keys.startsWith(`${key} `))) {
    prefix = key
    prefixEnds = event.timeStamp + prefixLasts
  }
}

addEventListener("keydown", onKey, { capture: true })
addEventListener("keydown", onKey)

/** Binds a key while the component is mounted. It is bound before the first paint, so that no press is lost. */
export const useShortcut = (keys: string, word: string, act: () => void, isOn = true): void => {
  const latest = useRef(act)
  useLayoutEffect(() => {
    latest.current = act
  })
  useLayoutEffect(() => {
    if (!isOn) return undefined
    const own: Shortcut = { keys, word, act: () => latest.current() }
    change([...present, own])
    return () => change(present.filter((other) => other !== own))
  }, [keys, word, isOn])
}

export const useShortcuts = (): ReadonlyArray<Shortcut> =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => present,
  )

/** Replaces ⌘ by Ctrl on platforms without that key. */
export const printKeys = (keys: string): string =>
  /Mac|iP(?:hone|ad)/.test(navigator.platform) ? keys : keys.replace("⌘", "Ctrl ")
