/** The port to a carrier whose calls are ordered over REST, for the code that orders, follows and ends calls. */
import type { Effect, Schema } from "effect"
import type { CarrierReport } from "../../domain/CarrierReport.ts"
import type { UnconfirmedCall } from "../Telephony.ts"
import type { CarrierFailed } from "./RestClient.ts"

/** A call that the carrier has or had. */
export interface FoundCall {
  /** The call's id at the carrier. */
  readonly sid: string
  readonly report: CarrierReport
}

/** The calls of one account at the carrier. */
export interface CallsAtCarrier {
  /** Null: the carrier has no such call, or no longer remembers it. */
  readonly find: (sid: string) => Effect.Effect<FoundCall | null, CarrierFailed>
  /** Orders the end of a call, in any state, and returns it. */
  readonly hangUp: (call: FoundCall) => Effect.Effect<FoundCall | null, CarrierFailed>
  /** Finds the call of an order whose reply was lost. */
  readonly search: (call: UnconfirmedCall) => Effect.Effect<FoundCall | null, unknown>
}

export interface OrderingCarrier {
  /** The carrier's name in logs, spans and messages. */
  readonly name: string
  /** Null: the number's configuration has no credentials. */
  readonly callsOf: (carrier_config: Schema.JsonObject) => CallsAtCarrier | null
  /** The codes with which the carrier refuses an order because the called number does not exist. */
  readonly noSuchNumber: ReadonlySet<string>
}
