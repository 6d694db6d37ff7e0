/** The follow-up of ended calls in the transaction that ends them: campaigns settle their contacts (I5, I6). */
import { Context, Effect, Layer } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { AccountSlug } from "../../domain/Account.ts"
import type { CallId, EndReason, Outcome } from "../../domain/Call.ts"
import type { CampaignStatus } from "../../domain/Campaign.ts"
import type { RetryRules } from "../../domain/Settlement.ts"

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
  /** What settles a contact of a campaign: the callback that it was promised in this call, and how many it had. */
  readonly callback_at: Date | null
  readonly callbacks: number
  /** For a number that does not exist: whether its contact has another one, not yet known as such. */
  readonly has_other_number: boolean
  /** Whether a person answered and heard no word in time. Null if no person answered. */
  readonly abandoned: boolean | null
  /** Whether its result is to be read from the transcript. */
  readonly owes_extraction: boolean
}

/** A campaign whose row is locked by the transaction, with the rules that settle its contacts. */
export interface LockedCampaign extends RetryRules {
  readonly status: CampaignStatus
  /** The number of contacts without a final status. */
  readonly open: number
}
export type LockedCampaigns = ReadonlyMap<string, LockedCampaign>

/** A step of the transaction that ends calls. */
type Step<A> = Effect.Effect<A, SqlError.SqlError, SqlClient.SqlClient>

export class AfterCall extends Context.Service<
  AfterCall,
  {
    /**
     * Locks these campaigns, and wakes the diallers that wait for slots, so that they queue for the budget. Runs after
     * the budget is locked and before any call is.
     */
    readonly lockCampaigns: (account: AccountSlug, ids: ReadonlyArray<string>) => Step<LockedCampaigns>
    /** Settles the contacts of calls whose ends were just written. Contacts are locked here, after all other rows. */
    readonly settle: (ended: ReadonlyArray<EndedCall>, campaigns: LockedCampaigns) => Step<void>
  }
>()("calls/ledger/AfterCall") {
  static readonly layerNone = Layer.succeed(this, {
    lockCampaigns: () => Effect.succeed(new Map()),
    settle: () => Effect.void,
  })
}
