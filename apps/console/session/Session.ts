/** Who is signed in, in this tab alone: it survives a reload and ends with the tab. */
import { useSyncExternalStore } from "react"

export interface Session {
  readonly token: string
  /** Milliseconds; what the server thinks of it counts, this only spares a request that would fail. */
  readonly expires_at: number
}

const place = "parley.session"

const stored = (): Session | null => {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(place) ?? "null")
    return isSession(value) ? value : null
  } catch {
    return null
  }
}

const isSession = (value: unknown): value is Session =>
  typeof value === "object" &&
  value !== null &&
  "token" in value &&
  typeof value.token === "string" &&
  "expires_at" in value &&
  typeof value.expires_at === "number"

let session = stored()
const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The token to send; null when there is none or it has run out. */
export const currentToken = (): string | null =>
  session !== null && session.expires_at > Date.now() ? session.token : null

export const begin = (token: string, expiresInSeconds: number): void => {
  session = { token, expires_at: Date.now() + expiresInSeconds * 1000 }
  sessionStorage.setItem(place, JSON.stringify(session))
  for (const listener of listeners) listener()
}

export const end = (): void => {
  session = null
  sessionStorage.removeItem(place)
  for (const listener of listeners) listener()
}

export const useSession = (): Session | null => useSyncExternalStore(subscribe, () => session)
