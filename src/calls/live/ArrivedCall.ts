/** Conducts one call that the other side began, from its admission to the report of its end. */
import { Clock, Deferred, Effect } from "effect"
import * as AgentKit from "../../catalog/AgentKit.ts"
import { CallRecord } from "../../conversation/CallRecord.ts"
import { longestCallSeconds } from "../../domain/Agent.ts"
import type { Outcome } from "../../domain/Call.ts"
import { Recorder } from "../../recording/Recorder.ts"
import type { Line, Refused } from "../../telephony/Telephony.ts"
import { CallWriter } from "../ledger/CallWriter.ts"
import type { CallOnLine } from "../ledger/Intent.ts"
import * as LateResults from "../requests/LateResults.ts"
import { ToolRequests } from "../requests/ToolRequests.ts"
import type { Arrival } from "./Arrival.ts"
import * as CallTrace from "../../telemetry/CallTrace.ts"
import * as CallClose from "./CallClose.ts"
import * as CallTariff from "./CallTariff.ts"
import * as CallSession from "./CallSession.ts"
import * as ChatWords from "./ChatWords.ts"
import { type HandedCall, Handovers } from "./Handovers.ts"
import { InAccount } from "./InAccount.ts"
import type { LiveCall } from "./LiveCall.ts"
import * as MuteAgents from "./MuteAgents.ts"
import { Ownership } from "./Ownership.ts"

/** The agent may have been deleted when the call ends, and with it its own limit. */
const max_call_seconds = longestCallSeconds

/** Returns the function that conducts an admitted call. */
export const make = Effect.gen(function* () {
  const chatWords = yield* ChatWords.make
  const close = yield* CallClose.make
  const handovers = yield* Handovers
  const inAccount = yield* InAccount
  const tariffFor = yield* CallTariff.make
  const ownership = yield* Ownership
  const recorder = yield* Recorder
  const requests = yield* ToolRequests
  const isMute = yield* MuteAgents.make
  const writer = yield* CallWriter

  /** Answers the call and conducts the talk until the other side, the agent or a client ends it. */
  const hold = Effect.fnUntraced(function* (call: CallOnLine, entry: LiveCall, record: CallRecord, arrival: Arrival) {
    const { hangUp, tenant } = entry
    const { slug } = tenant.account
    const found = yield* Effect.option(inAccount(tenant)(AgentKit.find(call.agent_id, call.agent_version)))
    if (found._tag === "None") return { outcome: "carrier_error", end_reason: "agent_missing" } as const
    const kit = toArrivedKit(found.value, arrival)
    if (arrival.written === null && isMute(arrival.phone?.number.carrier ?? "web", kit.agent.model)) return yield* mute
    const ringing = writer.progress(slug, call.id, { status: "ringing", answered_at: null })
    const about = { account: tenant, call_id: call.id, agent: kit.agent, ringing }
    const owned = { confirmOwnership: ownership.confirm(entry), mayHangUp: ownership.mayHangUp(entry) }
    const connected = yield* connect(arrival.line({ ...about, ...owned }), hangUp)
    if (connected._tag === "HungUp") return { outcome: "no_answer", end_reason: "hung_up" } as const
    if (connected._tag === "Refused") return refused(connected.outcome)
    record.answered_at ??= new Date(yield* Clock.currentTimeMillis)
    yield* writer.progress(slug, call.id, { status: "in_progress", answered_at: record.answered_at })
    const results = requests.awaitAll(tenant, call.id, "90 seconds")
    if (record.goes_on) yield* Effect.raceFirst(LateResults.take(record, results), Deferred.await(hangUp))
    const handOver = handOverOf(handovers, { tenant, call, kit }, arrival)
    const services = { recorder, requests, inTenant: inAccount(tenant) }
    return yield* CallSession.talk({ tenant, call, kit, record, hangUp, ...services, handOver }, connected.line)
  })

  return (call: CallOnLine, entry: LiveCall, arrival: Arrival) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const record = (entry.record = recordOf(arrival))
        record.tariff = tariffFor(call, arrival.phone?.number.carrier ?? "web")
        const words = arrival.written === null ? null : chatWords(entry, record, arrival.written)
        const follow = words?.follow ?? Effect.void
        const talk = CallSession.hangingUp(Effect.andThen(follow, hold(call, entry, record, arrival)))
        const end = yield* restore(CallTrace.within(entry.trace)(talk)).pipe(
          Effect.catchCause((cause) => CallSession.endOf(cause, record, call.direction)),
        )
        if (words !== null && CallClose.isGivenUp(entry, end)) return yield* words.release
        arrival.ended(entry.lost ? "interrupted" : end.end_reason)
        yield* close({ entry, call, number: arrival.phone?.number, max_call_seconds, end, record }, restore)
      }).pipe(Effect.annotateLogs({ account: entry.tenant.account.slug, ...CallSession.aboutCall(call) })),
    )
})

const recordOf = ({ phone, written }: Arrival): CallRecord => {
  const record = new CallRecord()
  record.carrier = phone?.number.carrier ?? "web"
  if (written !== null && written.past !== null) record.continueFrom(written.past)
  return record
}

/** The warm transfer of the call; only a telephone's call has one. */
const handOverOf =
  (handovers: Handovers["Service"], about: Omit<HandedCall, "number">, { phone }: Arrival) =>
  (line: Line) =>
    phone === null ? undefined : handovers.from({ ...about, number: phone.number }, line)

/** Waits for the line, for the refusal of the call, or until a client hangs up. */
const connect = <L, R>(line: Effect.Effect<L, Refused, R>, hangUp: LiveCall["hangUp"]) =>
  line.pipe(
    Effect.map((line) => ({ _tag: "Line", line }) as const),
    Effect.catchTag("Refused", ({ outcome }) => Effect.succeed({ _tag: "Refused", outcome } as const)),
    Effect.raceFirst(Effect.as(Deferred.await(hangUp), { _tag: "HungUp" } as const)),
  )

const refused = (outcome: Outcome) =>
  ({ outcome, end_reason: outcome === "no_answer" ? "caller_hung_up" : "not_answered" }) as const

/** The end of a call whose agent cannot talk: the caller hears that nothing answers. */
const mute = Effect.as(
  Effect.logWarning("an agent without a voice model cannot talk: no speech provider is configured"),
  { outcome: "carrier_error", end_reason: "agent_error" } as const,
)

const toArrivedKit = (kit: AgentKit.AgentKit, { greeting, written }: Arrival): AgentKit.AgentKit => ({
  ...kit,
  agent: {
    ...kit.agent,
    first_message: greeting ?? kit.agent.first_message,
    // A chat shows the notice of its widget instead, and has no keys.
    ...(written !== null ? { silence_timeout_seconds: kit.agent.max_call_seconds * 3, disclosure: "" } : {}),
  },
})
