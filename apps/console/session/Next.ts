/** Where the sign-in leads: always a path of this console, whatever the link says. */

const base = "/console"

/** Only paths: `//elsewhere.example` and `https:` lead nowhere. */
export const safeNext = (next: string | undefined): string | undefined =>
  next !== undefined && /^\/(?![/\\])/.test(next) ? withoutBase(next) : undefined

const withoutBase = (path: string) => (path.startsWith(`${base}/`) ? path.slice(base.length) : path)

/** The account that a place is in. */
export const accountOf = (path: string): string | undefined => /^\/([a-z0-9][a-z0-9_-]*)/.exec(path)?.[1]
