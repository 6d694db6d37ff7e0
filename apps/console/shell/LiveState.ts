/** Whether the page's content is live. The component that holds the page's stream sets it, and the top bar shows it. */
import { useEffect, useSyncExternalStore } from "react"

export type LiveState =
  | { readonly _tag: "None" }
  | { readonly _tag: "Live" }
  | { readonly _tag: "Lost"; readonly since: number }
  /** Shown for a moment after a reconnect. */
  | { readonly _tag: "Back"; readonly afterSeconds: number }

const none: LiveState = { _tag: "None" }
let state: LiveState = none
const listeners = new Set<() => void>()

const put = (next: LiveState) => {
  state = next
  for (const listener of listeners) listener()
}

export const useLiveState = (): LiveState =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => state,
  )

const backLasts = 4_000

/** Sets the state of the page's stream. `isConnected` is undefined before the first connection. */
export const useLiveSign = (isConnected: boolean | undefined): void => {
  useEffect(() => {
    if (isConnected === undefined) return undefined
    if (!isConnected) {
      if (state._tag !== "Lost") put({ _tag: "Lost", since: Date.now() })
      return undefined
    }
    if (state._tag !== "Lost") {
      put({ _tag: "Live" })
      return undefined
    }
    put({ _tag: "Back", afterSeconds: Math.round((Date.now() - state.since) / 1000) })
    const timer = setTimeout(() => put({ _tag: "Live" }), backLasts)
    return () => clearTimeout(timer)
  }, [isConnected])
  useEffect(() => () => put(none), [])
}
