/** What follows from ended calls in the transaction that ends them: campaigns settle their contacts here. */
import { Context, Effect, Layer } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { AccountSlug } from "../domain/Account.ts"
import type { CallId, EndReason, Outcome } from "../domain/Call.ts"

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

export class AfterCall extends Context.Service<
  AfterCall,
  {
    /** Inside the transaction that writes the ends, which holds the budget and the campaigns. Contacts are locked here. */
    readonly settle: (ended: ReadonlyArray<EndedCall>) => Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient>
    /** After its commit: wakes who waits for slots. It may be told twice. */
    readonly settled: (account: AccountSlug) => Effect.Effect<void>
  }
>()("calls/AfterCall") {
  static readonly layerNone = Layer.succeed(this, { settle: () => Effect.void, settled: () => Effect.void })
}
