/** The current time: updated each second for durations and each minute for times. It stops while the tab is hidden. */
import { useSyncExternalStore } from "react"

let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined
const listeners = new Set<() => void>()

const tick = () => {
  if (document.hidden) return
  now = Date.now()
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  if (timer === undefined) now = Date.now()
  timer ??= setInterval(tick, 1000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

export const useNow = (): Date => new Date(useSyncExternalStore(subscribe, () => now))

const minute = 60_000

/** The start of the current minute. */
export const useMinute = (): Date => new Date(useSyncExternalStore(subscribe, () => now - (now % minute)))
