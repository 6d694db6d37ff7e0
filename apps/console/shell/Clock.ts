/** The present: once a second for whoever shows how long something lasts, once a minute for times; still while the tab is hidden. */
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

/** When the present minute began. */
export const useMinute = (): Date => new Date(useSyncExternalStore(subscribe, () => now - (now % minute)))
