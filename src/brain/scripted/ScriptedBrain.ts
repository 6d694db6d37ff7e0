/**
 * A brain that follows rules and needs no model and no key. It answers from the agent's FAQs, follows the cues of its
 * playbooks, and really calls the agent's tools. It tells the caller what it cannot do.
 */
import { DateTime, Effect, type Schema, Stream } from "effect"
import { schemaWith } from "../../domain/DispositionField.ts"
import { isObject, textIn } from "../../domain/JsonValue.ts"
import * as Offload from "../../offload/Offload.ts"
import type { BrainFailed, Message, TurnInput, Word } from "../Brain.ts"
import { type Cue, cuesOf } from "./Cues.ts"
import { finding } from "./Findings.ts"
import * as Wishes from "./Wishes.ts"

const goodbye = "Thank you for your time. Goodbye."
const anythingElse = "Is there anything else I can help you with?"

/** One step: it first asks for tools, and speaks when it has their results. */
type Step = ReadonlyArray<Word>

export const reply = (input: TurnInput): Stream.Stream<Word, BrainFailed> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const turn = { ...input, now: yield* DateTime.now }
      const cues = cuesOf(turn.briefing.prompt.parts)
      return Stream.fromIterable(stepOf(turn, cues) ?? (yield* close(turn, cues)))
    }),
  )

interface Turn extends TurnInput {
  readonly now: DateTime.Utc
}

/** Undefined if the conversation is over. */
const stepOf = (turn: Turn, cues: ReadonlyArray<Cue>): Step | undefined => {
  const { briefing, history } = turn
  const heard = history.findLast(({ role }) => role === "caller")?.text ?? ""
  const spoken = history.filter(({ role }) => role === "agent").map(({ text }) => text)
  if (heard === "") return say(briefing.prompt.first_message || "Hello. How can I help you?")
  if (spoken.length === 0 && briefing.prompt.first_message !== "") return say(briefing.prompt.first_message)
  const answer = wish(turn, heard)
  if (answer !== undefined) {
    if (typeof answer !== "string") return answer
    return say(`${answer} ${next(cues, spoken) ?? ""}`.trim())
  }
  const cue = next(cues, spoken)
  return cue === undefined || Wishes.isFarewell(heard) ? undefined : say(cue)
}

const say = (text: string): Step => [{ _tag: "Say", text }]
const ask = (name: string, args: Schema.JsonObject): Step => [{ _tag: "ToolCall", call: { name, arguments: args } }]

/** The reply to the caller's wish, or a step towards it. Undefined if the words contain no wish. */
const wish = (turn: Turn, heard: string): string | Step | undefined => {
  if (Wishes.wantsPerson(heard)) return transfer(turn, heard)
  if (Wishes.wantsCallback(heard)) return callBack(turn, heard)
  if (Wishes.asksTime(heard)) return tellTime(turn)
  if (Wishes.isQuestion(heard)) return lookUp(turn, heard)
  return undefined
}

/**
 * The cues that are due, up to and including the next question. With no question left, they end, once, with the
 * question whether there is anything else. Undefined when all of that was said.
 */
const next = (cues: ReadonlyArray<Cue>, spoken: ReadonlyArray<string>): string | undefined => {
  const left = cues.filter(({ text }) => !spoken.some((said) => said.includes(text)))
  const upTo = left.findIndex(({ kind }) => kind === "ask")
  const due = left.slice(0, upTo < 0 ? left.length : upTo + 1).map(({ text }) => text)
  if (upTo < 0 && !spoken.some((said) => said.includes(anythingElse))) due.push(anythingElse)
  return due.length === 0 ? undefined : due.join(" ")
}

const has = ({ briefing }: Turn, tool: string) => briefing.kit.tools.some(({ name }) => name === tool)

/** The result of a tool that was asked for in this reply; undefined if it was not. */
const resultOf = ({ history }: Turn, tool: string): { readonly result?: Schema.Json } | undefined => {
  const since = history.findLastIndex(({ role }) => role === "caller")
  const done = history.slice(since + 1).find(({ role, tool_name }) => role === "tool" && tool_name === tool)
  return done === undefined ? undefined : read(done)
}

