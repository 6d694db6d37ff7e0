/** Hints that an account may have extractions to make, so that this process looks at once. */
import { Context, Effect } from "effect"
import type { AccountSlug } from "../../domain/Account.ts"

/** A process without the worker ignores the hints: what is to be done is in the account's database. */
export const ExtractionSignals = Context.Reference<{
  readonly enqueued: (account: AccountSlug) => Effect.Effect<void>
}>("calls/extraction/ExtractionSignals", { defaultValue: () => ({ enqueued: () => Effect.void }) })
