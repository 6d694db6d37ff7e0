/**
 * lookup_faq with an embedding model: a server of ours that speaks the providers' protocols, with meanings of its own.
 */
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Embeddings from "../../../src/tools/builtin/Embeddings.ts"
import * as FaqMeaning from "../../../src/tools/builtin/FaqMeaning.ts"
import { lookupFaq } from "../../../src/tools/builtin/lookupFaq.ts"
import * as FaqRecall from "../../support/FaqRecall.ts"
import { outsideCalls } from "../../support/Kit.ts"
import { modelServer } from "../../support/ModelServer.ts"
import { TestServer } from "../../support/TestServer.ts"
import * as TestTenancy from "../../support/TestTenancy.ts"
import { until } from "../../support/Until.ts"

const concepts = [
  ["open", "shut", "hours"],
  ["car park", "vehicle"],
  ["pay", "settle the bill"],
]
/** A text means the concepts whose words it has. */
const meaning = (text: string) => [
  ...concepts.map((words) => (words.some((word) => text.toLowerCase().includes(word)) ? 3 : 0)),
  0.1,
]

const hours = { question: "When are you open?", answer: "From nine to five." }
const parking = { question: "Is there a car park?", answer: "Yes, behind the house." }
const paying = { question: "How can I pay?", answer: "In cash." }
const faqs = [hours, parking, paying]

const environment = (url: string, model: string) => ({
  PARLEY_EMBEDDING_MODEL: model,
  OPENAI_API_KEY: "sk-1",
  OPENAI_BASE_URL: `${url}/v1`,
  GOOGLE_GENERATIVE_AI_API_KEY: "sk-3",
  GOOGLE_GENERATIVE_AI_BASE_URL: `${url}/v1beta`,
  OPENAI_COMPATIBLE_BASE_URL: `${url}/v1`,
})

/** A look-up waits as long as a busy machine takes, unless a test passes another layer. */
const layerFor = (url: string, model: string, layer = FaqMeaning.layerWithin("1 minute")) =>
  layer.pipe(
    Layer.provide(Embeddings.layer),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(environment(url, model)))),
  )

const lookUp = (question: string, faq_ids: ReadonlyArray<string>, variables: Schema.JsonObject = {}) =>
  lookupFaq({ question }, { ...outsideCalls, variables, faq_ids, config: {} }) as Effect.Effect<{
    readonly answers: ReadonlyArray<{ readonly question: string; readonly answer: string }>
  }>

const questionsOf = ({ answers }: { readonly answers: ReadonlyArray<{ readonly question: string }> }) =>
  answers.map(({ question }) => question)

