/** Logs which accounts were paused because they were restored from a backup. */
import { Effect } from "effect"
import type { AccountDirectory } from "./AccountDirectory.ts"

/** The most slugs in one log line. */
const namedAtMost = 20

export interface Noted {
  readonly slug: string
  /** Whether the account is paused. False if it is suspended. */
  readonly is_paused: boolean
}

/** Drops the cached entries of the accounts that were paused, and names some of them in the log. */
export const reportPaused = Effect.fnUntraced(function* (
  noted: ReadonlyArray<Noted>,
  directory: AccountDirectory["Service"],
) {
  const slugs = noted.flatMap(({ is_paused, slug }) => (is_paused ? [slug] : []))
  yield* Effect.forEach(slugs, directory.forget, { discard: true })
  if (slugs.length === 0) return
  yield* Effect.logWarning(
    "accounts were restored from a backup and do not dial until an administrator sets them to active",
  ).pipe(Effect.annotateLogs({ count: slugs.length, accounts: slugs.slice(0, namedAtMost) }))
})