/** A tool message's text is the result as JSON, or an object with `error`. */
const read = ({ text }: Message): { readonly result?: Schema.Json } => {
  const result: Schema.Json = JSON.parse(text)
  return isObject(result) && isObject(result["error"]) ? {} : { result }
}

const close = Effect.fnUntraced(function* (turn: Turn, cues: ReadonlyArray<Cue>) {
  const recorded = turn.history.some(({ role, tool_name }) => role === "tool" && tool_name === "record_outcome")
  const steps: Array<Word> = []
  if (has(turn, "record_outcome") && !recorded) {
    const fields = yield* findingsOf(turn, cues)
    if (Object.keys(fields).length > 0) steps.push(...ask("record_outcome", { outcome: fields }))
  }
  if (has(turn, "end_call") && resultOf(turn, "end_call") === undefined) {
    steps.push(...ask("end_call", { reason: "the conversation is over" }))
  }
  return steps.length > 0 ? steps : ([...say(goodbye), { _tag: "Farewell" }] satisfies Step)
})

/** Empty if the search exceeds its budget: the result is then read from the transcript after the call. */
const findingsOf = ({ briefing, history, now }: Turn, cues: ReadonlyArray<Cue>) => {
  const spoken = history.flatMap(({ role, text }) => (role === "agent" || role === "caller" ? [{ role, text }] : []))
  const { kit, time_zone } = briefing
  const schema = schemaWith(kit.agent.outcome_schema, kit.agent.dispositions)
  const heard = { cues, history: spoken, schema, now: DateTime.formatIso(now), time_zone }
  return Effect.orElseSucceed(Offload.run(finding, heard), (): Schema.JsonObject => ({}))
}

const transfer = (turn: Turn, heard: string): string | Step => {
  const done = resultOf(turn, "transfer_call")
  if (has(turn, "transfer_call") && done === undefined) return ask("transfer_call", { reason: heard.slice(0, 500) })
  return done?.result === undefined
    ? "I am sorry, nobody is free to take your call right now."
    : say("Of course. I will put you through now.")
}

const callBack = (turn: Turn, heard: string): string | Step => {
  if (!has(turn, "schedule_callback")) return "I will let my colleagues know."
  const done = resultOf(turn, "schedule_callback")
  if (done === undefined) {
    const now = today(turn)
    const date = Wishes.dateOf(heard, now) ?? DateTime.formatIsoDate(DateTime.add(now, { days: 1 }))
    // Without an offset: it is the caller's local time.
    return ask("schedule_callback", { at: `${date}T${Wishes.timeOf(heard) ?? "10:00"}:00` })
  }
  if (done.result === undefined) return "I am sorry, I could not note that time."
  const local = textIn(done.result, "local_time")
  if (textIn(done.result, "status") === "moved" && local !== undefined) {
    return `I am sorry, we may not call at that time. We will call you on ${local.slice(0, 10)} at ${local.slice(11, 16)}.`
  }
  return "Certainly, I have noted that we call you back."
}

const tellTime = (turn: Turn): string | Step => {
  const done = resultOf(turn, "get_current_time")
  if (has(turn, "get_current_time") && done === undefined) return ask("get_current_time", {})
  const spoken = textIn(done?.result, "spoken")
  return spoken === undefined ? "I am sorry, I have no clock here." : `It is ${spoken}.`
}

const lookUp = (turn: Turn, question: string): string | Step => {
  const done = resultOf(turn, "lookup_faq")
  if (has(turn, "lookup_faq") && done === undefined) return ask("lookup_faq", { question: question.slice(0, 1_000) })
  const answers = isObject(done?.result) ? done.result["answers"] : undefined
  const [best] = Array.isArray(answers) ? answers : []
  return textIn(best, "answer") ?? "I am sorry, I do not know that. A colleague will get back to you about it."
}

const today = ({ briefing, now }: Turn) => DateTime.setZoneNamedUnsafe(now, briefing.time_zone)