it.layer(TestTenancy.layer, { timeout: "120 seconds", excludeTestServices: true })("lookup_faq by meaning", (it) => {
  let accounts = 0
  /** In an account of its own, with a provider that gives these answers. */
  const withProvider = <A, E, R>(
    script: Parameters<typeof modelServer>[0],
    self: (server: Effect.Success<ReturnType<typeof modelServer>>) => Effect.Effect<A, E, R>,
    model = "openai/text-embedding-3-small",
    layer?: typeof FaqMeaning.layer,
  ) =>
    Effect.gen(function* () {
      const server = yield* modelServer(script)
      const entry = yield* TestTenancy.newAccount(`meaning-${++accounts}`)
      return yield* TestTenancy.within(entry)(self(server)).pipe(Effect.provide(layerFor(server.url, model, layer)))
    })

  it.effect.each([
    "openai/text-embedding-3-small",
    "google/gemini-embedding-001",
    "openai-compatible/nomic-embed-text",
  ])("%s finds what shares no word with the question", (model) =>
    withProvider(
      [{ embeds: meaning }],
      ({ asked }) =>
        Effect.gen(function* () {
          const ids = yield* FaqRecall.write(faqs)
          assert.deepStrictEqual(questionsOf(yield* lookUp("at what hour do they shut", ids)), [hours.question])
          assert.deepStrictEqual(questionsOf(yield* lookUp("any spot to put my vehicle", ids)), [parking.question])
          assert.deepStrictEqual(questionsOf(yield* lookUp("do you like music", ids)), [])
          assert.isTrue(asked.every(({ path }) => /embed/iu.test(path)))
        }),
      model,
    ),
  )

  it.effect("what is found by words and by meaning comes before what is found by one of them", () =>
    withProvider([{ embeds: (text) => (text.includes("open") ? [1, 0.2] : [1, 0]) }], () =>
      Effect.gen(function* () {
        const ids = yield* FaqRecall.write(faqs)
        const [first] = questionsOf(yield* lookUp("is the car park open", ids))
        assert.include([hours.question, parking.question], first)
        const [best] = questionsOf(yield* lookUp("so how do I pay", ids))
        assert.strictEqual(best, paying.question)
      }),
    ),
  )

  it.effect("an FAQ's embedding is requested once, and again when its text changes", () =>
    withProvider([{ embeds: meaning }], ({ asked }) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const texts = () => asked.flatMap(({ body }) => body.input as ReadonlyArray<string>)
        const ids = yield* FaqRecall.write(faqs)
        yield* lookUp("shut?", ids)
        yield* lookUp("shut?", ids)
        assert.lengthOf(
          texts().filter((text) => text.startsWith(hours.question)),
          1,
        )
        yield* sql`update faqs set question = 'Do you sell flowers?', revision = revision + 1 where id = ${ids[0] ?? ""}`
        assert.deepStrictEqual(questionsOf(yield* lookUp("when do they shut", ids)), [])
        assert.lengthOf(
          texts().filter((text) => text.startsWith("Do you sell flowers?")),
          1,
        )
      }),
    ),
  )

  it.effect("another model's embeddings are not compared, but replaced", () =>
    Effect.gen(function* () {
      const entry = yield* TestTenancy.newAccount("models")
      const server = yield* modelServer([{ embeds: meaning }])
      const inAccount = <A, E, R>(self: Effect.Effect<A, E, R>, model: string) =>
        TestTenancy.within(entry)(self).pipe(Effect.provide(layerFor(server.url, model)))
      const ids = yield* inAccount(FaqRecall.write(faqs), "openai/one")
      for (const model of ["openai/one", "google/other"]) {
        assert.deepStrictEqual(questionsOf(yield* inAccount(lookUp("they shut", ids), model)), [hours.question])
      }
      const models = yield* inAccount(
        Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.orDie(sql`select distinct model from faq_embeddings`)),
        "google/other",
      )
      assert.deepStrictEqual(models, [{ model: "google/other" }])
    }),
  )

  it.effect.each([
    ["an error", { status: 500 }],
    ["nonsense", { says: "hello" }],
    ["numbers without a direction", { embeds: () => [0, 0] }],
  ] as const)("with %s, FAQs are found by their words, and the provider is left alone for a while", ([, answer]) =>
    withProvider([answer], ({ asked }) =>
      Effect.gen(function* () {
        const ids = yield* FaqRecall.write(faqs)
        for (let time = 0; time < 3; time++) {
          assert.deepStrictEqual(questionsOf(yield* lookUp("when are you open", ids)), [hours.question])
        }
        assert.isAtMost(asked.length, 2)
      }),
    ),
  )

  it.effect("a provider that refuses one account's texts is asked for the next ones", () =>
    withProvider([{ status: 400 }, { embeds: meaning }], () =>
      Effect.gen(function* () {
        const ids = yield* FaqRecall.write(faqs)
        yield* lookUp("when are you open", ids)
        assert.deepStrictEqual(questionsOf(yield* lookUp("at what hour do they shut", ids)), [hours.question])
      }),
    ),
  )

  it.effect(
    "an FAQ that the provider refuses keeps no other from being found by meaning, and is left alone for a while",
    () =>
      withProvider(
        (body) => (body.includes("forbidden") ? { status: 400 } : { embeds: meaning }),
        ({ asked }) =>
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            const texts = () => asked.flatMap(({ body }) => body.input as ReadonlyArray<string>)
            const refused = { question: "What is forbidden?", answer: "Nothing." }
            const ids = yield* FaqRecall.write([refused, ...faqs])
            for (let time = 0; time < 2; time++) {
              assert.deepStrictEqual(questionsOf(yield* lookUp("at what hour do they shut", ids)), [hours.question])
            }
            assert.deepStrictEqual(questionsOf(yield* lookUp("any spot to put my vehicle", ids)), [parking.question])
            // Among four, among two, and alone.
            assert.lengthOf(
              texts().filter((text) => text.startsWith(refused.question)),
              3,
            )
            yield* sql`
            update faqs set question = 'When do you settle the bill?', revision = revision + 1 where id = ${ids[0] ?? ""}`
            yield* lookUp("shut", ids)
            assert.strictEqual(texts().filter((text) => text.startsWith("When do you settle the bill?")).length, 1)
          }),
      ),
  )

  it.effect("a provider that stalls keeps no caller waiting for longer than a second", () =>
    withProvider(
      [{ embeds: meaning, stalls: true }],
      () =>
        Effect.gen(function* () {
          const ids = yield* FaqRecall.write(faqs)
          const began = performance.now()
          assert.deepStrictEqual(questionsOf(yield* lookUp("when are you open", ids)), [hours.question])
          const took = performance.now() - began
          assert.isAtLeast(took, 700)
          // The provider would keep one waiting for ever, and a busy machine is late.
          assert.isBelow(took, 30_000)
        }),
      undefined,
      FaqMeaning.layer,
    ),
  )

  it.effect("answers are templates of the call's variables, and an invalid template is said as it is written", () =>
    withProvider([{ embeds: meaning }], () =>
      Effect.gen(function* () {
        const open = { ...hours, answer: 'Until {{ until | default: "late" }}.' }
        const pay = { ...paying, answer: "In {{ cash." }
        const ids = yield* FaqRecall.write([open, pay])
        const answer = (question: string, variables = {}) =>
          Effect.map(lookUp(question, ids, variables), ({ answers: [best] }) => best?.answer)
        assert.strictEqual(yield* answer("when are you open"), "Until late.")
        assert.strictEqual(yield* answer("when are you open", { until: "six {{ until }}" }), "Until six {{ until }}.")
        assert.strictEqual(yield* answer("how can I pay"), "In {{ cash.")
      }),
    ),
  )
})

const provider = Layer.unwrap(
  Effect.map(modelServer([{ embeds: meaning }]), ({ url }) =>
    TestServer.layerWith(environment(url, "openai/text-embedding-3-small")),
  ),
)

it.layer(provider, { timeout: "120 seconds", excludeTestServices: true })("a server with an embedding model", (it) => {
  it.effect("has its lookup_faq find by meaning", () =>
    Effect.flatMap(TestServer, (server) =>
      Effect.promise(async () => {
        const owner = await server.ownerOf("meaning")
        await owner.post("/api/faqs", hours)
        const lookUp = { arguments: { question: "they shut when" } }
        // What takes too long the first time is there the next time.
        await until(async () => {
          const { body } = await owner.post("/api/tools/lookup_faq/invoke", lookUp)
          return questionsOf(body.result as never).includes(hours.question)
        })
      }),
    ),
  )
})
