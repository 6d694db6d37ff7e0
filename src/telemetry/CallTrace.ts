/**
 * The trace of one call: a root span from the claim of its contact until its end is settled. Its children are the
 * claim, dialling, ringing, the talk with each of the agent's replies and their stages, and the settlement. They are
 * created when the call is settled, from times that its record has anyway. No span is created while traces are off.
 */
import { Clock, Effect, Exit, Option, References, Tracer } from "effect"
import type { Turn } from "../domain/Call.ts"

/** Milliseconds since 1970. */
export interface Moments {
  readonly claimed: number
  dialling?: number
  ringing?: number
}

export interface CallTrace {
  readonly span: Tracer.Span
  readonly moments: Moments
}

/** What an ended call's record says, for its trace. */
export interface Ended {
  readonly attributes: Readonly<Record<string, string | number | null | undefined>>
  /** Null if the call was not answered. */
  readonly answered: number | null
  readonly ended: number
  readonly turns: ReadonlyArray<Turn>
  /** Seconds of phone time that pass in one second. */
  readonly speed: number
}

/** Begins a call's trace; undefined while spans are not collected. */
export const begin = (account: string, call: string, claimed: number): Effect.Effect<CallTrace | undefined> =>
  Effect.flatMap(References.TracerEnabled, (isCollected) => (isCollected ? make(account, call, claimed) : none))

const none = Effect.succeed(undefined)

const make = (account: string, call: string, claimed: number): Effect.Effect<CallTrace> => {
  const attributes = { "parley.account": account, "parley.call": call }
  return Effect.map(Effect.makeSpan("call", { root: true, attributes }), (span) => ({ span, moments: { claimed } }))
}

/** Runs `program` so that its spans and log lines belong to the trace. */
export const within =
  (trace: CallTrace | undefined) =>
  <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    trace === undefined ? program : (Effect.withParentSpan(program, trace.span) as Effect.Effect<A, E, R>)

/** Notes the present moment, if the call is traced. */
export const note = (trace: CallTrace | undefined, moment: "dialling" | "ringing"): Effect.Effect<void> =>
  trace === undefined ? Effect.void : Effect.map(Clock.currentTimeMillis, (now) => void (trace.moments[moment] ??= now))

const stages = [
  "voice_off_ms",
  "transcript_ms",
  "decision_ms",
  "first_token_ms",
  "first_words_ms",
  "first_audio_ms",
  "first_frame_ms",
] as const

const nanos = (milliseconds: number): bigint => BigInt(Math.round(milliseconds * 1_000)) * 1_000n

/** Creates the child spans and ends the root span, which exports the trace. Runs once the end is written. */
export const end = Effect.fnUntraced(function* (
  { moments, span }: CallTrace,
  { answered, attributes, ended, speed, turns }: Ended,
) {
  const tracer = yield* Tracer.Tracer
  const now = yield* Clock.currentTimeMillis
  const part = (parent: Tracer.Span, name: string, from: number, to: number): Tracer.Span => {
    const { annotations, sampled } = parent
    const made = tracer.span({
      name,
      annotations,
      sampled,
      links: [],
      kind: "internal",
      root: false,
      parent: Option.some(parent),
      startTime: nanos(from),
    })
    made.end(nanos(Math.max(from, to)), Exit.void)
    return made
  }
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) span.attribute(`parley.${key}`, value)
  }
  const { claimed, dialling, ringing } = moments
  part(span, "call.claim", claimed, dialling ?? answered ?? ended)
  if (dialling !== undefined) part(span, "call.dial", dialling, ringing ?? answered ?? ended)
  if (ringing !== undefined) part(span, "call.ring", ringing, answered ?? ended)
  if (answered !== null) {
    const talk = part(span, "call.talk", answered, ended)
    for (const turn of turns) addReply(part, talk, turn, (phoneMs) => answered + phoneMs / speed)
  }
  part(span, "call.settle", ended, now)
  span.end(nanos(now), Exit.void)
})

type Part = (parent: Tracer.Span, name: string, from: number, to: number) => Tracer.Span

/** A reply lasts from the caller's last word, or else from the question to the brain, until its last word was heard. */
const addReply = (part: Part, talk: Tracer.Span, turn: Turn, realTime: (phoneMs: number) => number): void => {
  const { brain_ms, caller_ended_ms, drained_ms, first_word_ms, timings } = turn
  if (first_word_ms === null) return
  const spoke = realTime(first_word_ms)
  const began = caller_ended_ms === null ? spoke - brain_ms : realTime(caller_ended_ms)
  const reply = part(talk, "call.reply", began, drained_ms === null ? spoke : realTime(drained_ms))
  if (timings === undefined || timings === null) return void part(reply, "reply.brain", spoke - brain_ms, spoke)
  let at = began
  for (const stage of stages) {
    const ms = timings[stage]
    if (ms === null) continue
    part(reply, `reply.${stage.slice(0, -"_ms".length)}`, at, at + ms)
    at += ms
  }
}
