/** Finds and ends calls at Telnyx, as a carrier that takes orders over REST. */
import { Clock, Effect } from "effect"
import { isTerminal } from "../../domain/CarrierReport.ts"
import { type TelnyxCredentials, telnyxCredentialsOf } from "../../domain/TelnyxConfig.ts"
import type { CallsAtCarrier, FoundCall, OrderingCarrier } from "../rest/CallsAtCarrier.ts"
import type { CarrierFailed } from "../rest/RestClient.ts"
import { reportIn, type Resource, type TelnyxApi } from "./TelnyxApi.ts"
import { stateOf } from "./TelnyxUrls.ts"

/** Telnyx's errors for an unknown call and for a call that has ended. */
const unknownCall = /^(?:10005|90015|90018)\b/

/** Turns Telnyx's "not found" into null. Telnyx remembers a call for ten minutes after its end. */
export const nullIfGone = <A>(request: Effect.Effect<A, CarrierFailed>): Effect.Effect<A | null, CarrierFailed> =>
  Effect.catchTag(request, "CarrierRefused", (refused) =>
    refused.status === 404 || unknownCall.test(refused.code) ? Effect.succeed(null) : Effect.fail(refused),
  )

export const foundOf = (resource: Resource): Effect.Effect<FoundCall> =>
  Effect.map(Clock.currentTimeMillis, (now) => ({
    sid: resource.call_control_id,
    report: reportIn(resource, now),
  }))

const callsOf = (api: TelnyxApi["Service"], credentials: TelnyxCredentials): CallsAtCarrier => {
  const find: CallsAtCarrier["find"] = (sid) => nullIfGone(Effect.flatMap(api.find(credentials, sid), foundOf))
  return {
    find,
    hangUp: ({ report, sid }) =>
      isTerminal(report.status)
        ? find(sid)
        : // Without a command_id: Telnyx would ignore a second order even if the first had no effect.
          Effect.andThen(
            Effect.catchTag(api.command(credentials, sid, "hangup", {}), "CarrierRefused", () => Effect.void),
            find(sid),
          ),
    // The list has only live calls. A call that has ended is known from its webhooks.
    search: ({ call_id }) =>
      Effect.flatMap(api.findByState(credentials, stateOf(call_id)), (found) =>
        found === null ? Effect.succeed(null) : foundOf({ ...found, is_alive: true }),
      ),
  }
}

export const make = (api: TelnyxApi["Service"]): OrderingCarrier => ({
  name: "Telnyx",
  callsOf: (carrier_config) => {
    const credentials = telnyxCredentialsOf(carrier_config)
    return credentials === null ? null : callsOf(api, credentials)
  },
  noSuchNumber: new Set(["10002 at /to", "10016 at /to"]),
})
