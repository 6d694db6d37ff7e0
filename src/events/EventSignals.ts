/**
 * Hints that events may have been committed or webhooks changed, so that the courier looks at once. What happened is
 * only in the database.
 */
import { Context, Effect } from "effect"
import type { AccountSlug } from "../domain/Account.ts"

export interface Signals {
  /** An event may have been committed in the account. */
  readonly written: (account: AccountSlug) => Effect.Effect<void>
  /** A webhook of the account was created or changed, or a delivery is to be made now. */
  readonly webhooksChanged: (account: AccountSlug) => Effect.Effect<void>
}

/** The signals of this process. A process without a courier ignores them. */
export const EventSignals = Context.Reference<Signals>("events/EventSignals", {
  defaultValue: () => ({ written: () => Effect.void, webhooksChanged: () => Effect.void }),
})
