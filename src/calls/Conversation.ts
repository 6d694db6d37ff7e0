/**
 * The talk on an answered call: greeting, turns, silence, voicemail, goodbye. It ends with the reason why; when it is
 * interrupted, the call's record has what was said until then. All of its times are phone time.
 */
import { Clock, Effect } from "effect"
import type { EndReason } from "../domain/Call.ts"
import { isMachineGreeting } from "./AnsweringMachine.ts"
import type { Brain, Briefing, TurnInput, Usage } from "./brain/Brain.ts"
import * as Turn from "./brain/Turn.ts"
import type { CallRecord } from "./CallRecord.ts"
import type { Heard, Line, Said } from "./telephony/Telephony.ts"
import type { CallControls } from "./tools/CallControls.ts"

/** A person says hello within this after taking the phone up; then the agent speaks (law in some places: within 2 s). */
const firstWordMs = 1_200
/** How long the other side must be silent to be taken as done, after a complete sentence. */
const endpointMs = 300
/** A machine's tone comes within this after its greeting. */
const beepMs = 30_000
/** What the far side may not have played yet when our last word has left us. */
const drainMs = 400

const stillThere = ["Are you still there?", "Hello? I cannot hear you."]
const silenceGoodbye = "I cannot hear you, so I will end the call now. Goodbye."
const transferFailed = "I am sorry, I could not put you through."
const outOfOrder = "I am sorry, something went wrong here. We will be in touch. Goodbye."

/** What tools asked of the call, to be done when the agent has finished its sentence. */
export class Orders {
  end = false
  transferTo: string | null = null
  voicemail: string | null = null
}

export interface Conversation {
  readonly line: Line
  readonly briefing: Briefing
  readonly record: CallRecord
  readonly orders: Orders
  readonly invoke: TurnInput["invoke"]
  readonly optOut: CallControls["optOut"]
}

export const hold = Effect.fn("Conversation.hold")(function* (
  talk: Conversation,
): Effect.fn.Return<EndReason, never, Brain> {
  const { briefing, line } = talk
  const opening = yield* listen(talk, firstWordMs)
  if (opening._tag === "Gone") return reasonOf(opening)
  // A carrier may tell of the tone before it tells what was said.
  if (opening._tag === "Beep") return yield* voicemail(talk, true)
  if (opening._tag === "Utterance" && isMachineGreeting(opening.text)) return yield* voicemail(talk)
  const { first_message } = briefing.prompt
  if (first_message !== "") {
    const said = yield* speak(talk, first_message, { started_by: "agent" })
    if (said.gone !== null) return reasonOf({ how: said.gone })
  } else if (opening._tag === "Utterance") {
    const ended = yield* answer(talk, opening)
    if (ended !== null) return ended
  }
  const patience = Math.round((briefing.kit.agent.silence_timeout_seconds * 1_000) / (stillThere.length + 1))
  let silences = 0
  /** A machine's greeting may be heard late, where only whole utterances are. */
  let isFirst = opening._tag !== "Utterance"
  while (true) {
    const heard = yield* listen(talk, patience)
    if (heard._tag === "Gone") return reasonOf(heard)
    if (heard._tag === "Beep") return yield* voicemail(talk, true)
    if (heard._tag === "Utterance") {
      if (isFirst && isMachineGreeting(heard.text)) return yield* voicemail(talk)
      isFirst = false
      silences = 0
      const ended = yield* answer(talk, heard)
      if (ended !== null) return ended
    } else {
      const prompt = stillThere[silences++]
      const said = yield* speak(talk, prompt ?? silenceGoodbye, { started_by: "silence" })
      if (said.gone !== null) return reasonOf({ how: said.gone })
      if (prompt === undefined) return yield* Effect.as(Effect.sleep(drainMs / line.speed), "silence" as const)
    }
  }
})

const reasonOf = ({ how }: { readonly how: "hung_up" | "lost" }): EndReason =>
  how === "lost" ? "line_lost" : "caller_hung_up"

const listen = Effect.fnUntraced(function* ({ line, record }: Conversation, patience: number) {
  const heard = yield* line.hear(patience)
  if (heard._tag === "Utterance") {
    const { ended_ms, started_ms, text } = heard
    record.heard({ text, started_ms, ended_ms, at: new Date(yield* Clock.currentTimeMillis) })
  }
  return heard
})

