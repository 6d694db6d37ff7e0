/** The session, shared by all tabs of this browser: signing out in one of them signs out all. */
import { useSyncExternalStore } from "react"

export interface Session {
  readonly token: string
  /**
   * Milliseconds since 1970. The server decides whether the token is valid; this only avoids requests that would fail.
   */
  readonly expires_at: number
}

const place = "parley.session"

/** An expired token is removed, since localStorage outlives the browser's windows. */
const readStored = (): Session | null => {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(place) ?? "null")
    if (isSession(value) && value.expires_at > Date.now()) return value
  } catch {
    // The stored value is not JSON.
  }
  localStorage.removeItem(place)
  return null
}

const isSession = (value: unknown): value is Session =>
  typeof value === "object" &&
  value !== null &&
  "token" in value &&
  typeof value.token === "string" &&
  "expires_at" in value &&
  typeof value.expires_at === "number"

let session = readStored()
const listeners = new Set<() => void>()
const put = (next: Session | null): void => {
  session = next
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The token to send. Null if there is none or it has expired. */
export const currentToken = (): string | null =>
  session !== null && session.expires_at > Date.now() ? session.token : null

export const begin = (token: string, expiresInSeconds: number): void => {
  const begun = { token, expires_at: Date.now() + expiresInSeconds * 1000 }
  localStorage.setItem(place, JSON.stringify(begun))
  put(begun)
}

export const end = (): void => {
  localStorage.removeItem(place)
  put(null)
}

export const useSession = (): Session | null => useSyncExternalStore(subscribe, () => session)

/** Another tab changed the session. `key` is null if it cleared the whole store. */
addEventListener("storage", ({ key, storageArea }) => {
  if (storageArea === localStorage && (key === place || key === null)) put(readStored())
})
