/** Whole lab calls of an agent whose model speaks a provider's real protocol: what it may make of a call, and what not. */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Call } from "../../src/domain/Call.ts"
import { wide } from "../support/Callers.ts"
import { agent, fresh, made } from "../support/Catalog.ts"
import { type Answer, modelServer } from "../support/ModelServer.ts"
import { type Receiver, receiver } from "../support/Receiver.ts"
import { type Client, TestServer } from "../support/TestServer.ts"
import { pythonIsReady } from "../support/PythonSandbox.ts"
import { until } from "../support/Until.ts"

type Models = Effect.Success<ReturnType<typeof modelServer>>
class Provider extends Context.Service<Provider, Models>()("test/Provider") {}
class Prices extends Context.Service<Prices, Receiver>()("test/Prices") {
  static readonly layer = Layer.effect(
    this,
    Effect.acquireRelease(Effect.promise(receiver), ({ close }) => Effect.sync(close)),
  )
}

const provider = Layer.effect(Provider, modelServer([]))
const server = Layer.unwrap(
  Provider.useSync(({ url }) =>
    TestServer.layerWith({ OPENAI_COMPATIBLE_BASE_URL: `${url}/v1`, PARLEY_HTTP_TOOL_ALLOW_LOOPBACK: "1" }),
  ),
).pipe(Layer.provideMerge(Layer.merge(provider, Prices.layer)))

const goodbye: ReadonlyArray<Answer> = [
  { calls: [{ name: "end_call", args: { reason: "done" } }] },
  { says: "Thank you for your time. Goodbye." },
]
const sum = "def run(arguments, context):\n    return {'sum': arguments['a'] + arguments['b']}\n"

