/** One turn of an agent in text, without a line: the brain's steps and the tools between them. */
import { Effect, type Schema, Stream } from "effect"
import type { ToolInvocation } from "../domain/Call.ts"
import { languageOf } from "../languages/Languages.ts"
import { wantsNoCalls } from "../languages/OptOut.ts"
import { Brain, BrainFailed, type Briefing, type Message, type ToolCall, type Word } from "./Brain.ts"
import * as ToolPolicy from "./ToolPolicy.ts"

/** Real seconds, tools included; a caller would not wait longer on a silent line. */
const longest = "20 seconds"

export interface Turn {
  readonly briefing: Briefing
  readonly history: ReadonlyArray<Message>
  /** Runs a tool. A failure is a result too. */
  readonly invoke: (tool_name: string, args: Schema.JsonObject) => Effect.Effect<ToolInvocation>
}

/** Returns the agent's words. Code detects a wish not to be called, independently of the brain. */
export const take = Effect.fn("Turn.take")(
  function* ({ briefing, history, invoke }: Turn): Effect.fn.Return<string, BrainFailed, Brain> {
    const { optedOut, sayAgain } = languageOf(briefing.kit.agent.language).sentences
    const last = history.at(-1)
    if (last?.role === "caller" && wantsNoCalls(last.text)) {
      const tool = briefing.kit.tools.find(({ is_default, name }) => is_default && name === "add_to_do_not_call")
      if (tool !== undefined) yield* invoke(tool.name, {})
      return optedOut
    }
    const brain = yield* Brain
    const done: Array<Message> = []
    const texts: Array<string> = []
    let asked = ToolPolicy.none
    let model: string | null = null
    for (let step = 1; step <= ToolPolicy.mostSteps; step++) {
      const must_speak = step === ToolPolicy.mostSteps
      const turn = { briefing, history: [...history, ...done], must_speak, model, wrap_up: false }
      const words: ReadonlyArray<Word> = yield* Stream.runCollect(brain.reply(turn))
      const calls: Array<ToolCall & { readonly answer: ToolPolicy.Answer | null }> = []
      for (const word of words) {
        if (word._tag === "Usage") model = word.usage.model
        if (word._tag === "Say") {
          texts.push(word.text)
          done.push({ role: "agent", text: word.text })
        }
        if (word._tag === "ToolCall" && !must_speak && calls.length < ToolPolicy.mostCallsAStep) {
          calls.push({ ...word.call, answer: ToolPolicy.refusal(asked, word.call) })
          asked = ToolPolicy.count(asked, word.call)
        }
      }
      if (calls.length === 0) break
      const results = yield* Effect.forEach(
        calls,
        Effect.fnUntraced(function* ({ answer, ...call }, at: number) {
          const args = ToolPolicy.argumentsOf(call)
          const text = ToolPolicy.textOf(answer ?? (yield* invoke(call.name, args)))
          const of = { tool_name: call.name, arguments: args, call: `call_${step}_${at}` }
          const message: Message = {
            role: "tool",
            text,
            ...of,
            ...(call.meta === undefined ? {} : { meta: call.meta }),
          }
          return message
        }),
        { concurrency: "unbounded" },
      )
      done.push(...results)
    }
    const isSilent = texts.length === 0 && !done.some(({ tool_name = "" }) => leaves.has(tool_name))
    return isSilent ? sayAgain : texts.join(" ")
  },
  Effect.timeoutOrElse({
    duration: longest,
    orElse: () => new BrainFailed({ reason: `no answer within ${longest}` }),
  }),
  Effect.catchDefect((defect) =>
    Effect.andThen(Effect.logError("brain failed by a defect", defect), new BrainFailed({ reason: "a defect" })),
  ),
)

/** Tools after which the agent need not say anything. */
const leaves = new Set(["end_call", "transfer_call"])
