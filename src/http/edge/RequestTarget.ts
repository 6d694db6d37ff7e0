/**
 * The one place where a request's target is read. Routing, logs, metrics and the rate limit all use the path that is
 * read here. Another spelling of a path therefore evades neither them nor a proxy's rule: a path that is not canonical
 * has no route.
 */
import type { IncomingMessage } from "node:http"

/** Literal routes match exactly: `/metrics/` and `/METRICS` are other paths than `/metrics`. */
export const matching = { caseSensitive: true, ignoreDuplicateSlashes: false, ignoreTrailingSlash: false } as const

/** `/hub-api/api/agents` and `/api/agents` are one path (decisions §1). */
export const prefix = "/hub-api"

export interface RequestTarget {
  /** The target without the prefix. */
  readonly url: string
  /** `url` without its query. */
  readonly path: string
  readonly isPrefixed: boolean
}

export const read = (target: string): RequestTarget => {
  const isPrefixed =
    target.startsWith(prefix) && (target.length === prefix.length || "/?".includes(target.charAt(prefix.length)))
  const rest = isPrefixed ? target.slice(prefix.length) : target
  const url = rest.startsWith("/") || !isPrefixed ? rest : `/${rest}`
  const mark = url.indexOf("?")
  return { url, path: mark < 0 ? url : url.slice(0, mark), isPrefixed }
}

/**
 * RFC 3986 §6.2.2 for paths: no empty segment, no dot segment, no needless escape. A `;` begins parameters of a segment
 * for some proxies and not for others, so it has to be escaped.
 */
export const isCanonical = (path: string): boolean =>
  plainPath.test(path) || (canonicalPath.test(path) && !dotSegment.test(path))

/** Matches most paths, faster than the full pattern. */
const plainPath = /^(?:\/[\w-]+)+$/
const canonicalPath =
  /^\/(?:(?:[\w.~!$&'()*+,=:@-]|%(?!2[DdEe]|3\d|4[1-9A-Fa-f]|5[0-9AaFf]|6[1-9A-Fa-f]|7[0-9AaEe])[\dA-Fa-f]{2})+(?:\/|$))*$/
const dotSegment = /\/\.\.?(?:\/|$)/

type Received = Pick<IncomingMessage, "headers" | "rawHeaders"> & { readonly url?: string | undefined }

/**
 * The request's target as a path with its query. A target in absolute form (RFC 9112 §3.2.2) under the host of the
 * header Host loses its scheme and authority. Any other target is returned as it is; `faultOf` names its fault.
 */
export const toOriginForm = ({ headers, url = "/" }: Omit<Received, "rawHeaders">): string => {
  if (url.startsWith("/")) return url
  const [, authority, rest = ""] = absoluteForm.exec(url) ?? []
  if (authority === undefined || authority.toLowerCase() !== headers.host?.toLowerCase()) return url
  return rest.startsWith("/") ? rest : `/${rest}`
}

const absoluteForm = /^https?:\/\/([^/?#]*)(.*)$/is

/** What makes a request ambiguous or unreadable, in a sentence; such a request is a 400 on every path. */
export const faultOf = ({ headers, rawHeaders, url = "" }: Received): string | undefined => {
  const { host } = headers
  // RFC 9112 §3.2.
  if (host === undefined) return "The header Host is missing"
  if (countOf("host", rawHeaders) > 1) return "The header Host was sent more than once. Send it once."
  if (!isAuthority(host)) return "The header Host is not a host name with an optional port"
  if (!url.startsWith("/")) return notAPath
  // Node reads the request line as Latin-1.
  if (/[^\x21-\x7e]/.test(url)) return "The URL has bytes beyond printable ASCII; percent-encode them as UTF-8"
  if (url.includes("#")) return "The URL has a fragment. Send only the part before the #."
  if (!url.includes("%")) return undefined
  try {
    return decodeURIComponent(url).includes("\0") ? "The URL has the character U+0000" : undefined
  } catch {
    return "The URL has percent-encoded bytes that are not valid UTF-8"
  }
}

const notAPath =
  "The request line must name a path, such as /api/tools, or its whole URL under the same host and port as the header Host"

const countOf = (name: string, rawHeaders: ReadonlyArray<string>): number => {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at]
    if (sent?.length === name.length && sent.toLowerCase() === name) count++
  }
  return count
}

const isAuthority = (host: string): boolean =>
  /^(?:[\w.-]+|\[[\da-fA-F:.]+\])(?::\d{1,5})?$/.test(host) && URL.canParse(`http://${host}`)