/** Answers what was heard. Null: the conversation goes on. */
const answer = Effect.fnUntraced(function* (
  talk: Conversation,
  heard: Extract<Heard, { readonly _tag: "Utterance" }>,
): Effect.fn.Return<EndReason | null, never, Brain> {
  const { briefing, invoke, line, optOut, orders, record } = talk
  yield* Effect.sleep(endpointMs / line.speed)
  const began = yield* Clock.currentTimeMillis
  const before = record.tool_invocations.length
  const turn: TurnInput = { briefing, history: record.history, invoke }
  const reply = yield* Turn.take(turn, optOut).pipe(
    Effect.catchTag("BrainFailed", (failed) =>
      Effect.as(Effect.logWarning("the brain failed; the agent apologises", failed.reason), null),
    ),
  )
  const timing = {
    started_by: "caller",
    caller_ended_ms: heard.ended_ms,
    brain_ms: (yield* Clock.currentTimeMillis) - began,
    tools_ms: record.tool_invocations.slice(before).reduce((sum, { duration_ms }) => sum + duration_ms, 0),
    ...(reply?.usage === undefined ? {} : { usage: reply.usage }),
  } as const
  const said = yield* speak(talk, reply?.text ?? outOfOrder, timing)
  if (said.gone !== null) return reasonOf({ how: said.gone })
  if (reply === null) return yield* leave(talk, "agent_error")
  if (record.opted_out) return yield* leave(talk, "opted_out")
  const target = orders.transferTo
  if (target !== null) {
    orders.transferTo = null
    if (yield* line.transfer(target)) return "transferred"
    const sorry = yield* speak(talk, transferFailed, { started_by: "agent" })
    return sorry.gone === null ? null : reasonOf({ how: sorry.gone })
  }
  return reply.ends || orders.end ? yield* leave(talk, "agent_hung_up") : null
})

/** Hangs up once the last word has been heard. */
const leave = ({ line }: Conversation, reason: EndReason) => Effect.as(Effect.sleep(drainMs / line.speed), reason)

/** `isRecording`: its tone was heard already. */
const voicemail = Effect.fnUntraced(function* (talk: Conversation, isRecording = false): Effect.fn.Return<EndReason> {
  const { briefing, invoke, line, orders, record } = talk
  record.machine = true
  if (briefing.kit.agent.voicemail_action === "hang_up") return "voicemail"
  if (briefing.kit.tools.some(({ is_default, name }) => is_default && name === "leave_voicemail")) {
    yield* invoke("leave_voicemail", {})
  }
  const message = orders.voicemail ?? briefing.prompt.first_message
  if (message === "") return "voicemail"
  let heard: Heard = isRecording ? { _tag: "Beep" } : yield* line.hear(beepMs)
  while (heard._tag === "Utterance") heard = yield* line.hear(beepMs)
  if (heard._tag === "Gone") return "voicemail"
  const said = yield* speak(talk, message, { started_by: "agent" }, false)
  record.message_left = said.gone === null && !said.interrupted
  return yield* leave(talk, "voicemail")
})

interface Timing {
  readonly started_by: "agent" | "caller" | "silence"
  readonly caller_ended_ms?: number
  readonly brain_ms?: number
  readonly tools_ms?: number
  readonly usage?: Usage
}

const speak = Effect.fnUntraced(function* (
  { briefing, line, record }: Conversation,
  text: string,
  { brain_ms = 0, caller_ended_ms, started_by, tools_ms = 0, usage }: Timing,
  interruptible = briefing.kit.agent.interruptible,
): Effect.fn.Return<Said> {
  const at = new Date(yield* Clock.currentTimeMillis)
  const said = yield* line.say(text, { interruptible })
  const cut = said.interrupted || said.gone !== null
  record.said({
    text: said.heard,
    at,
    started_ms: said.started_ms,
    ended_ms: said.ended_ms,
    ...(cut ? { interrupted: true } : {}),
  })
  const first_word_ms = said.heard === "" ? null : said.started_ms
  record.turns.push({
    turn: record.turns.length + 1,
    started_by,
    caller_ended_ms: caller_ended_ms ?? null,
    endpoint_ms: caller_ended_ms === undefined ? 0 : endpointMs,
    brain_ms,
    tools_ms,
    first_word_ms,
    drained_ms: cut ? null : said.ended_ms,
    response_ms: first_word_ms === null || caller_ended_ms === undefined ? null : first_word_ms - caller_ended_ms,
    interrupted: cut,
    ...(usage === undefined ? {} : { model: usage.model, tokens_in: usage.tokens_in, tokens_out: usage.tokens_out }),
  })
  record.brain_cost += usage?.cost ?? 0
  return said
})

export const controls = (record: CallRecord, orders: Orders, line: Line): CallControls => ({
  end: () => Effect.sync(() => void (orders.end = true)),
  transfer: (target) => Effect.sync(() => void (orders.transferTo = target)),
  sendDigits: line.sendDigits,
  leaveVoicemail: (message) => Effect.sync(() => void (orders.voicemail = message)),
  recordOutcome: (fields) => Effect.sync(() => void (record.outcome = fields)),
  noteCallback: (callback) => Effect.sync(() => void (record.callback = callback)),
  optOut: Effect.sync(() => void (record.opted_out = true)),
})
