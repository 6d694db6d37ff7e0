/** The decision to call, made before the carrier is asked to dial, and its form in the database. */
import type { Schema } from "effect"
import type { AgentId } from "../../domain/Agent.ts"
import type { CallDirection, CallId } from "../../domain/Call.ts"
import type { DayPart } from "../../domain/DayParts.ts"
import type { PhoneNumberId } from "../../domain/PhoneNumber.ts"

/** The intent to dial: everything that is decided before the carrier is asked to dial. */
export interface Intent {
  readonly agent_id: AgentId
  readonly agent_name: string
  /** The agent's version on this call: the campaign's, or null for the present one. */
  readonly agent_version: number | null
  readonly phone_number_id: PhoneNumberId
  readonly to_number: string
  readonly from_number: string
  /** The contact's custom fields and `campaign: {name}`; the call adds `phone_number` and `now`. */
  readonly variables: Schema.JsonObject
  /** These four are null for a direct call. */
  readonly campaign_id: string | null
  readonly contact_id: string | null
  readonly attempt_number: number | null
  /** For the second call of a warm transfer: the call that it hands over. */
  readonly transfer_of?: CallId
  /** The most that the call may cost, in millionths. Absent if no cap on spending applies. */
  readonly reserved?: number
  /** The part of the day of a contact that is called. Absent if its time zone is unknown. */
  readonly day_part?: DayPart
  /** Why the call was allowed: rule, caps, window. */
  readonly decision: Schema.JsonObject | null
}

/** An intent that was committed as `queued`. Its id is the carrier's idempotency key. */
export interface IntendedCall extends Intent {
  readonly id: CallId
  readonly direction: "outbound"
  readonly started_at: Date
}

/** A call on a line. A visitor of a page has no number and dialled none. A caller's number may be hidden. */
export type CallOnLine = Omit<IntendedCall, "direction" | "phone_number_id" | "to_number" | "from_number"> & {
  readonly direction: CallDirection
  readonly to_number: string | null
  readonly from_number: string | null
}
