/** Finds and ends calls at Twilio, as a carrier that takes orders over REST. */
import { Effect } from "effect"
import { isTerminal } from "../../domain/CarrierReport.ts"
import { credentialsOf, type TwilioCredentials } from "../../domain/TwilioConfig.ts"
import { findTaken } from "../CarrierCalls.ts"
import type { CarrierFeeds } from "../CarrierFeeds.ts"
import type { CallsAtCarrier, FoundCall, OrderingCarrier } from "../rest/CallsAtCarrier.ts"
import type { UnconfirmedCall } from "../Telephony.ts"
import { momentOf, reportOf, type Resource, type TwilioApi } from "./TwilioApi.ts"

/** The most by which the carrier's clock and ours may differ, in milliseconds. */
const clocksDifferMs = 5_000

interface Parts {
  readonly api: TwilioApi["Service"]
  readonly feeds: CarrierFeeds["Service"]
}

export const foundOf = (resource: Resource): FoundCall => ({ sid: resource.sid, report: reportOf(resource) })

const callsOf = ({ api, feeds }: Parts, credentials: TwilioCredentials): CallsAtCarrier => {
  const find: CallsAtCarrier["find"] = (sid) =>
    Effect.map(api.find(credentials, sid), foundOf).pipe(
      Effect.catchTag("CarrierRefused", (refused) =>
        refused.status === 404 ? Effect.succeed(null) : Effect.fail(refused),
      ),
    )

  const hangUp: CallsAtCarrier["hangUp"] = ({ report, sid }) =>
    isTerminal(report.status)
      ? find(sid)
      : api
          // `canceled` does not end an answered call, and `completed` does not end a ringing one.
          .update(credentials, sid, { Status: report.status === "in-progress" ? "completed" : "canceled" })
          .pipe(
            Effect.map(foundOf),
            Effect.catchTag("CarrierRefused", () => find(sid)),
          )

  /** Returns the first call since the order that belongs to no other call of ours. */
  const search = Effect.fnUntraced(function* ({ account, from, started_at, to }: UnconfirmedCall) {
    const found = yield* api.between(credentials, to, from)
    const since = started_at.getTime() - clocksDifferMs
    const candidates = found.filter(({ date_created }) => (momentOf(date_created)?.getTime() ?? 0) >= since)
    if (candidates.length === 0) return null
    const known = yield* feeds.within(account)(findTaken(candidates.map(({ sid }) => sid)))
    const first = candidates.findLast(({ sid }) => !known.has(sid))
    return first === undefined ? null : foundOf(first)
  })

  return { find, hangUp, search }
}

export const make = (parts: Parts): OrderingCarrier => ({
  name: "Twilio",
  callsOf: (carrier_config) => {
    const credentials = credentialsOf(carrier_config)
    return credentials === null ? null : callsOf(parts, credentials)
  },
  noSuchNumber: new Set(["21211", "21214", "21217", "21421", "13223", "13224"]),
})
