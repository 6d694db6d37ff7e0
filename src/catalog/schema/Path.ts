/** The way from a value's root to a part of it, kept as a chain: most parts are never told of. */
import { escapeToken } from "./Keywords.ts"

export interface Path {
  readonly parent: Path | undefined
  readonly token: string | number
}

export const pointerOf = (path: Path | undefined): string => {
  const tokens: Array<string> = []
  for (let at = path; at !== undefined; at = at.parent) tokens.push(escapeToken(String(at.token)))
  return tokens
    .map((token) => `/${token}`)
    .toReversed()
    .join("")
}
