/**
 * A brain that needs no model and no key: it answers from the agent's FAQs, follows the cues of its playbooks, and
 * calls the agent's tools for real, by rules. What it cannot do, it says so.
 */
import { DateTime, Effect } from "effect"
import { isObject, textIn } from "../../JsonValue.ts"
import type { Reply, TurnInput } from "../Brain.ts"
import { type Cue, cuesOf } from "./Cues.ts"
import { findings } from "./Findings.ts"
import * as Wishes from "./Wishes.ts"

const goodbye = "Thank you for your time. Goodbye."
const anythingElse = "Is there anything else I can help you with?"

export const reply = Effect.fn("ScriptedBrain.reply")(function* (turn: TurnInput): Effect.fn.Return<Reply> {
  const { briefing, history } = turn
  const cues = cuesOf(briefing.prompt.parts)
  const heard = history.findLast(({ role }) => role === "caller")?.text ?? ""
  const spoken = history.filter(({ role }) => role === "agent").map(({ text }) => text)
  if (heard === "") return { text: briefing.prompt.first_message || "Hello. How can I help you?", ends: false }
  if (spoken.length === 0 && briefing.prompt.first_message !== "") {
    return { text: briefing.prompt.first_message, ends: false }
  }
  const answer = yield* wish(turn, heard)
  if (answer !== undefined)
    return answer.ends ? answer : { ...answer, text: `${answer.text} ${next(cues, spoken) ?? ""}`.trim() }
  const cue = next(cues, spoken)
  if (cue === undefined || Wishes.isFarewell(heard)) return yield* close(turn, cues)
  return { text: cue, ends: false }
})

/** What the caller asked for, done. Undefined: nothing that is a wish. */
const wish = Effect.fnUntraced(function* (turn: TurnInput, heard: string): Effect.fn.Return<Reply | undefined> {
  if (Wishes.wantsPerson(heard)) return yield* transfer(turn, heard)
  if (Wishes.wantsCallback(heard)) return yield* callBack(turn, heard)
  if (Wishes.asksTime(heard)) return yield* tellTime(turn)
  if (Wishes.isQuestion(heard)) return yield* lookUp(turn, heard)
  return undefined
})

/** The sayings up to and with the next question; then, once, whether there is anything else; then nothing. */
const next = (cues: ReadonlyArray<Cue>, spoken: ReadonlyArray<string>): string | undefined => {
  const left = cues.filter(({ text }) => !spoken.some((said) => said.includes(text)))
  const upTo = left.findIndex(({ kind }) => kind === "ask")
  const due = left.slice(0, upTo < 0 ? left.length : upTo + 1).map(({ text }) => text)
  if (upTo < 0 && !spoken.some((said) => said.includes(anythingElse))) due.push(anythingElse)
  return due.length === 0 ? undefined : due.join(" ")
}

const has = ({ briefing }: TurnInput, tool: string) => briefing.kit.tools.some(({ name }) => name === tool)

const close = Effect.fnUntraced(function* (turn: TurnInput, cues: ReadonlyArray<Cue>): Effect.fn.Return<Reply> {
  const { briefing, history, invoke } = turn
  const recorded = history.some(({ role, tool_name }) => role === "tool" && tool_name === "record_outcome")
  if (has(turn, "record_outcome") && !recorded) {
    const fields = findings(cues, history, briefing.kit.agent.outcome_schema, yield* today(turn))
    if (Object.keys(fields).length > 0) yield* invoke("record_outcome", { outcome: fields })
  }
  if (has(turn, "end_call")) yield* invoke("end_call", { reason: "the conversation is over" })
  return { text: goodbye, ends: true }
})

const transfer = Effect.fnUntraced(function* (turn: TurnInput, heard: string): Effect.fn.Return<Reply> {
  const done = has(turn, "transfer_call")
    ? yield* turn.invoke("transfer_call", { reason: heard.slice(0, 500) })
    : undefined
  return done?.error === undefined && done !== undefined
    ? { text: "Of course. I will put you through now.", ends: true }
    : { text: "I am sorry, nobody is free to take your call right now.", ends: false }
})

const callBack = Effect.fnUntraced(function* (turn: TurnInput, heard: string): Effect.fn.Return<Reply> {
  if (!has(turn, "schedule_callback")) return { text: "I will let my colleagues know.", ends: false }
  const now = yield* today(turn)
  const date = Wishes.dateOf(heard, now) ?? DateTime.formatIsoDate(DateTime.add(now, { days: 1 }))
  const at = offsetOf(`${date}T${Wishes.timeOf(heard) ?? "10:00"}:00`, turn.briefing.time_zone)
  const done = yield* turn.invoke("schedule_callback", { at })
  return done.error === undefined
    ? { text: "Certainly, I have noted that we call you back.", ends: false }
    : { text: "I am sorry, I could not note that time.", ends: false }
})

/** The local time with its zone's offset, as RFC 3339 wants it. */
const offsetOf = (local: string, timeZone: string): string =>
  DateTime.formatIsoOffset(DateTime.makeZonedUnsafe(`${local}Z`, { timeZone, adjustForTimeZone: true }))

const tellTime = Effect.fnUntraced(function* (turn: TurnInput): Effect.fn.Return<Reply> {
  const done = has(turn, "get_current_time") ? yield* turn.invoke("get_current_time", {}) : undefined
  const spoken = textIn(done?.result, "spoken")
  return { text: spoken === undefined ? "I am sorry, I have no clock here." : `It is ${spoken}.`, ends: false }
})

const lookUp = Effect.fnUntraced(function* (turn: TurnInput, question: string): Effect.fn.Return<Reply> {
  const done = has(turn, "lookup_faq")
    ? yield* turn.invoke("lookup_faq", { question: question.slice(0, 1_000) })
    : undefined
  const answers = isObject(done?.result) ? done.result["answers"] : undefined
  const [best] = Array.isArray(answers) ? answers : []
  const answer = textIn(best, "answer")
  return { text: answer ?? "I am sorry, I do not know that. A colleague will get back to you about it.", ends: false }
})

const today = ({ briefing }: TurnInput) =>
  Effect.map(DateTime.now, (now) => DateTime.setZoneNamedUnsafe(now, briefing.time_zone))
