/**
 * One call as one scoped program: dial, ring, answer, talk, end. Whatever happens in it, it ends with an outcome; its
 * words and tools stand in the record. Its limits (`max_call_seconds`, silences) are phone time: the lab's
 * `LAB_SPEED` scales them.
 */
import { Cause, Clock, Deferred, Effect, type Schema, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import type { AgentKit } from "../catalog/AgentKit.ts"
import type { PhoneNumberRow } from "../catalog/PhoneNumbers.ts"
import type { EndReason, Outcome } from "../domain/Call.ts"
import type { AccountEntry } from "../tenancy/AccountDirectory.ts"
import type { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import type { Brain, TurnInput } from "./brain/Brain.ts"
import * as Prompt from "./brain/Prompt.ts"
import type { CallRecord } from "./CallRecord.ts"
import type { IntendedCall } from "./Intent.ts"
import * as Conversation from "./Conversation.ts"
import { isObject } from "./JsonValue.ts"
import { type Line, Telephony } from "./telephony/Telephony.ts"
import * as Invocation from "./tools/Invocation.ts"
import type { ToolRunner } from "./tools/ToolRunner.ts"

export interface Session {
  readonly tenant: AccountEntry
  readonly call: IntendedCall
  readonly kit: AgentKit
  readonly number: PhoneNumberRow
  readonly record: CallRecord
  /** Asked to end, by `POST …/hangup`. */
  readonly hangUp: Deferred.Deferred<void>
  /** The carrier's words, as they come. */
  readonly ringing: Effect.Effect<void>
  readonly answered: (at: Date) => Effect.Effect<void>
  /** Go on only while the call is this process's to conduct: before it is dialled, and then before every word. */
  readonly dialling: Effect.Effect<void>
  readonly mine: Effect.Effect<void>
  /** Runs a tool's statements in the account's database, held no longer than they take. */
  readonly inTenant: <A, E>(
    effect: Effect.Effect<A, E, SqlClient.SqlClient | CurrentTenant | ToolRunner>,
  ) => Effect.Effect<A, E>
}

export interface CallEnd {
  readonly outcome: Outcome
  readonly end_reason: EndReason
}

export const run = Effect.fn("CallSession.run")(
  function* (session: Session): Effect.fn.Return<CallEnd, never, Telephony | Brain | Scope.Scope> {
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
          max_call_seconds: session.kit.agent.max_call_seconds,
          wants_beep: session.kit.agent.voicemail_action === "leave_message",
          dialling: session.dialling,
          mine: session.mine,
        },
        session.ringing,
      ),
    ).pipe(
      Effect.map((line) => ({ _tag: "Line", line }) as const),
      Effect.catchTag("Refused", ({ outcome }) => Effect.succeed({ _tag: "Refused", outcome } as const)),
      Effect.raceFirst(Effect.as(Deferred.await(session.hangUp), { _tag: "HungUp" } as const)),
    )
    if (dialled._tag === "Refused") return { outcome: dialled.outcome, end_reason: "not_answered" }
    // Nobody had answered: the phone rang, and rings no more.
    if (dialled._tag === "HungUp") return { outcome: "no_answer", end_reason: "hung_up" }

    const { line } = dialled
    record.answered_at = new Date(yield* Clock.currentTimeMillis)
    record.speed = line.speed
    yield* session.answered(record.answered_at)
    const end_reason = yield* talk(session, line).pipe(
      Effect.catchDefect((defect) => Effect.as(Effect.logError("a conversation died", defect), "agent_error" as const)),
      Effect.raceFirst(limit(line, session.kit.agent.max_call_seconds)),
      Effect.raceFirst(Effect.as(Deferred.await(session.hangUp), "hung_up" as const)),
      Effect.ensuring(Effect.map(line.elapsed, (elapsed) => void (record.talked_ms = elapsed))),
    )
    return { outcome: record.machine ? "voicemail" : "answered", end_reason }
  },
  Effect.scoped,
  (running, { call }) => Effect.annotateLogs(running, { call: call.id }),
)

/** The end of a call whose program did not come to one: the process stops, or something in it is broken. */
export const endOf = Effect.fnUntraced(function* (cause: Cause.Cause<never>, record: CallRecord) {
  const interrupted = Cause.hasInterruptsOnly(cause)
  if (!interrupted) yield* Effect.logError("a call died", cause)
  const end: CallEnd = { outcome: outcomeSoFar(record), end_reason: interrupted ? "interrupted" : "agent_error" }
  return end
})

/** Of a call that did not come to its end: a phone that we stopped ringing was not answered. */
const outcomeSoFar = (record: CallRecord): Outcome =>
  record.answered_at === null ? "no_answer" : record.machine ? "voicemail" : "answered"

const limit = (line: Line, seconds: number) =>
  Effect.as(Effect.sleep((seconds * 1_000) / line.speed), "max_duration" as const)

const talk = Effect.fnUntraced(function* (session: Session, line: Line) {
  const { call, inTenant, kit, record, tenant } = session
  const now = new Date(yield* Clock.currentTimeMillis)
  const variables = Prompt.variables(call.variables, call.to_number, now)
  const orders = new Conversation.Orders()
  const controls = Conversation.controls(record, orders, line)
  const { time_zone } = tenant.account
  const context: Invocation.InvocationContext = {
    call_id: call.id,
    phone_number: call.to_number,
    variables,
    time_zone,
    about: aboutOf(call, kit),
    controls,
    faq_ids: kit.faqs.map(({ id }) => id),
    outcome_schema: kit.agent.outcome_schema,
  }
  const invoke: TurnInput["invoke"] = Effect.fnUntraced(function* (name: string, args: Schema.JsonObject) {
    const invocation = yield* inTenant(Invocation.invoke(kit, name, args, context))
    record.invoked(invocation, yield* line.elapsed)
    return invocation
  })
  const prompt = yield* Prompt.render(kit, variables)
  const briefing = { kit, prompt, time_zone }
  return yield* Conversation.hold({ line, briefing, record, orders, invoke, optOut: controls.optOut })
})

/** Plain data for a tool of the account's own. */
const aboutOf = (call: IntendedCall, { agent }: AgentKit): Schema.JsonObject => {
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
