/**
 * Reads the fields of an agent's `outcome_schema` from the transcript of an ended call: by the agent's model, or by rules
 * where the scripted brain answers. Every value fits the schema and names the turn that it was read from.
 */
import type { LanguageModelV4, LanguageModelV4Message } from "@ai-sdk/provider"
import { Context, Data, Effect, Layer, Option, type Schema } from "effect"
import * as JsonSchema from "../../catalog/JsonSchema.ts"
import type { Model } from "../../domain/Agent.ts"
import type { ExtractionFailure } from "../../domain/Extraction.ts"
import type { Tokens } from "../../domain/ModelPrice.ts"
import * as Offload from "../../offload/Offload.ts"
import { Environment } from "../../tenancy/Environment.ts"
import { BrainFailed } from "../Brain.ts"
import { failure } from "../model/ModelBrain.ts"
import { Models } from "../model/Models.ts"
import { tokensOf } from "../model/ReplyWords.ts"
import {
  followUpOf,
  fieldsOf,
  questionOf,
  type Readings,
  readAnswer,
  type Said,
  valuesOf,
  withoutFaulty,
  withoutPresence,
} from "./OutcomeQuestion.ts"
import * as OutcomeRules from "./OutcomeRules.ts"

/** The longest wait for one answer. No caller waits for it on a line. */
const answerLimit = "45 seconds"
/** The most tokens of an answer, with those of a model's reasoning. */
const mostTokens = 8_000
/** A model that writes more characters than this is stopped. */
const mostCharacters = 100_000

export interface OutcomeSource {
  readonly schema: Schema.JsonObject
  readonly said: ReadonlyArray<Said>
  /** The agent's model. */
  readonly model: Model
  /** The agent's prompt and its playbooks as they were written, for the cues of the scripted brain. */
  readonly prompts: ReadonlyArray<string>
  /** When the call began, and the time zone of the days that its speakers name. */
  readonly at: Date
  readonly time_zone: string
}

/** Why nothing was read. */
export class OutcomeUnread extends Data.TaggedError("OutcomeUnread")<{
  readonly reason: ExtractionFailure
  /** Whether a later retry may succeed. */
  readonly isTransient: boolean
  /** For the log: it may name settings of the installation. */
  readonly detail: string
}> {}

export interface OutcomeReading {
  readonly result: Readings["found"] | OutcomeUnread
  /** The cost of the model in US dollars, also if nothing was read. */
  readonly cost: number
}

export class OutcomeReader extends Context.Service<
  OutcomeReader,
  { readonly read: (source: OutcomeSource) => Effect.Effect<OutcomeReading> }
>()("brain/outcome/OutcomeReader") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const models = yield* Models
      const environment = yield* Environment

      const read = Effect.fnUntraced(function* (source: OutcomeSource, spend: (cost: number) => void) {
        const model = models.inText(source.model)
        const opening = model.provider === "scripted" ? Option.none() : models.find(model)
        if (Option.isSome(opening)) {
          const opened = yield* opening.value
          const ask = (prompt: Array<LanguageModelV4Message>) =>
            Effect.tap(answerOf(opened, prompt), ({ tokens }) => Effect.sync(() => spend(models.cost(model, tokens))))
          return yield* readByModel(ask, source)
        }
        if (model.provider === "scripted" || environment === "development") return yield* readByRules(source)
        const detail = `there is no key for the provider ${model.provider}`
        return yield* new OutcomeUnread({ reason: "no_model", isTransient: false, detail })
      })

      return {
        read: Effect.fn("OutcomeReader.read")(function* (source) {
          let cost = 0
          const result = yield* read(source, (spent) => void (cost += spent)).pipe(
            Effect.catchTags({
              OutcomeUnread: (failed) => Effect.succeed(failed),
              BrainFailed: ({ reason: detail }) =>
                Effect.succeed(new OutcomeUnread({ reason: "model_failed", isTransient: true, detail })),
              TooCostly: ({ message: detail }) =>
                Effect.succeed(new OutcomeUnread({ reason: "too_costly", isTransient: false, detail })),
              Crowded: ({ message: detail }) =>
                Effect.succeed(new OutcomeUnread({ reason: "too_costly", isTransient: true, detail })),
            }),
          )
          return { result, cost }
        }),
      }
    }),
  ).pipe(Layer.provide(Models.layer))
}

const readByRules = Effect.fnUntraced(function* ({ at, prompts, said, schema, time_zone }: OutcomeSource) {
  const read = yield* Effect.catchTag(
    Offload.inWorker(OutcomeRules.reading, { at, prompts, said, schema, time_zone }),
    "Overrun",
    ({ limit }) =>
      new OutcomeUnread({
        reason: "too_costly",
        isTransient: false,
        detail: `the rules exceeded the limit of ${limit}`,
      }),
  )
  const { found } = yield* keepValid(schema, { found: new Map(read), faults: [] })
  return found
})

type Ask = (
  prompt: Array<LanguageModelV4Message>,
) => Effect.Effect<{ readonly text: string; readonly tokens: Tokens }, BrainFailed>

/**
 * Asks the model, and a second time if a value of its answer cannot be used. A value of the second answer that cannot
 * be used counts as not said.
 */
const readByModel = Effect.fnUntraced(function* (ask: Ask, source: OutcomeSource) {
  const question = questionOf(source)
  const { text } = yield* ask(question)
  const first = yield* readValid(text, source)
  if (first.faults.length === 0) return first.found
  const again = yield* ask(followUpOf(question, text, first.faults))
  const second = yield* readValid(again.text, source)
  const { faults, found } = isUsable(second) ? second : first
  if (isUsable({ faults, found })) return found
  return yield* new OutcomeUnread({
    reason: "answer_unusable",
    isTransient: false,
    detail: `${faults.length} faults in its answer`,
  })
})

const isUsable = ({ faults, found }: Readings) => found.size > 0 || faults.length === 0

const readValid = Effect.fnUntraced(function* (text: string, { said, schema }: OutcomeSource) {
  const readings = readAnswer(text, fieldsOf(schema), said)
  return readings === undefined ? noObject : yield* keepValid(schema, readings)
})

const noObject: Readings = { found: new Map(), faults: ["The answer must be one JSON object."] }

/**
 * Removes the values that do not fit the schema. The validator reports a limited number of faults, so the remaining
 * values are checked again.
 */
const keepValid = Effect.fnUntraced(function* (schema: Schema.JsonObject, readings: Readings) {
  const ofValues = withoutPresence(schema)
  let left = readings
  while (left.found.size > 0) {
    const issues = yield* JsonSchema.faultsOf(ofValues, valuesOf(left.found))
    if (issues.length === 0) break
    left = withoutFaulty(left, issues)
  }
  return left
})

/** One answer of the model, from its first word to its last. */
const answerOf = (opened: LanguageModelV4, prompt: Array<LanguageModelV4Message>) =>
  Effect.tryPromise({
    try: async (abortSignal) => {
      const { stream } = await opened.doStream({ prompt, temperature: 0, maxOutputTokens: mostTokens, abortSignal })
      let text = ""
      let tokens: Tokens = { tokens_in: 0, tokens_out: 0 }
      for await (const part of stream) {
        if (part.type === "error") throw part.error
        if (part.type === "text-delta") text += part.delta
        if (part.type === "finish") tokens = tokensOf(part.usage)
        if (text.length > mostCharacters) break
      }
      return { text, tokens }
    },
    catch: failure,
  }).pipe(
    Effect.timeoutOrElse({
      duration: answerLimit,
      orElse: () => new BrainFailed({ reason: `it did not answer within ${answerLimit}` }),
    }),
  )
