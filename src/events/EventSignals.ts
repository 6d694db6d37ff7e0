/** Hints that events may have been committed, or webhooks changed: the courier looks at once. Hints, never the truth. */
import { Context, Effect } from "effect"
import type { AccountSlug } from "../domain/Account.ts"

export interface Signals {
  /** Something that is an event may have been committed in the account. */
  readonly written: (account: AccountSlug) => Effect.Effect<void>
  /** A webhook of the account was created or changed, or a delivery is to be made now. */
  readonly webhooksChanged: (account: AccountSlug) => Effect.Effect<void>
}

/** Ignored in a process without a courier. */
export const EventSignals = Context.Reference<Signals>("events/EventSignals", {
  defaultValue: () => ({ written: () => Effect.void, webhooksChanged: () => Effect.void }),
})
