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

/** Real milliseconds. The caller waits on the line: after this, the second model is asked. */
const firstWordMs = 4_000
const silentStreamMs = 6_000
const againAfter = "2 seconds"
/** Longer replies are not listened to on the phone. */
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

/** The second model answers when the first has failed before anything of it could be heard. */
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
    // Words that arrive before it is interrupted are few, so the queue is unbounded.
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
  // Without a second model, a silent first one has all the time that the conductor allows.
  if (hasSecond) yield* Effect.forkScoped(silence.watch)
  const { stream } = yield* Effect.tryPromise({
    try: () => opened.doStream(requestFor(turn, silence.signal)),
    catch: (error) => error,
  }).pipe(
    // If there is a second model, it is asked at once instead.
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
    // The runner of a tool checks the arguments.
    tools: toolsOf(kit),
    toolChoice: { type: turn.must_speak ? "none" : "auto" },
    temperature: kit.agent.temperature,
    maxOutputTokens: mostTokens,
    abortSignal,
  }
}

const systemOf = ({ briefing, history, wrap_up }: TurnInput): string =>
  [briefing.prompt.text, instructionsIn(history), wrap_up ? wrapUp : null].filter((part) => part !== null).join("\n\n")

/** Plain code for each chunk: an effect is worth its cost for a sentence, not for a word. */
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

/** A kit serves a batch of calls, and each of their turns. */
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

/** The provider's package knows which of its errors pass. */
const isPassing = (error: unknown): boolean => Predicate.hasProperty(error, "isRetryable") && error.isRetryable === true

/** Only the message of a provider's error: its request contains spoken words, its headers the key. */
const failure = (error: unknown) =>
  new BrainFailed({
    reason:
      Predicate.hasProperty(error, "message") && typeof error.message === "string" ? error.message : String(error),
  })
