/** A brain that is a language model: it answers, asks for tools, reads their results and answers again, within limits. */
import type { LanguageModel, ModelMessage, ToolSet } from "ai"
import { Effect, Option, type Schema, Stream } from "effect"
import type { Model } from "../../../domain/Agent.ts"
import type { ToolInvocation } from "../../../domain/Call.ts"
import { isObject } from "../../JsonValue.ts"
import { BrainFailed, type Reply, type TurnInput } from "../Brain.ts"
import { messagesOf } from "./Dialogue.ts"
import type { Models } from "./Models.ts"
import { speakable } from "./Speakable.ts"

/** Questions to the model in one turn; in the last one it has no tools and has to speak. */
const mostSteps = 5
const mostCallsAStep = 8
/** The same tool with the same arguments is refused after this many times in a turn: the model goes round in circles. */
const mostRepeats = 2
/** Real milliseconds. Somebody waits on the line: then the second model is asked. */
const firstWordMs = 4_000
const silentStreamMs = 6_000
/** Nobody listens to more on the phone. */
const mostTokens = 1_000

const sayAgain = "I am sorry, could you say that again?"

interface Asked {
  readonly id: string
  readonly name: string
  readonly input: Schema.Json
}

interface Thought {
  readonly text: string
  readonly calls: ReadonlyArray<Asked>
  readonly tokens_in: number
  readonly tokens_out: number
}

const nothing: Thought = { text: "", calls: [], tokens_in: 0, tokens_out: 0 }

export const reply = Effect.fn("ModelBrain.reply")(function* (models: Models["Service"], turn: TurnInput) {
  const { kit, prompt } = turn.briefing
  if (turn.history.length === 0 && prompt.first_message !== "") return { text: prompt.first_message, ends: false }
  const messages: Array<ModelMessage> = [...messagesOf(turn.history)]
  const words: Array<string> = []
  const spent = { tokens_in: 0, tokens_out: 0, cost: 0 }
  const asked = new Map<string, number>()
  let model = kit.agent.model
  for (let step = 1; step <= mostSteps; step++) {
    const request: Request = {
      turn,
      messages,
      mustSpeak: step === mostSteps,
      hasSecond: Option.isSome(models.fallback),
    }
    const thinking = think(models, model, request)
    // One that asks for tools even when it has none is at its wits' end; the turn ends with what it has said.
    const { by, thought } = yield* request.mustSpeak
      ? Effect.catchTag(thinking, "BrainFailed", () => Effect.succeed({ by: model, thought: nothing }))
      : thinking
    model = by
    spent.tokens_in += thought.tokens_in
    spent.tokens_out += thought.tokens_out
    spent.cost += models.cost(by, thought)
    words.push(speakable(thought.text))
    if (thought.calls.length === 0) break
    messages.push({ role: "assistant", content: [...textOf(thought), ...thought.calls.map(callOf)] })
    const results = yield* Effect.forEach(thought.calls, (call) => answerOf(turn, asked, call), {
      concurrency: "unbounded",
    })
    messages.push({ role: "tool", content: thought.calls.map((call, at) => resultOf(call, results[at])) })
  }
  const text = words.filter((part) => part !== "").join(" ")
  const silent = text === "" && ![...asked.keys()].some((key) => leaves.test(key))
  const usage = { model: `${model.provider}/${model.id}`, ...spent }
  return { text: silent ? sayAgain : text, ends: false, usage } satisfies Reply
})

/** After these nothing has to be said. */
const leaves = /^(?:end_call|transfer_call) /u

interface Request {
  readonly turn: TurnInput
  readonly messages: ReadonlyArray<ModelMessage>
  readonly mustSpeak: boolean
  readonly hasSecond: boolean
}

/** The agent's own model, then the second one; which of them it was stays for the rest of the turn. */
const think = (models: Models["Service"], model: Model, request: Request) => {
  const ask = (by: Model) =>
    Option.match(models.find(by), {
      onNone: () => new BrainFailed({ reason: `there is no key for the provider ${by.provider}` }),
      onSome: (open) =>
        Effect.flatMap(open, (opened) => once(opened, request)).pipe(Effect.map((thought) => ({ by, thought }))),
    })
  return Effect.catchTag(ask(model), "BrainFailed", (failed) =>
    Option.match(
      Option.filter(models.fallback, ({ id, provider }) => id !== model.id || provider !== model.provider),
      {
        onNone: () => failed,
        onSome: (second) =>
          Effect.logWarning("a model gave no answer; asking the second one").pipe(
            Effect.annotateLogs({ provider: model.provider, model: model.id, why: failed.reason }),
            Effect.andThen(ask(second)),
          ),
      },
    ),
  )
}

