/** Which brain reads the result of a call, and that each provider's answer is understood. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import type { Reading } from "../../../src/brain/outcome/OutcomeQuestion.ts"
import { OutcomeReader, type OutcomeSource, OutcomeUnread } from "../../../src/brain/outcome/OutcomeReader.ts"
import type { Model } from "../../../src/domain/Agent.ts"
import { longestTick, mostMs } from "../../support/LongestTick.ts"
import { type Answer, modelServer } from "../../support/ModelServer.ts"

const source = (change: Partial<OutcomeSource> = {}): OutcomeSource => ({
  schema: {
    type: "object",
    properties: {
      suits: { type: "boolean" },
      day: { type: "string", format: "date" },
      wishes: { type: "string" },
      size: { enum: ["small", "large"] },
    },
    required: ["suits", "wishes"],
  },
  said: [
    { entry: 0, role: "agent", text: "Does Friday suit you?" },
    { entry: 1, role: "caller", text: "No, the 14th of March would." },
    { entry: 3, role: "agent", text: "Any wishes?" },
    { entry: 4, role: "caller", text: "A window seat, please." },
  ],
  model: { provider: "scripted", id: "scripted" },
  prompts: ["You are Rosa.\nAsk: Any wishes?\nRecord: wishes"],
  at: new Date("2026-11-27T10:00:00Z"),
  time_zone: "Europe/Berlin",
  ...change,
})

const read = (change: Partial<OutcomeSource>, env: Record<string, string> = {}) =>
  OutcomeReader.use((reader) => reader.read(source(change))).pipe(
    Effect.provide(OutcomeReader.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))))),
    Effect.map(({ cost, result }) => ({ cost, result: result instanceof OutcomeUnread ? result.reason : [...result] })),
  )

const byRules: Array<[string, Reading]> = [
  ["suits", { value: false, entry: 1 }],
  ["day", { value: "2027-03-14", entry: 1 }],
  ["wishes", { value: "A window seat, please.", entry: 4 }],
]

describe("the result of a call", () => {
  it.effect(
    "is read by rules for the scripted brain: free text only as the answer to the question that asks for it",
    () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* read({}), { cost: 0, result: byRules })
        const without = yield* read({ prompts: [] })
        assert.deepStrictEqual(without.result, byRules.slice(0, 2))
      }),
  )
  it.live("holds the event loop for no longer than any input may, however many fields and utterances there are", () =>
    Effect.gen(function* () {
      const properties = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`day${at}`, { format: "date" }]))
      const said = Array.from({ length: 4_000 }, (_, entry) => ({ entry, role: "caller", text: "I'd look." }) as const)
      const reading = read({ schema: { type: "object", properties }, said })
      assert.isBelow(yield* Effect.promise(() => longestTick(() => Effect.runPromise(reading))), mostMs)
    }),
  )
  it.effect("is read by rules in development and not at all in production if the provider has no key", () =>
    Effect.gen(function* () {
      const model: Model = { provider: "anthropic", id: "claude" }
      assert.deepStrictEqual((yield* read({ model })).result, byRules)
      assert.deepStrictEqual(yield* read({ model }, { PARLEY_ENV: "production" }), { cost: 0, result: "no_model" })
    }),
  )

  const answering = Effect.fnUntraced(function* (provider: string, script: ReadonlyArray<Answer>) {
    const { asked, url } = yield* modelServer(script)
    const env = {
      OPENAI_COMPATIBLE_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: "sk-1",
      OPENAI_BASE_URL: `${url}/v1`,
      ANTHROPIC_API_KEY: "sk-2",
      ANTHROPIC_BASE_URL: `${url}/v1`,
      GOOGLE_GENERATIVE_AI_API_KEY: "sk-3",
      GOOGLE_GENERATIVE_AI_BASE_URL: `${url}/v1beta`,
      PARLEY_MODEL_PRICES: JSON.stringify({ [`${provider}/m`]: { input: 1_000_000, output: 0 } }),
    }
    return { asked, ...(yield* read({ model: { provider, id: "m" } }, env)) }
  })
  const says = JSON.stringify({ suits: { value: false, turn: 1 }, day: "not said", wishes: null, size: "not said" })

  for (const provider of ["openai", "anthropic", "google", "openai-compatible"]) {
    it.live(`is understood from ${provider}, also when it is asked twice, and both answers cost`, () =>
      Effect.gen(function* () {
        const once = yield* answering(provider, [{ says }])
        assert.deepStrictEqual(once.result, [["suits", { value: false, entry: 1 }]])
        assert.strictEqual(once.cost, 120)
        const twice = yield* answering(provider, [{ says: says.replace('"turn":1', '"turn":2') }, { says }])
        assert.deepStrictEqual(twice.result, once.result)
        assert.deepStrictEqual([twice.cost, twice.asked.length], [240, 2])
      }),
    )
  }
  it.live("is not read from a model that fails, or that does not speak in the asked form", () =>
    Effect.gen(function* () {
      const failed = yield* answering("openai-compatible", [{ status: 500 }])
      assert.strictEqual(failed.result, "model_failed")
      const silent = yield* answering("openai-compatible", [{ says: "" }])
      assert.deepStrictEqual([silent.result, silent.asked.length], ["answer_unusable", 2])
    }),
  )
})
