/**
 * A brain that is a language model: its words are spoken while it still generates, and the conductor runs the tools
 * that it asks for.
 */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider"
import { Effect, Option, Predicate, Queue, Schedule, Stream } from "effect"
import type { AgentKit } from "../../catalog/AgentKit.ts"
import type { Model } from "../../domain/Agent.ts"
import type { Tokens } from "../../domain/ModelPrice.ts"
import { BrainFailed, type TurnInput, type Word } from "../Brain.ts"
import { instructionsIn, messagesOf } from "./Dialogue.ts"
import { type Models, nameOf } from "./Models.ts"
import { ReplyWords } from "./ReplyWords.ts"
import * as SilenceLimit from "./SilenceLimit.ts"

/**
 * The longest wait for the first sign of a model, in real milliseconds. The caller waits on the line, so the second
 * model is asked after that.
 */
const firstWordMs = 4_000
const silentStreamMs = 6_000
const againAfter = "2 seconds"
/** The most tokens of a reply. Callers do not listen to a longer one on the phone. */
const mostTokens = 1_000

const wrapUp = "The call has less than twenty seconds left: say what is most important, and goodbye, in one sentence."

export const reply = (models: Models["Service"], turn: TurnInput): Stream.Stream<Word, BrainFailed> => {
  const { kit, prompt } = turn.briefing
  if (turn.history.length === 0 && prompt.first_message !== "") {
    return Stream.succeed({ _tag: "Say", text: prompt.first_message })
  }
  const fallback = Option.filter(models.fallback, (second) => nameOf(second) !== nameOf(kit.agent.model))
  const second = Option.map(fallback, (second) => answer(models, second, turn, false))
  const isSecond = Option.exists(fallback, (second) => nameOf(second) === turn.model)
  // The model that made the previous step continues.
  return isSecond
    ? Option.getOrElse(second, () => Stream.empty)
    : withSecond(answer(models, kit.agent.model, turn, Option.isSome(second)), second, kit.agent.model)
}

/** The second model answers if the first one fails before any of its words can be heard. */
const withSecond = (
  first: Stream.Stream<Word, BrainFailed>,
  second: Option.Option<Stream.Stream<Word, BrainFailed>>,
  model: Model,
) => {
  if (Option.isNone(second)) return first
  return Stream.suspend(() => {
    let isBegun = false
    return first.pipe(
      // A first token cannot be heard yet.
      Stream.tap(({ _tag }) => Effect.sync(() => void (isBegun ||= _tag !== "FirstToken"))),
      Stream.catchTag("BrainFailed", (failed) =>
        isBegun
          ? Stream.fail(failed)
          : Stream.unwrap(
              Effect.logWarning("model gave no answer; asking the fallback model").pipe(
                Effect.annotateLogs({ provider: model.provider, model: model.id, why: failed.reason }),
                Effect.as(second.value),
              ),
            ),
      ),
    )
  })
}

const answer = (models: Models["Service"], model: Model, turn: TurnInput, hasSecond: boolean) =>
  Option.match(models.find(model), {
    onNone: () => Stream.fail(new BrainFailed({ reason: `there is no key for the provider ${model.provider}` })),
    // Few words can arrive before the model is interrupted, so the queue is unbounded.
    onSome: (open) =>
      Stream.callback<Word, BrainFailed>((words) =>
        Effect.gen(function* () {
          yield* streamReply(yield* open, models, model, turn, hasSecond, (word) => Queue.offerUnsafe(words, word))
          Queue.endUnsafe(words)
        }),
      ),
  })

const streamReply = Effect.fnUntraced(function* (
  opened: LanguageModelV4,
  models: Models["Service"],
  model: Model,
  turn: TurnInput,
  hasSecond: boolean,
  tell: (word: Word) => void,
) {
  const silence = yield* SilenceLimit.make(firstWordMs)
  // Without a second model, only the conductor limits how long the stream may take to open.
  if (hasSecond) yield* Effect.forkScoped(silence.watch)
  const { stream } = yield* Effect.tryPromise({
    try: () => opened.doStream(requestFor(turn, silence.signal)),
    catch: (error) => error,
  }).pipe(
    // With a second model there is no retry: it is asked at once.
    Effect.retry({ times: hasSecond ? 0 : 1, schedule: Schedule.spaced(againAfter), while: isPassing }),
    Effect.mapError(failure),
  )
  silence.noteSign(firstWordMs)
  if (!hasSecond) yield* Effect.forkScoped(silence.watch)
  const usageOf = (tokens: Tokens) => ({ model: nameOf(model), ...tokens, cost: models.cost(model, tokens) })
  const words = new ReplyWords(!turn.must_speak, usageOf, tell)
  yield* readStream(stream, (part) => {
    if (signs.has(part.type)) silence.noteSign(silentStreamMs)
    words.take(part)
  })
  words.end()
})

/** Parts that show that the model is at work. */
const signs: ReadonlySet<LanguageModelV4StreamPart["type"]> = new Set([
  "reasoning-delta",
  "tool-input-delta",
  "text-delta",
  "tool-call",
])

const requestFor = (turn: TurnInput, abortSignal: AbortSignal): LanguageModelV4CallOptions => {
  const { kit } = turn.briefing
  return {
    prompt: [{ role: "system", content: systemOf(turn) }, ...messagesOf(turn.history)],
    // The arguments are checked when the tool is run.
    tools: toolsOf(kit),
    toolChoice: { type: turn.must_speak ? "none" : "auto" },
    temperature: kit.agent.temperature,
    maxOutputTokens: mostTokens,
    abortSignal,
  }
}

const systemOf = ({ briefing, history, wrap_up }: TurnInput): string =>
  [briefing.prompt.text, instructionsIn(history), wrap_up ? wrapUp : null].filter((part) => part !== null).join("\n\n")

/** Reads each chunk in plain code: an effect is worth its cost for a sentence, not for a word. */
const readStream = (
  stream: ReadableStream<LanguageModelV4StreamPart>,
  take: (part: LanguageModelV4StreamPart) => void,
) =>
  Effect.callback<void, BrainFailed>((resume) => {
    const reader = stream.getReader()
    const fail = (error: unknown) => resume(failure(error))
    const next = (): void =>
      void reader
        .read()
        .then(({ done, value }) => {
          if (done) return resume(Effect.void)
          if (value.type === "error") return fail(value.error)
          take(value)
          next()
        })
        .catch(fail)
    next()
  })

/** The tools of each kit. They are built once, because a kit serves a batch of calls and every turn of them. */
const made = new WeakMap<AgentKit, Array<LanguageModelV4FunctionTool>>()

const toolsOf = (kit: AgentKit): Array<LanguageModelV4FunctionTool> => {
  const before = made.get(kit)
  if (before !== undefined) return before
  const tools = kit.tools.map(({ description, name, schema: inputSchema }): LanguageModelV4FunctionTool => ({
    type: "function",
    name,
    description,
    inputSchema,
  }))
  made.set(kit, tools)
  return tools
}

/** Whether the error is temporary, as the provider's package marks it. */
const isPassing = (error: unknown): boolean => Predicate.hasProperty(error, "isRetryable") && error.isRetryable === true

/**
 * Takes only the message of a provider's error: the error also has the request with spoken words, and headers with the
 * key.
 */
export const failure = (error: unknown) =>
  new BrainFailed({
    reason:
      Predicate.hasProperty(error, "message") && typeof error.message === "string" ? error.message : String(error),
  })
