import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Fiber, Layer, Schedule, Stream } from "effect"
import { Brain, BrainFailed, type Message, type Word } from "../../../src/brain/Brain.ts"
import * as Brains from "../../../src/brain/Brains.ts"
import * as Turn from "../../../src/brain/Turn.ts"
import type { Model } from "../../../src/domain/Agent.ts"
import { kit, tool } from "../../support/Kit.ts"
import { type Answer, modelServer } from "../../support/ModelServer.ts"

const compatible: Model = { provider: "openai-compatible", id: "llama" }

const weather = tool("weather", {
  description: "Tells the weather.",
  schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
})
const question: ReadonlyArray<Message> = [{ role: "caller", text: "What is the weather in Rome?" }]

const environment = (url: string) => ({
  OPENAI_COMPATIBLE_BASE_URL: `${url}/v1`,
  OPENAI_API_KEY: "sk-1",
  OPENAI_BASE_URL: `${url}/v1`,
  ANTHROPIC_API_KEY: "sk-2",
  ANTHROPIC_BASE_URL: `${url}/v1`,
  GOOGLE_GENERATIVE_AI_API_KEY: "sk-3",
  GOOGLE_GENERATIVE_AI_BASE_URL: `${url}/v1beta`,
  PARLEY_MODEL_PRICES: JSON.stringify({ "openai-compatible/llama": { input: 1, output: 10 } }),
})

interface Talk {
  readonly model?: Model
  readonly history?: ReadonlyArray<Message>
  readonly first_message?: string
  readonly env?: Record<string, string>
}

/** One turn of an agent whose model gives the answers of the script. */
const turnOf = (script: ReadonlyArray<Answer>, talk: Talk = {}) =>
  Effect.gen(function* () {
    const { env = {}, first_message = "", history = question, model = compatible } = talk
    const server = yield* modelServer(script)
    const invoked: Array<readonly [string, unknown]> = []
    const turn: Turn.Turn = {
      briefing: {
        kit: kit({ model }, { tools: [weather] }),
        prompt: { text: "You are Rosa.", parts: ["You are Rosa."], first_message, disclosure: "" },
        time_zone: "UTC",
      },
      history,
      invoke: (tool_name, args) =>
        Effect.sync(() => {
          invoked.push([tool_name, args])
          return {
            id: "1",
            tool_name,
            arguments: args,
            result: { sky: "clear" },
            started_at: new Date(0),
            duration_ms: 1,
          }
        }),
    }
    const config = ConfigProvider.layer(ConfigProvider.fromEnvRecord({ ...environment(server.url), ...env }))
    const brains = Brains.layer.pipe(Layer.provide(config))
    const step = { must_speak: false, model: null, wrap_up: false }
    return {
      server,
      invoked,
      /** A whole turn, tools and all. */
      reply: Turn.take(turn).pipe(Effect.provide(brains)),
      /** Its first step, word by word. */
      words: Stream.unwrap(Brain.use((brain) => Effect.succeed(brain.reply({ ...turn, ...step })))).pipe(
        Stream.provide(brains),
      ),
    }
  })

const textOf = (words: ReadonlyArray<Word>) =>
  words.flatMap((word) => (word._tag === "Say" ? [word.text] : [])).join(" ")

const until = (holds: () => boolean) =>
  Effect.suspend(() => (holds() ? Effect.void : Effect.fail("not yet"))).pipe(
    Effect.retry(Schedule.spaced("5 millis")),
    Effect.timeout("60 seconds"),
  )

const asks: Answer = { calls: [{ name: "weather", args: { city: "Rome" } }] }
const tells: Answer = { says: "It is clear in Rome. Shall I note anything?" }