it.layer(server, { timeout: "120 seconds", excludeTestServices: true })("a call of a model", (it) => {
  interface Over {
    readonly owner: Client
    readonly models: Models
    readonly prices: Receiver
  }
  const test = (name: string, body: (over: Over) => Promise<void>) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const models = yield* Provider
        const prices = yield* Prices
        yield* Effect.promise(async () => body({ owner: await server.ownerOf("models", wide), models, prices }))
      }),
    )

  let next = 4155560000
  /** A call to a lab number, whose agent has these tools and answers by the script. */
  const call = async (
    { models, owner }: Over,
    digits: string,
    script: ReadonlyArray<Answer>,
    tools: ReadonlyArray<string> = [],
    faqs: ReadonlyArray<string> = [],
  ): Promise<typeof Call.Encoded> => {
    const model = { provider: "openai-compatible", id: "m" }
    const { id } = await made(owner.post("/api/agents", { ...agent(), first_message: "Hello, this is Rosa.", model }))
    for (const tool_name of ["end_call", ...tools]) await made(owner.post(`/api/agents/${id}/tools`, { tool_name }))
    for (const faq_id of faqs) await made(owner.post(`/api/agents/${id}/faqs`, { faq_id }))
    const number = await made(owner.post("/api/phone-numbers", { number: `+1${next++}`, carrier: "lab" }))
    models.begin(script)
    const to = `+14155${String(next++ % 10_000).padStart(4, "0")}${digits}`
    const placed = await made(owner.post("/api/v1/calls", { agent_id: id, phone_number_id: number.id, to }))
    return until(async () => {
      const { body } = await owner.get(`/api/v1/calls/${placed.id}`)
      return body.ended_at === null ? undefined : (body as typeof Call.Encoded)
    })
  }
  /** The agent's sentences, without the filler that it says on a busy machine while it waits for a tool. */
  const said = (call: typeof Call.Encoded): ReadonlyArray<string> =>
    call.transcript
      .filter(({ role }) => role === "agent")
      .map(({ text }) => text)
      .filter((text: string) => text !== "One moment, please.")

  it.effect("runs a python tool, an http tool and an FAQ look-up, and its transcript shows all three", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const models = yield* Provider
      const prices = yield* Prices
      yield* Effect.promise(async () => {
        await pythonIsReady(server.url)
        const owner = await server.ownerOf("models", wide)
        const [add, price] = [fresh("add"), fresh("price")]
        const schema = {
          type: "object",
          properties: { a: { type: "integer" }, b: { type: "integer" } },
          required: ["a"],
        }
        const implementation_code = sum
        await made(
          owner.post("/api/tools", {
            name: add,
            description: "Adds.",
            implementation_type: "python",
            implementation_code,
            schema,
          }),
        )
        prices.answer("/price", (response) => {
          response.writeHead(200, { "content-type": "application/json" })
          response.end(JSON.stringify({ price: 9 }))
        })
        const implementation_config = { url: prices.at("/price") }
        await made(
          owner.post("/api/tools", {
            name: price,
            description: "Prices.",
            implementation_type: "http",
            implementation_config,
          }),
        )
        const question = "What are your opening hours?"
        const faq = await made(
          owner.post("/api/faqs", { name: fresh("hours"), question, answer: "From nine to five." }),
        )
        const calls = [
          { name: add, args: { a: 2, b: 3 } },
          { name: price, args: { article: "boots" } },
          { name: "lookup_faq", args: { question } },
        ]
        const script = [
          { says: "Let me look that up for you.", calls },
          { says: "It is five, for nine dollars, from nine to five." },
          ...goodbye,
        ]
        const ended = await call({ owner, models, prices }, "01", script, [add, price, "lookup_faq"], [faq.id])
        assert.include(ended, { outcome: "answered", end_reason: "agent_hung_up" })
        const results = ended.transcript.filter(({ role }) => role === "tool").map(({ text }) => JSON.parse(text))
        assert.deepInclude(results, { sum: 5 })
        assert.deepInclude(results, { price: 9 })
        assert.isTrue(
          results.some((result) => result.found === true && result.answers[0].answer === "From nine to five."),
        )
        assert.deepStrictEqual(said(ended).slice(1, 3), [
          "Let me look that up for you.",
          "It is five, for nine dollars, from nine to five.",
        ])
        assert.deepStrictEqual(
          ended.tool_invocations.map(({ error, tool_name }) => [tool_name, error]),
          [...[add, price, "lookup_faq", "end_call"].map((name) => [name, undefined])].toSorted(
            ([a = ""], [b = ""]) => order(ended, a) - order(ended, b),
          ),
        )
        // What each gave was told to the model under its own call.
        const told =
          models.asked[1]?.body.messages.filter(({ role }: { readonly role: string }) => role === "tool") ?? []
        assert.strictEqual(
          new Set(told.map(({ tool_call_id }: { readonly tool_call_id: string }) => tool_call_id)).size,
          3,
        )
        const [, turn] = ended.turns
        assert.include(turn, { steps: 2, tokens_in: 240, tokens_out: 14, interrupted: false })
      })
    }),
  )
  const order = (ended: typeof Call.Encoded, name: string): number =>
    ended.tool_invocations.findIndex(({ tool_name }) => tool_name === name)

  test("that asks for a tool that does not exist, or with arguments that do not fit, is told so, and the call goes on", async (over) => {
    const script = [
      {
        calls: [
          { name: "no_such_tool", args: {} },
          { name: "lookup_faq", args: { question: 5 } },
          { name: "end_call", args: "{" },
        ],
      },
      { says: "I could not find that out." },
      ...goodbye,
    ]
    const ended = await call(over, "01", script, ["lookup_faq"])
    assert.include(ended, { outcome: "answered", end_reason: "agent_hung_up" })
    const codes = ended.tool_invocations.map(({ error, tool_name }) => [tool_name, error?.code])
    assert.deepInclude(codes, ["no_such_tool", "tool_not_enabled"])
    assert.deepInclude(codes, ["lookup_faq", "invalid_arguments"])
    assert.include(said(ended), "I could not find that out.")
  })

  test("that answers nonsense is apologised for once, then the call ends politely", async (over) => {
    const ended = await call(over, "01", [{ raw: 'data: {"half": \n\ndata: [DONE]\n\n' }])
    assert.include(ended, { outcome: "answered", end_reason: "agent_error" })
    assert.include(said(ended).at(-1), "Goodbye")
  })

  test("that asks for the same for ever ends politely too", async (over) => {
    const ended = await call(over, "01", [{ calls: [{ name: "get_current_time", args: {} }] }], ["get_current_time"])
    assert.include(ended, { outcome: "answered", end_reason: "agent_error" })
    assert.isAtMost(ended.tool_invocations.length, 5)
  })

  test("that never stops is cut off", async (over) => {
    const ended = await call(over, "01", [{ says: "And so on, and so on it goes. ".repeat(400) }, ...goodbye])
    assert.isAtMost(said(ended)[1]?.length ?? 0, 4_000)
    assert.include(ended, { outcome: "answered" })
  })

  test("that is talked over stops: the request is aborted, and what was not heard is not told to it", async (over) => {
    const story = "Once upon a time there was a dog. It was very small, and nobody knew whose it was. ".repeat(3)
    const ended = await call(over, "96", [{ says: story, stalls: true }, { says: "Sorry, go on." }, ...goodbye])
    assert.isAtLeast(over.models.aborted(), 1)
    const cut = ended.turns.find(({ interrupted, started_by }) => interrupted && started_by === "caller")
    assert.isAbove(cut!.unheard!.length, 0)
    const messages = over.models.asked[1]?.body.messages ?? []
    const heard = messages.findLast(({ role }: { readonly role: string }) => role === "assistant").content
    assert.include(heard, "[interrupted by the caller]")
    assert.isTrue(story.startsWith(heard.slice(0, heard.indexOf(" [interrupted"))))
  })
})
