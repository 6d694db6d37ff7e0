/**
 * One call as one scoped program: an outbound call is dialled and rings first, then any call talks and ends. It always
 * returns an outcome, and puts words and tool calls into the record. Its limits (`max_call_seconds`, silences) are phone
 * time: the lab's `LAB_SPEED` scales them.
 */
import { Cause, Clock, Deferred, Effect, Fiber, References, type Schema, Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import type { Brain } from "../../brain/Brain.ts"
import * as Prompt from "../../brain/Prompt.ts"
import type { AgentKit } from "../../catalog/AgentKit.ts"
import type { PhoneNumberRow } from "../../catalog/PhoneNumbers.ts"
import * as CallOptOuts from "../../catalog/CallOptOuts.ts"
import { outcomeOfCut } from "../../conversation/AnsweringMachine.ts"
import { bounded } from "../../conversation/Bounded.ts"
import type { CallRecord } from "../../conversation/CallRecord.ts"
import * as Conversation from "../../conversation/Conversation.ts"
import { longestCallSeconds } from "../../domain/Agent.ts"
import { type CallDirection, type EndReason, otherNumberOf, type Outcome } from "../../domain/Call.ts"
import { type E164, isE164 } from "../../domain/E164.ts"
import { isObject } from "../../domain/JsonValue.ts"
import type { Recorder } from "../../recording/Recorder.ts"
import { isVoiceModel } from "../../speech/VoiceModel.ts"
import { type Line, Telephony } from "../../telephony/Telephony.ts"
import type { AccountEntry } from "../../tenancy/AccountDirectory.ts"
import { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import * as Invocation from "../../tools/Invocation.ts"
import type { ToolRunner } from "../../tools/ToolRunner.ts"
import type { CallOnLine, IntendedCall } from "../ledger/Intent.ts"
import * as NotedTools from "../requests/NotedTools.ts"
import type { ToolRequests } from "../requests/ToolRequests.ts"

export interface Session {
  readonly tenant: AccountEntry
  readonly call: IntendedCall
  readonly kit: AgentKit
  readonly number: PhoneNumberRow
  readonly record: CallRecord
  /** Null: the call is not recorded, whatever its agent's settings say. */
  readonly recorder: Recorder["Service"] | null
  /** Done when a client asks to end the call (`POST …/hangup`). */
  readonly hangUp: Deferred.Deferred<void>
  /** Run when the carrier reports the ringing, and when the call is answered. */
  readonly ringing: Effect.Effect<void>
  readonly answered: (at: Date) => Effect.Effect<void>
  /** Completes only while this process owns the call. Runs before the call is dialled, and before every utterance. */
  readonly confirmForDialling: Effect.Effect<void>
  readonly confirmOwnership: Effect.Effect<void>
  /** False: another process goes on with the call. Runs before the call is hung up. */
  readonly mayHangUp: Effect.Effect<boolean>
  /** Null if tools only have to run while the call lasts, as in a rehearsal. */
  readonly requests: Pick<ToolRequests["Service"], "run"> | null
  /** Returns the warm transfer of this line; undefined if the call can only be transferred blindly. */
  readonly handOver?: (line: Line) => Conversation.HandOver | undefined
  /** Runs a tool's statements in the account's database, and releases the database when they are done. */
  readonly inTenant: <A, E>(
    effect: Effect.Effect<A, E, SqlClient.SqlClient | CurrentTenant | ToolRunner>,
  ) => Effect.Effect<A, E>
}

export interface CallEnd {
  readonly outcome: Outcome
  readonly end_reason: EndReason
}

/** The parts of a session that every talk needs, on a telephone or in a page. */
export type Talking = Pick<
  Session,
  "tenant" | "kit" | "record" | "recorder" | "hangUp" | "handOver" | "inTenant" | "requests"
> & {
  readonly call: CallOnLine
}

/** The time limits of the steps of a call's end: together less than eight seconds. */
const hangsUpWithin = "3500 millis"
const fallsSilentWithin = "2 seconds"
const closesRecordingWithin = "1 second"
/** If the conductor overruns the call's limit by this many real milliseconds, it counts as dead. */
const deadAfterMs = 2_000

export const run = (session: Session): Effect.Effect<CallEnd, never, Telephony | Brain> =>
  hangingUp(conduct(session)).pipe(
    traceIfCollected("CallSession.run"),
    Effect.annotateLogs({ account: session.tenant.account.slug, ...aboutCall(session.call) }),
  )

/** The annotations of a call's log lines. */
export const aboutCall = ({ campaign_id, id }: CallOnLine) =>
  campaign_id === null ? { call: id } : { call: id, campaign: campaign_id }

/** Runs a call's program and then hangs up, in bounded time. */
export const hangingUp = <A, R>(
  program: Effect.Effect<A, never, R>,
): Effect.Effect<A, never, Exclude<R, Scope.Scope>> =>
  Effect.acquireUseRelease(
    Scope.make(),
    (scope) => Scope.provide(program, scope),
    (scope, exit) => {
      const closing = Scope.closeUnsafe(scope, exit)
      return closing === undefined ? Effect.void : bounded(hangsUpWithin, "hanging up")(closing)
    },
  )

/** Makes a span only if spans are collected: an unused span is a third of the cost of a refused call. */
const traceIfCollected =
  (name: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(References.TracerEnabled, (isCollected) => (isCollected ? Effect.withSpan(effect, name) : effect))

type Dialled = { readonly _tag: "Line"; readonly line: Line } | { readonly _tag: "Ended"; readonly end: CallEnd }

/**
 * Dials and reports the answer. `talks`: whether the agent talks on the line; otherwise the line says only fixed
 * sentences.
 */
export const dial = Effect.fnUntraced(function* (
  session: Session,
  talks = true,
): Effect.fn.Return<Dialled, never, Telephony | Scope.Scope> {
  const { call, number, record, tenant } = session
  const dialled = yield* Telephony.use((telephony) =>
    telephony.dial(
      {
        account: tenant.account.slug,
        call_id: call.id,
        to: call.to_number,
        from: call.from_number,
        carrier: number.carrier,
        carrier_config: number.carrier_config,
        language: session.kit.agent.language,
        voice: session.kit.agent.voice,
        ...(talks ? { model: session.kit.agent.model } : {}),
        max_call_seconds: session.kit.agent.max_call_seconds,
        wants_beep: session.kit.agent.voicemail_action === "leave_message",
        confirmForDialling: session.confirmForDialling,
        confirmOwnership: session.confirmOwnership,
        mayHangUp: session.mayHangUp,
      },
      session.ringing,
    ),
  ).pipe(
    Effect.map((line) => ({ _tag: "Line", line }) as const),
    Effect.catchTag("Refused", ({ answered_by, outcome }) => {
      if (answered_by !== undefined) record.announced(answered_by, outcome)
      return Effect.succeed({ _tag: "Refused", outcome } as const)
    }),
    Effect.raceFirst(Effect.as(Deferred.await(session.hangUp), { _tag: "HungUp" } as const)),
  )
  const refused = (outcome: Outcome, end_reason: EndReason): Dialled => ({
    _tag: "Ended",
    end: { outcome, end_reason },
  })
  if (dialled._tag === "Refused") return refused(dialled.outcome, "not_answered")
  // A client hung up before the answer, so the call counts as unanswered.
  if (dialled._tag === "HungUp") return refused("no_answer", "hung_up")
  record.answered_at = new Date(yield* Clock.currentTimeMillis)
  yield* session.answered(record.answered_at)
  return dialled
})

const conduct = Effect.fnUntraced(function* (session: Session) {
  const dialled = yield* dial(session)
  return dialled._tag === "Ended" ? dialled.end : yield* talk(session, dialled.line)
})

/**
 * Conducts the talk on an answered line, of a call or a rehearsal, and returns how it ended. Records it if the agent
 * wants that and the line has sound.
 */
export const talk = Effect.fn("CallSession.talk")((talking: Talking, line: Line) =>
  Effect.acquireUseRelease(
    startRecording(talking, line),
    () => talkOn(talking, line),
    () => {
      const { recording } = talking.record
      return recording === null ? Effect.void : bounded(closesRecordingWithin, "closing the recording")(recording.stop)
    },
  ),
)

const startRecording = Effect.fnUntraced(function* ({ call, kit, record, recorder, tenant }: Talking, { sound }: Line) {
  if (!kit.agent.recording || recorder === null || sound === null) return
  record.recording = yield* recorder.start(tenant, call.id, sound, kit.agent.recording_notice.trim() !== "")
})

const talkOn = Effect.fnUntraced(function* (talking: Talking, line: Line) {
  const { hangUp, kit, record } = talking
  const now = yield* Clock.currentTimeMillis
  record.answered_at ??= new Date(now)
  record.speed = line.speed
  record.line = line
  record.uses_speech = line.sound !== null && !isVoiceModel(kit.agent.model)
  // A talk that goes on from another process began there.
  const began = record.goes_on ? record.answered_at.getTime() : now
  record.ends_at = new Date(began + (kit.agent.max_call_seconds * 1_000) / line.speed)
  const limit = Math.max(0, record.ends_at.getTime() - now) + deadAfterMs
  // A separate fiber, so that a talk that cannot be interrupted does not delay the end.
  const conversation = yield* Effect.forkDetach(converse(talking, line))
  const end_reason = yield* awaitEnd(conversation, hangUp, awaitLimit(record, limit)).pipe(
    Effect.onExit(() => fallSilent(conversation, line, record)),
  )
  return { outcome: outcomeOf(record), end_reason } satisfies CallEnd
})

/** Returns the first reason to end: the conversation's own, the limit of the call, or a client's request. */
const awaitEnd = (
  conversation: Fiber.Fiber<EndReason>,
  hangUp: Deferred.Deferred<void>,
  limit: Effect.Effect<void>,
): Effect.Effect<EndReason> =>
  Fiber.join(conversation).pipe(
    Effect.catchDefect((defect) =>
      Effect.as(Effect.logError("conversation failed by a defect", defect), "agent_error" as const),
    ),
    Effect.raceFirst(Effect.as(limit, "max_duration" as const)),
    Effect.raceFirst(Effect.as(Deferred.await(hangUp), "hung_up" as const)),
  )

/** Waits for the agent's limit, or for the longer limit of a call in which two people talk with each other. */
const awaitLimit = (record: CallRecord, limit: number) =>
  Effect.andThen(
    Effect.sleep(limit),
    Effect.suspend(() => (record.is_bridged ? Effect.sleep(longestCallSeconds * 1_000) : Effect.void)),
  )

/** Stops the conversation, in bounded time, and records how long it took and how it sounded. */
const fallSilent = Effect.fnUntraced(function* (conversation: Fiber.Fiber<EndReason>, line: Line, record: CallRecord) {
  record.line = null
  yield* bounded(fallsSilentWithin, "falling silent")(Fiber.interrupt(conversation))
  record.talked_ms = (yield* line.moment).at
  record.sound = line.quality?.() ?? null
})

/** The outcome of a call that was answered. */
const outcomeOf = ({ machine, unreached }: CallRecord): Outcome => unreached ?? (machine ? "voicemail" : "answered")

/** The end of a call whose program was interrupted or failed. */
export const endOf = Effect.fnUntraced(function* (
  cause: Cause.Cause<never>,
  record: CallRecord,
  direction: CallDirection,
) {
  const interrupted = Cause.hasInterruptsOnly(cause)
  if (!interrupted) yield* Effect.logError("call failed by a defect", cause)
  const end: CallEnd = {
    outcome: outcomeSoFar(record, direction),
    end_reason: interrupted ? "interrupted" : "agent_error",
  }
  return end
})

/**
 * The outcome of a call that was cut short. A phone that we stopped ringing was not answered. A caller counts as a
 * person.
 */
export const outcomeSoFar = (
  { answered_at, machine, transcript, unreached }: CallRecord,
  direction: CallDirection,
): Outcome => {
  if (answered_at === null) return "no_answer"
  if (unreached !== null) return unreached
  if (machine) return "voicemail"
  if (direction !== "outbound") return "answered"
  return outcomeOfCut(transcript.find(({ role }) => role === "caller")?.text ?? null)
}

const converse = Effect.fnUntraced(function* (talking: Talking, line: Line) {
  const { call, handOver, inTenant, kit, record, requests, tenant } = talking
  const now = new Date(yield* Clock.currentTimeMillis)
  const number = otherNumberOf(call)
  const variables = Prompt.variables(call.variables, number ?? "", now)
  const { time_zone } = tenant.account
  const context: Omit<Invocation.InvocationContext, "controls"> = {
    call_id: call.id,
    phone_number: number,
    variables,
    time_zone,
    about: aboutOf(call, kit),
    faq_ids: kit.faqs.map(({ id }) => id),
    outcome_schema: kit.agent.outcome_schema,
    dispositions: kit.agent.dispositions,
    digits: record.digits,
  }
  const prompt = yield* Effect.provideService(Prompt.render(kit, variables), CurrentTenant, tenant)
  const noted = NotedTools.make({ requests, tenant, call_id: call.id, kit, record, line })
  return yield* Conversation.hold({
    line,
    briefing: { kit, prompt, time_zone },
    meets_machines: call.direction === "outbound",
    record,
    handOver: handOver?.(line),
    invoke: (name, args, controls) => {
      const id = uuidv7()
      const invoking = Invocation.invoke(kit, name, args, { ...context, controls }, id)
      return noted.run({ id, name, args }, invoking) ?? inTenant(invoking)
    },
    outlives: noted.outlives,
    suppress: number !== null && isE164(number) ? inTenant(optOut(number, call.id)) : Effect.void,
  })
})

const optOut = (phone_number: E164, call_id: string) =>
  Effect.orDie(CallOptOuts.add({ phone_number, call_id, reason: "asked for in a call" }))

/** What an account's own tool gets to know about the call, as plain data. */
const aboutOf = (call: CallOnLine, { agent }: AgentKit): Schema.JsonObject => {
  const { campaign, ...custom_fields } = call.variables
  return {
    call: { id: call.id, from: call.from_number, to: call.to_number, started_at: call.started_at.toISOString() },
    agent: { id: agent.id, name: agent.name },
    contact:
      call.contact_id === null
        ? null
        : { id: call.contact_id, phone_number: call.to_number, custom_fields, attempt: call.attempt_number },
    campaign: call.campaign_id === null ? null : { id: call.campaign_id, ...(isObject(campaign) ? campaign : {}) },
  }
}
