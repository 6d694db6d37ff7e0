/**
 * The revision of a resource, its ETag, and `If-Match` (decisions §2): a change based on an outdated revision is
 * refused.
 */
import { Effect } from "effect"
import { PreconditionFailed } from "./Refusals.ts"

export const etagOf = (revision: number): string => `"${revision}"`

/** Checks the `If-Match` header, if there is one. A weak tag never matches (RFC 9110 §13.1.1). */
export const checkMatch = (ifMatch: string | undefined, revision: number): Effect.Effect<void, PreconditionFailed> => {
  if (ifMatch === undefined || ifMatch.trim() === "*") return Effect.void
  const etag = etagOf(revision)
  return ifMatch.split(",").some((tag) => tag.trim() === etag) ? Effect.void : new PreconditionFailed({ etag })
}
