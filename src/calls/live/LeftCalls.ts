/**
 * Goes on with answered calls whose process was stopped or has died, where the carrier keeps such calls and lets another
 * process rejoin them. The agent goes on from the words in the call's row, and answers what was not answered yet.
 */
import { Clock, Context, Deferred, Effect, Layer, Option } from "effect"
import * as AgentKit from "../../catalog/AgentKit.ts"
import type { PhoneNumberRow } from "../../catalog/PhoneNumbers.ts"
import { Node } from "../../cluster/Node.ts"
import { outcomeOfCut } from "../../conversation/AnsweringMachine.ts"
import { CallRecord } from "../../conversation/CallRecord.ts"
import type { CallId } from "../../domain/Call.ts"
import { isVoiceModel } from "../../speech/VoiceModel.ts"
import { type DialRequest, Telephony } from "../../telephony/Telephony.ts"
import { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import * as CallTrace from "../../telemetry/CallTrace.ts"
import * as LeftTalks from "../ledger/LeftTalks.ts"
import * as LateResults from "../requests/LateResults.ts"
import { ToolRequests } from "../requests/ToolRequests.ts"
import * as CallClose from "./CallClose.ts"
import * as CallTariff from "./CallTariff.ts"
import * as CallSession from "./CallSession.ts"
import { Handovers } from "./Handovers.ts"
import { InAccount } from "./InAccount.ts"
import type { LiveCall } from "./LiveCall.ts"
import { LiveCalls } from "./LiveCalls.ts"
import { Ownership } from "./Ownership.ts"

/**
 * How long to wait for the results of tools that the process before has started, because the next reply may need them.
 * The person waits on the line meanwhile.
 */
const resultsWithin = "5 seconds"

/** A call that goes on here, with its agent and its number. */
interface Left {
  readonly talk: LeftTalks.LeftTalk
  readonly kit: AgentKit.AgentKit
  readonly number: PhoneNumberRow
}

export class LeftCalls extends Context.Service<
  LeftCalls,
  {
    /**
     * Begins to conduct a call that this process has taken over, and returns whether it does. False: no process
     * can go on with the call, so it has to be settled.
     */
    readonly goOn: (
      id: CallId,
      number: PhoneNumberRow,
    ) => Effect.Effect<boolean, never, CurrentTenant | Effect.Services<ReturnType<typeof LeftTalks.find>>>
  }
>()("calls/live/LeftCalls") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const close = yield* CallClose.make
      const converse = yield* makeConverse
      const tariffFor = yield* CallTariff.make
      const live = yield* LiveCalls
      const node = yield* Node
      const telephony = yield* Telephony

      const conduct = ({ kit, number, talk }: Left, entry: LiveCall) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const record = (entry.record = recordOf(talk))
            record.carrier = number.carrier
            record.tariff = tariffFor(talk, record.carrier)
            const program = CallSession.hangingUp(converse({ kit, number, talk }, entry, record))
            const end = yield* restore(CallTrace.within(entry.trace)(program)).pipe(
              Effect.catchCause((cause) => CallSession.endOf(cause, record, talk.direction)),
            )
            const { max_call_seconds } = kit.agent
            yield* close({ entry, call: talk, number, max_call_seconds, end, record }, restore)
          }).pipe(Effect.annotateLogs({ account: entry.tenant.account.slug, ...CallSession.aboutCall(toCall(talk)) })),
        )

      return {
        goOn: Effect.fn("LeftCalls.goOn")(function* (id, number) {
          if (!telephony.rejoins(number.carrier)) return false
          const tenant = yield* CurrentTenant
          const talk = yield* Effect.orDie(LeftTalks.find(node.id, id))
          if (talk === undefined || isWithMachine(talk) || tenant.account.status !== "active") return false
          const kit = yield* Effect.option(AgentKit.find(talk.agent_id, talk.agent_version))
          // The session of a voice model has the conversation, and another session of it would not know it.
          if (Option.isNone(kit) || isVoiceModel(kit.value.agent.model)) return false
          const entry = yield* live.add(tenant, id, yield* Clock.currentTimeMillis)
          entry.dialled = true
          entry.fiber = live.start(conduct({ talk, kit: kit.value, number }, entry))
          return true
        }, Effect.uninterruptible),
      }
    }),
  )
}

