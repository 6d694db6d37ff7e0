/** Wakes this process's extraction worker for an account that may owe extractions. */
import { Context, Effect } from "effect"
import type { AccountSlug } from "../../domain/Account.ts"

/** A process without the worker ignores the signals: the account's database has the work. */
export const ExtractionSignals = Context.Reference<{
  readonly wake: (account: AccountSlug) => Effect.Effect<void>
}>("calls/extraction/ExtractionSignals", { defaultValue: () => ({ wake: () => Effect.void }) })