const once = Effect.fnUntraced(function* (model: LanguageModel, { hasSecond, messages, mustSpeak, turn }: Request) {
  const { streamText } = yield* Effect.promise(() => import("ai"))
  const { kit, prompt } = turn.briefing
  const abort = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (controller) => Effect.sync(() => controller.abort()),
  )
  const { stream } = streamText({
    model,
    instructions: prompt.text,
    messages: [...messages],
    tools: yield* toolsOf(turn),
    toolChoice: mustSpeak ? "none" : "auto",
    temperature: kit.agent.temperature,
    maxOutputTokens: mostTokens,
    // With a second model at hand it is asked at once.
    maxRetries: hasSecond ? 0 : 1,
    timeout: { firstChunkMs: firstWordMs, chunkMs: silentStreamMs },
    abortSignal: abort.signal,
    onError: () => {},
  })
  const calls: Array<Asked> = []
  let text = ""
  let tokens = { tokens_in: 0, tokens_out: 0 }
  yield* Stream.fromAsyncIterable(stream, failure).pipe(
    Stream.runForEach((part): Effect.Effect<void, BrainFailed> => {
      if (part.type === "error") return failure(part.error)
      if (part.type === "abort") return new BrainFailed({ reason: part.reason ?? "it took too long" })
      if (part.type === "text-delta") text += part.text
      if (part.type === "tool-call") calls.push({ id: part.toolCallId, name: part.toolName, input: json(part.input) })
      if (part.type === "finish-step") {
        tokens = { tokens_in: part.usage.inputTokens ?? 0, tokens_out: part.usage.outputTokens ?? 0 }
      }
      return Effect.void
    }),
  )
  return { text, calls: calls.slice(0, mostCallsAStep), ...tokens } satisfies Thought
}, Effect.scoped)

/** Of a provider's error the message alone: its request holds what was said, its headers the key. */
const failure = (error: unknown) => new BrainFailed({ reason: error instanceof Error ? error.message : String(error) })

const json = (input: unknown): Schema.Json => (input === undefined ? null : JSON.parse(JSON.stringify(input)))

const toolsOf = Effect.fnUntraced(function* ({ briefing }: TurnInput) {
  const { jsonSchema, tool } = yield* Effect.promise(() => import("ai"))
  const tools: ToolSet = {}
  for (const { description, name, schema } of briefing.kit.tools) {
    // Arguments are checked where the tool is run, whoever asks for it.
    tools[name] = tool({ description, inputSchema: jsonSchema(schema) })
  }
  return tools
})

type Answer = Pick<ToolInvocation, "result" | "error">

/** Exactly one for each call, whatever was asked for. */
const answerOf = ({ invoke }: TurnInput, asked: Map<string, number>, { input, name }: Asked): Effect.Effect<Answer> => {
  const key = `${name} ${JSON.stringify(input)}`
  const before = asked.get(key) ?? 0
  asked.set(key, before + 1)
  if (before >= mostRepeats)
    return refused("repeated", "You have asked for this several times; go on with what you have")
  if (!isObject(input)) return refused("invalid_arguments", "The arguments are no JSON object")
  return invoke(name, input)
}

const refused = (code: string, message: string) => Effect.succeed<Answer>({ error: { code, message } })

const textOf = ({ text }: Thought) => (text === "" ? [] : [{ type: "text" as const, text }])
const callOf = ({ id, input, name }: Asked) => ({
  type: "tool-call" as const,
  toolCallId: id,
  toolName: name,
  input: isObject(input) ? input : {},
})
const resultOf = ({ id, name }: Asked, answer: Answer | undefined) => ({
  type: "tool-result" as const,
  toolCallId: id,
  toolName: name,
  output: { type: "text" as const, value: JSON.stringify(answer?.error === undefined ? answer?.result : answer) },
})