describe("a brain that is a language model", () => {
  for (const [provider, id, path] of [
    ["openai-compatible", "llama", "/v1/chat/completions"],
    ["openai", "gpt", "/v1/responses"],
    ["anthropic", "claude", "/v1/messages"],
    ["google", "gemini", "/v1beta/models/gemini:streamGenerateContent"],
  ] as const) {
    it.live(`speaks the protocol of ${provider}: text, tools and their results`, () =>
      Effect.gen(function* () {
        const { invoked, reply, server } = yield* turnOf([asks, tells], { model: { provider, id } })
        assert.strictEqual(yield* reply, "It is clear in Rome. Shall I note anything?")
        assert.deepStrictEqual(invoked, [["weather", { city: "Rome" }]])
        assert.deepStrictEqual(
          server.asked.map((asked) => asked.path),
          [path, path],
        )
        assert.include(JSON.stringify(server.asked[0]?.body), "You are Rosa.")
        assert.include(JSON.stringify(server.asked[1]?.body), "clear")
      }).pipe(Effect.scoped),
    )
  }

  it.live("counts tokens, and their price where one is set", () =>
    Effect.gen(function* () {
      const { words } = yield* turnOf([tells])
      const usage = (yield* Stream.runCollect(words)).find(({ _tag }) => _tag === "Usage")
      const cost = (120 * 1 + 7 * 10) / 1_000_000
      assert.deepInclude(usage, {
        usage: { model: "openai-compatible/llama", tokens_in: 120, tokens_out: 7, cost },
      })
    }).pipe(Effect.scoped),
  )

  it.live("asks for several tools at once, and every one has one result", () =>
    Effect.gen(function* () {
      const both = ["Rome", "Oslo"].map((city) => ({ name: "weather", args: { city } }))
      const { invoked, reply, server } = yield* turnOf([{ calls: both }, tells])
      yield* reply
      assert.sameDeepMembers(
        invoked.map(([, args]) => args),
        [{ city: "Rome" }, { city: "Oslo" }],
      )
      const { messages } = server.asked[1]?.body ?? {}
      assert.strictEqual(messages.filter(({ role }: { role: string }) => role === "tool").length, 2)
    }).pipe(Effect.scoped),
  )

  it.live("that goes round in circles is told so, and has to speak in the end", () =>
    Effect.gen(function* () {
      const { invoked, reply, server } = yield* turnOf([asks])
      const text = yield* reply
      assert.strictEqual(invoked.length, 2)
      assert.strictEqual(server.asked.length, 5)
      assert.strictEqual(server.asked[4]?.body.tool_choice, "none")
      assert.strictEqual(text, "I am sorry, could you say that again?")
    }).pipe(Effect.scoped),
  )

  it.live("whose arguments are no JSON is told so, and nothing is invoked", () =>
    Effect.gen(function* () {
      const { invoked, reply, server } = yield* turnOf([{ calls: [{ name: "weather", args: '{"city":' }] }, tells])
      yield* reply
      assert.deepStrictEqual(invoked, [])
      assert.include(JSON.stringify(server.asked[1]?.body), "invalid_arguments")
    }).pipe(Effect.scoped),
  )

  it.live("says nothing that only a page can show", () =>
    Effect.gen(function* () {
      const { reply } = yield* turnOf([{ says: "**Sure!** See [our page](https://x.example) 😀" }])
      assert.strictEqual(yield* reply, "Sure! See our page")
    }).pipe(Effect.scoped),
  )

  for (const [name, failing] of [
    ["an error", { status: 529 }],
    ["a connection that breaks", { says: "It is ", breaks: true }],
    ["no sign of an answer", { silent: true }],
  ] as const) {
    it.live(`with ${name} gives way to the second model`, () =>
      Effect.gen(function* () {
        const { server, words } = yield* turnOf([failing, tells], {
          model: { provider: "anthropic", id: "claude" },
          env: { PARLEY_FALLBACK_MODEL: "openai-compatible/llama" },
        })
        const said = yield* Stream.runCollect(words)
        assert.strictEqual(textOf(said), tells.says)
        const usage = said.find(({ _tag }) => _tag === "Usage")
        assert.nestedInclude(usage, { "usage.model": "openai-compatible/llama" })
        assert.deepStrictEqual(
          server.asked.map(({ path }) => path),
          ["/v1/messages", "/v1/chat/completions"],
        )
      }).pipe(Effect.scoped),
    )
  }

  it.live("with an error is asked once more where there is no second one", () =>
    Effect.gen(function* () {
      const { server, words } = yield* turnOf([{ status: 503 }, tells])
      assert.strictEqual(textOf(yield* Stream.runCollect(words)), tells.says)
      assert.strictEqual(server.asked.length, 2)
    }).pipe(Effect.scoped),
  )

  it.live("that stalls is given up after some seconds, and its request with it", () =>
    Effect.gen(function* () {
      const { reply, server } = yield* turnOf([{ stalls: true }])
      assert.instanceOf(yield* Effect.flip(reply), BrainFailed)
      yield* until(() => server.aborted() > 0)
    }).pipe(Effect.scoped),
  )

  it.live("stops its request when the turn is interrupted", () =>
    Effect.gen(function* () {
      const { reply, server } = yield* turnOf([{ says: "It is ", stalls: true }])
      const fiber = yield* Effect.forkChild(reply)
      yield* until(() => server.asked.length > 0)
      yield* Fiber.interrupt(fiber)
      yield* until(() => server.aborted() > 0)
    }).pipe(Effect.scoped),
  )

  it.live("gives its first message before anything was said, without a question to the model", () =>
    Effect.gen(function* () {
      const { reply, server } = yield* turnOf([tells], { history: [], first_message: "Hello, this is Rosa." })
      assert.strictEqual(yield* reply, "Hello, this is Rosa.")
      assert.deepStrictEqual(server.asked, [])
    }).pipe(Effect.scoped),
  )

  it.live("is told what was heard of a sentence that was cut short, and of earlier tools", () =>
    Effect.gen(function* () {
      const { reply, server } = yield* turnOf([tells], {
        history: [
          { role: "agent", text: "We are open from", interrupted: true },
          { role: "tool", text: '{"open":"9 to 5"}', tool_name: "hours", arguments: { day: "Monday" } },
          ...question,
        ],
      })
      yield* reply
      const sent = JSON.stringify(server.asked[0]?.body.messages)
      assert.include(sent, "We are open from [interrupted by the caller]")
      assert.include(sent, '\\"day\\":\\"Monday\\"')
    }).pipe(Effect.scoped),
  )
})

describe("an agent whose provider has no key here", () => {
  const stranger: Talk = { model: { provider: "acme", id: "one" } }

  it.live("has the scripted brain in development", () =>
    Effect.gen(function* () {
      const { reply } = yield* turnOf([tells], { ...stranger, history: [], first_message: "Hello, this is Rosa." })
      assert.strictEqual(yield* reply, "Hello, this is Rosa.")
    }).pipe(Effect.scoped),
  )

  it.live("fails with the reason in production", () =>
    Effect.gen(function* () {
      const { reply } = yield* turnOf([tells], { ...stranger, env: { PARLEY_ENV: "production" } })
      assert.include((yield* Effect.flip(reply)).message, "acme")
    }).pipe(Effect.scoped),
  )
})
