/** What follows from ended calls in the transaction that ends them: campaigns settle their contacts here. */
import { Context, Effect, Layer } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { AccountSlug } from "../../domain/Account.ts"
import type { CallId, EndReason, Outcome } from "../../domain/Call.ts"

export interface EndedCall {
  readonly id: CallId
  readonly campaign_id: string | null
  readonly contact_id: string | null
  readonly attempt_number: number | null
  readonly to_number: string | null
  readonly outcome: Outcome
  readonly end_reason: EndReason
  readonly ended_at: Date
  /** A person was reached, or a voicemail took the agent's message: the contact needs no further attempt. */
  readonly accepted: boolean
  /** A person answered and heard no word in time; null when no person answered. */
  readonly abandoned: boolean | null
}

/** What a transaction that ends calls does, in order: each step as an effect of that transaction. */
type Step<A> = Effect.Effect<A, SqlError.SqlError, SqlClient.SqlClient>

export type Settle = (ended: ReadonlyArray<EndedCall>) => Step<void>

export class AfterCall extends Context.Service<
  AfterCall,
  {
    /**
     * Inside the transaction that writes the ends, which holds the budget, and before it holds a call: locks these
     * campaigns, and wakes who waits for slots, to stand in line for the budget. Gives what settles the ends once they
     * are written; contacts are locked there.
     */
    readonly settling: (account: AccountSlug, campaigns: ReadonlyArray<string>) => Step<Settle>
  }
>()("calls/ledger/AfterCall") {
  static readonly layerNone = Layer.succeed(this, { settling: () => Effect.succeed(() => Effect.void) })
}
