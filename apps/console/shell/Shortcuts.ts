/** The keys of the page: single letters outside of fields, two letters after G, and with ⌘ or Ctrl anywhere. */
import { useLayoutEffect, useRef, useSyncExternalStore } from "react"

export interface Shortcut {
  /** As it is displayed: `C`, `/`, `G C`, `⌘K`, `⌘↵`, `?`. */
  readonly keys: string
  /** What it does, for the page's list of keys. */
  readonly word: string
  readonly act: () => void
}

/** The latest to be there acts, so that a dialog's or a drawer's own keys go before the page's. */
let present: ReadonlyArray<Shortcut> = []
const listeners = new Set<() => void>()
const change = (next: ReadonlyArray<Shortcut>) => {
  present = next
  for (const listener of listeners) listener()
}

const off = "parley.single-letters-off"
export const areLettersOff = (): boolean => localStorage.getItem(off) === "1"
export const switchLetters = (isOff: boolean): void => localStorage.setItem(off, isOff ? "1" : "0")

/** The first letter of two, for as long as one waits for the second. */
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

/** The pressed key, as it is displayed. */
const keysOf = (event: KeyboardEvent): string => {
  const key = named[event.key] ?? (event.key.length === 1 ? event.key.toUpperCase() : event.key)
  return `${event.metaKey || event.ctrlKey ? "⌘" : ""}${event.shiftKey && key.length > 1 ? "⇧" : ""}${key}`
}

const onKey = (event: KeyboardEvent): void => {
  if (event.defaultPrevented || event.altKey) return
  const key = keysOf(event)
  const hasCommand = key.startsWith("⌘")
  // Keys with ⌘ are handled before the focused element, since a button takes ⌘↵ for a press; letters after it.
  if (hasCommand !== (event.eventPhase === Event.CAPTURING_PHASE)) return
  if (!hasCommand && (isTyping(event.target) || (areLettersOff() && key !== "Esc"))) return
  // A dialog over the page has the keyboard for itself.
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

/** ⌘ where there is such a key, Ctrl elsewhere. */
export const printKeys = (keys: string): string =>
  /Mac|iP(?:hone|ad)/.test(navigator.platform) ? keys : keys.replace("⌘", "Ctrl ")
