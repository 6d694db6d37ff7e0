/** The widget's REST calls: the look of its key, and new sessions. */
import type { WidgetTheme } from "../../src/domain/WidgetKey.ts"
import type { Session } from "./Connection.ts"
import { Refused } from "./Refused.ts"

export interface Config {
  readonly agent: { readonly name: string; readonly language: string }
  readonly theme: WidgetTheme
  readonly greeting: string | null
  readonly features: { readonly chat: boolean; readonly voice: boolean }
}

/** Statuses after which a retry may succeed. */
const laterStatus = new Set([408, 429, 500, 502, 503, 504])

const answerOf = async <T>(response: Response): Promise<T> => {
  const body: unknown = await response.json().catch(() => undefined)
  if (response.ok) return body as T
  const { code = "unknown", detail = "" } = (body ?? {}) as { code?: string; detail?: string }
  const retryAfter = laterStatus.has(response.status) ? Number(response.headers.get("retry-after") ?? 1) : undefined
  throw new Refused({ code, detail, retryAfter })
}

const postOf = (body: object): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
})

export const config = async (server: string, key: string): Promise<Config> =>
  answerOf(await fetch(`${server}/api/v1/widget/config?key=${encodeURIComponent(key)}`))

/** `source` is a URL of the page's own server, which knows its visitor and asks Parley with its secret key. */
export const session = async (server: string, key: string, source: string | null): Promise<Session> =>
  answerOf(
    source === null
      ? await fetch(`${server}/api/v1/widget/auth/session`, postOf({ key }))
      : await fetch(source, { method: "POST", credentials: "same-origin" }),
  )
