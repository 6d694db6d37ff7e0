/** Telnyx as a carrier that takes orders over REST: how its calls are found and ended. */
import { Clock, Effect } from "effect"
import { isTerminal } from "../../domain/CarrierReport.ts"
import { type TelnyxCredentials, telnyxCredentialsOf } from "../../domain/TelnyxConfig.ts"
import type { CallsAtCarrier, FoundCall, OrderingCarrier } from "../rest/CallsAtCarrier.ts"
import type { CarrierRefused } from "../rest/RestClient.ts"
import { reportOf, type Resource, type TelnyxApi } from "./TelnyxApi.ts"
import { stateOf } from "./TelnyxUrls.ts"

/** Telnyx's errors for a call that it does not know, and for one that has ended. */
const unknownCall = /^(?:10005|90015|90018)\b/

/** Telnyx remembers a call for ten minutes after its end. */
export const isGone = ({ code, status }: CarrierRefused): boolean => status === 404 || unknownCall.test(code)

export const foundOf = (resource: Resource): Effect.Effect<FoundCall> =>
  Effect.map(Clock.currentTimeMillis, (now) => ({
    sid: resource.call_control_id,
    report: reportOf(resource, now),
  }))

const callsOf = (api: TelnyxApi["Service"], of: TelnyxCredentials): CallsAtCarrier => {
  const find: CallsAtCarrier["find"] = (sid) =>
    Effect.flatMap(api.find(of, sid), foundOf).pipe(
      Effect.catchTag("CarrierRefused", (refused) => (isGone(refused) ? Effect.succeed(null) : Effect.fail(refused))),
    )
  return {
    find,
    hangUp: ({ report, sid }) =>
      isTerminal(report.status)
        ? find(sid)
        : // Without a command_id: Telnyx would ignore a second order even if the first had no effect.
          Effect.andThen(
            Effect.catchTag(api.command(of, sid, "hangup", {}), "CarrierRefused", () => Effect.void),
            find(sid),
          ),
    // A call that is over already is not in the list; its webhooks name it.
    search: ({ call_id }) =>
      Effect.flatMap(api.findByState(of, stateOf(call_id)), (found) =>
        found === null ? Effect.succeed(null) : foundOf({ ...found, is_alive: true }),
      ),
  }
}

export const make = (api: TelnyxApi["Service"]): OrderingCarrier => ({
  name: "Telnyx",
  callsOf: (carrier_config) => {
    const of = telnyxCredentialsOf(carrier_config)
    return of === null ? null : callsOf(api, of)
  },
  noSuchNumber: new Set(["10002 at /to", "10016 at /to"]),
})