/** Returns the function that rejoins a call and conducts the rest of its talk. */
const makeConverse = Effect.gen(function* () {
  const handovers = yield* Handovers
  const inAccount = yield* InAccount
  const ownership = yield* Ownership
  const requests = yield* ToolRequests
  const telephony = yield* Telephony

  return Effect.fnUntraced(function* ({ kit, number, talk }: Left, entry: LiveCall, record: CallRecord) {
    const { hangUp, tenant } = entry
    const request: DialRequest = {
      account: tenant.account.slug,
      call_id: talk.id,
      to: talk.to_number ?? number.number,
      from: talk.from_number ?? number.number,
      carrier: number.carrier,
      carrier_config: number.carrier_config,
      language: kit.agent.language,
      voice: kit.agent.voice,
      model: kit.agent.model,
      max_call_seconds: kit.agent.max_call_seconds,
      wants_beep: false,
      confirmForDialling: Effect.void,
      confirmOwnership: ownership.confirm(entry),
      mayHangUp: ownership.mayHangUp(entry),
    }
    const { answered_at } = talk
    const late = LateResults.take(record, requests.awaitAll(tenant, talk.id, resultsWithin))
    const rejoin = telephony.rejoin(request, {
      answered_at,
      heard_until: heardUntil(talk),
      own_number: number.number,
    })
    const rejoined = Effect.map(Effect.all([rejoin, late], { concurrency: 2 }), ([line]) => line)
    const line = yield* Effect.raceFirst(rejoined, Effect.as(Deferred.await(hangUp), "hung_up" as const))
    if (line === null || line === "hung_up") {
      const end: CallSession.CallEnd = {
        outcome: CallSession.outcomeSoFar(record, talk.direction),
        end_reason: line ?? "interrupted",
      }
      return end
    }
    yield* Effect.logInfo("going on with a call of another process")
    const call = toCall(talk)
    const session: CallSession.Talking = {
      tenant,
      call,
      kit,
      record,
      // A recorded call does not go on (`LeftTalks.find`), and no recording begins in the middle of a call.
      recorder: null,
      hangUp,
      requests,
      inTenant: inAccount(tenant),
      handOver: (line) => handovers.from({ tenant, call, kit, number }, line),
    }
    return yield* CallSession.talk(session, line)
  })
})

/** If nothing was said, the agent still has to greet. */
const recordOf = (talk: LeftTalks.LeftTalk): CallRecord => {
  const record = new CallRecord()
  record.answered_at = talk.answered_at
  record.answered_by = talk.answered_by
  record.disclosure = talk.disclosure
  record.disposition = talk.disposition
  record.opt_out = talk.opt_out
  if (talk.transcript.length > 0) record.continueFrom(talk)
  return record
}

const toCall = (talk: LeftTalks.LeftTalk) => ({ ...talk, decision: null })

/** Whether a machine's greeting was heard, which the process before may not have judged any more. */
const isWithMachine = ({ direction, transcript }: LeftTalks.LeftTalk): boolean => {
  const first = transcript.find(({ role }) => role === "caller")
  return direction === "outbound" && first !== undefined && outcomeOfCut(first.text) !== "answered"
}

/** When the last words of the other side that are in the row ended. */
const heardUntil = ({ answered_at, transcript }: LeftTalks.LeftTalk): Date => {
  const ends = transcript.flatMap(({ ended_ms, role }) => (role === "caller" ? [ended_ms] : []))
  return new Date(ends.length === 0 ? 0 : answered_at.getTime() + Math.max(...ends))
}
