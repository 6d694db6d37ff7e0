/**
 * Refuses requests from browser pages of another origin. The router and the login are for the console, which this
 * server serves. Programs that are not browsers send neither `Origin` nor `Sec-Fetch-Site`; they only need a token.
 */
import type { IncomingHttpHeaders } from "node:http"

const guarded = /^\/(?:trpc-ws|trpc\/.*|api\/login)$/

/** Paths that only our own pages use. */
export const isForOwnPages = (path: string): boolean => guarded.test(path)

export const isFromForeignPage = (headers: IncomingHttpHeaders): boolean => {
  const site = headers["sec-fetch-site"]
  // The browser sets this header, and no script can. It is right even if a proxy writes another Host.
  if (site === "same-origin") return false
  const { origin } = headers
  if (origin === undefined) return site === "cross-site" || site === "same-site"
  return !hostsOf(headers).some((host) => isSame(origin, host))
}

/** The hosts under which this installation was asked: its own, and that of a proxy in front of it. */
const hostsOf = ({ host, "x-forwarded-host": forwarded }: IncomingHttpHeaders): ReadonlyArray<string> =>
  [host, forwarded].flatMap((value) => (typeof value === "string" ? [value] : []))

/** TLS may end before Parley, so the scheme is taken from the origin. */
const isSame = (origin: string, host: string): boolean => {
  const page = URL.parse(origin)
  if (page === null || page.origin !== origin) return false
  return page.host === URL.parse(`${page.protocol}//${host}`)?.host
}
