/** Builds an http tool's request from its arguments and its configuration. */
import type { Schema } from "effect"
import { type HttpAuthentication, type HttpConfig, isJsonType, ofTheConnection } from "../catalog/ToolConfig.ts"

export interface HttpRequest {
  readonly method: HttpConfig["method"]
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string | null
}

/** A request that changes something has the invocation's id as its `Idempotency-Key`, unless the tool sends its own. */
export const requestOf = (
  config: HttpConfig,
  url: URL,
  args: Schema.JsonObject,
  invocation_id: string,
): HttpRequest => {
  const { authentication, method } = config
  const body = method === "GET" ? null : JSON.stringify(args)
  const headers = new Map([["accept", "application/json, text/*;q=0.9, */*;q=0.1"]])
  if (method !== "GET") headers.set("idempotency-key", invocation_id)
  for (const [name, value] of Object.entries(config.headers)) headers.set(name.toLowerCase(), value)
  for (const [name, value] of credentials(authentication)) headers.set(name.toLowerCase(), value)
  // A tool that was stored before they were refused may have some.
  for (const name of ofTheConnection) headers.delete(name)
  if (body !== null && !isJsonType(headers.get("content-type") ?? "")) headers.set("content-type", "application/json")
  const search = body === null ? queryOf(url, args) : url.search
  return { method, path: url.pathname + search, headers: Object.fromEntries(headers), body }
}

/** Parameters in the tool's own URL stay: no argument replaces them. */
const queryOf = (url: URL, args: Schema.JsonObject): string => {
  const { search, searchParams } = new URL(url)
  const more = new URLSearchParams()
  for (const [name, value] of Object.entries(args)) {
    if (!searchParams.has(name)) more.append(name, typeof value === "string" ? value : JSON.stringify(value))
  }
  const parts = [search.slice(1), more.toString()].filter((part) => part !== "")
  return parts.length === 0 ? "" : `?${parts.join("&")}`
}

const base64 = (text: string) => Buffer.from(text).toString("base64")

/** The header with the credentials; none without authentication. */
export const credentials = (authentication: HttpAuthentication): ReadonlyArray<readonly [string, string]> => {
  switch (authentication.type) {
    case "none":
      return []
    case "bearer":
      return [["authorization", `Bearer ${authentication.token}`]]
    case "basic":
      return [["authorization", `Basic ${base64(`${authentication.username}:${authentication.password}`)}`]]
    case "header":
      return [[authentication.name, authentication.value]]
  }
}
