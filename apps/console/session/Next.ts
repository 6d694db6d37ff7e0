/** The page to open after the sign-in. It is always a path of this console, whatever the URL says. */

const base = "/console"

/** Accepts paths only: `//elsewhere.example` and `https:` are refused. */
export const safeNext = (next: string | undefined): string | undefined =>
  next !== undefined && /^\/(?![/\\])/.test(next) ? withoutBase(next) : undefined

const withoutBase = (path: string) => (path.startsWith(`${base}/`) ? path.slice(base.length) : path)

/** The account of a path. */
export const accountOf = (path: string): string | undefined => /^\/([a-z0-9][a-z0-9_-]*)/.exec(path)?.[1]
