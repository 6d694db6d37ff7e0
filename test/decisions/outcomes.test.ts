/** What came of a call: its result is read from the transcript if the agent recorded none (decisions §2, Call). */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { inject } from "vitest"
import type { Call } from "../../src/domain/Call.ts"
import type { Event } from "../../src/domain/Event.ts"
import { openAccount } from "../support/AccountTables.ts"
import { type Caller, caller, wide } from "../support/Callers.ts"
import { campaignForm, made } from "../support/Fixtures.ts"
import { type Answer, modelServer } from "../support/ModelServer.ts"
import { type Receiver, receiver } from "../support/Receiver.ts"
import { type Client, TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"
import { options, webhook } from "../support/Webhooks.ts"

type Models = Effect.Success<ReturnType<typeof modelServer>>
type OneCall = typeof Call.Encoded
class Provider extends Context.Service<Provider, Models>()("test/Provider") {}

const directory = `parley_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
const platform = new URL(inject("postgres"))
platform.pathname = `/${directory}`

const server = Layer.unwrap(
  Provider.useSync(({ url }) =>
    TestServer.layerWith({
      DATABASE_URL: platform.href,
      OPENAI_COMPATIBLE_BASE_URL: `${url}/v1`,
      PARLEY_HTTP_TOOL_ALLOW_LOOPBACK: "1",
      PARLEY_MODEL_PRICES: JSON.stringify({ "openai-compatible/m": { input: 1_000, output: 1_000 } }),
    }),
  ),
).pipe(Layer.provideMerge(Layer.effect(Provider, modelServer([]))))

const outcome_schema = {
  type: "object",
  properties: {
    suits: { type: "boolean" },
    guests: { type: "integer", minimum: 1 },
    allergies: { type: "string" },
  },
  required: ["suits", "guests"],
  additionalProperties: false,
}
const model = { provider: "openai-compatible", id: "m" }
const talks = "+14155552001"
const busy = "+14155552070"
const voicemail = "+14155552080"

/** The turns that an extraction asks about; undefined if the request is one of the agent's on the line. */
const turnsIn = (body: string): ReadonlyArray<{ turn: number; speaker: string; said: string }> | undefined => {
  const { messages } = JSON.parse(body)
  if (!String(messages[0].content).includes("You fill in a form")) return undefined
  const lines = String(messages[1].content).split("\n")
  return lines.filter((line) => line.startsWith('{"turn"')).map((line) => JSON.parse(line))
}
const isExtraction = ({ body }: { readonly body: unknown }) => turnsIn(JSON.stringify(body)) !== undefined

interface Setting {
  readonly owner: Client
  /** Makes the owner of another account. */
  readonly other: () => Promise<Client>
  readonly models: Models
  readonly endpoint: Receiver
  /** An account's agent with these tools' results, whose extractions are answered by `read`. */
  readonly agent: (
    agent: object,
    read: (turns: NonNullable<ReturnType<typeof turnsIn>>, ask: number) => Answer,
  ) => Promise<Caller>
  readonly read: (id: string) => Promise<OneCall>
}

it.layer(server, options)("the result of a call (decisions §2, Call)", (it) => {
  const test = (name: string, body: (setting: Setting) => Promise<void>) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const models = yield* Provider
        const { ownerOf } = yield* TestServer
        const endpoint = yield* Effect.acquireRelease(Effect.promise(receiver), ({ close }) => Effect.sync(close))
        yield* Effect.promise(async () => {
          const other = () => ownerOf(`o${crypto.randomUUID().slice(0, 8)}`, wide)
          const owner = await other()
          const agent: Setting["agent"] = async (fields, read) => {
            let asks = 0
            models.begin((request) => {
              const turns = turnsIn(request)
              return turns === undefined ? { says: "Does Friday suit you?" } : read(turns, asks++)
            })
            return caller(owner, { outcome_schema, model, ...fields })
          }
          const read: Setting["read"] = (id) =>
            until(async () => {
              const call = made(await owner.get(`/api/v1/calls/${id}`))
              return call.ended_at !== null && call.extraction?.state !== "pending" && call
            })
          await body({ owner, other, models, endpoint, agent, read })
        })
      }),
    )
  const answer = (fields: object): Answer => ({ says: JSON.stringify(fields) })

  test("is read from the transcript if the agent recorded none, each value with the words that say it", async (setting) => {
    const { endpoint, owner } = setting
    const lab = await setting.agent({}, (turns) => {
      const yes = turns.find(({ said }) => said.startsWith("Yes, that's fine"))
      return answer({ suits: { value: true, turn: yes?.turn }, guests: "not said", allergies: "not said" })
    })
    await webhook(owner, endpoint.at("/o"), { events: ["call.ended", "call.extracted"] })
    const { id } = made(await lab.call(talks))
    const call = await setting.read(id)
    assert.deepInclude(call.extraction, { state: "done", reason: null })
    assert.deepStrictEqual(call.result, { suits: true })
    const [suits, guests, allergies] = call.result_fields
    assert.deepInclude(suits, { name: "suits", value: true, source: "extracted" })
    const { quote } = suits!
    const { at, role, started_ms, text } = call.transcript[quote!.index]!
    assert.deepStrictEqual({ ...quote }, { text, role, at, started_ms, index: quote!.index })
    assert.include(text, "Yes, that's fine")
    const notSaid = { value: null, source: null, quote: null }
    assert.deepStrictEqual(
      [guests, allergies],
      [
        { name: "guests", ...notSaid },
        { name: "allergies", ...notSaid },
      ],
    )

    const [ended] = await endpoint.until("/o", 1, ({ event }) => event.type === "call.ended")
    const [extracted] = await endpoint.until("/o", 1, ({ event }) => event.type === "call.extracted")
    assert.isAbove(extracted!.event.seq, ended!.event.seq)
    const data = extracted!.event.data as Extract<(typeof Event.Encoded)["data"], { readonly result_fields: unknown }>
    assert.deepInclude(data, { id, result: { suits: true }, extraction: call.extraction })
    assert.deepStrictEqual(data.result_fields, call.result_fields)
    assert.notProperty(ended!.event.data, "extraction")
  })

  test("costs what the model used", async (setting) => {
    const lab = await setting.agent({ first_message: "Hello." }, () => answer({}))
    const { id } = made(await lab.call(talks))
    const call = await setting.read(id)
    const turns = call.turns.reduce((sum, { tokens_in = 0, tokens_out = 0 }) => sum + tokens_in + tokens_out, 0)
    // The stand-in counts 127 tokens for each answer, of which each costs a thousandth of a dollar.
    assert.closeTo(call.cost.parts["brain"]!, (turns + 127) / 1_000, 1e-6)
    assert.closeTo(call.cost.amount, call.cost.parts["brain"]! + call.cost.parts["telephony"]!, 1e-6)
  })

  test("has only values that fit the schema and name a turn; the model is told what is wrong, once", async (setting) => {
    const lab = await setting.agent({}, ([first], ask) =>
      ask === 0
        ? answer({ suits: { value: "perhaps", turn: first?.turn }, guests: { value: 4, turn: 9_999 } })
        : answer({ suits: { value: false, turn: first?.turn }, guests: { value: 0, turn: first?.turn } }),
    )
    const { id } = made(await lab.call(talks))
    const call = await setting.read(id)
    assert.deepStrictEqual(call.result, { suits: false })
    assert.strictEqual(call.extraction?.state, "done")
    const asked = setting.models.asked.filter(isExtraction)
    assert.strictEqual(asked.length, 2)
    const complaint = JSON.stringify(asked[1]!.body.messages.at(-1))
    assert.include(complaint, "there is no turn 9999")
    assert.include(complaint, "/suits")
  })

  test("is what the agent recorded, and then no model is asked", async (setting) => {
    const { models } = setting
    const lab = await setting.agent({}, () => answer({}))
    const outcome = { suits: true, guests: 2 }
    models.begin([{ calls: [{ name: "record_outcome", args: { outcome } }] }, { says: "Thank you." }])
    const { id } = made(await lab.call(talks))
    const call = await setting.read(id)
    assert.deepStrictEqual(call.result, outcome)
    assert.isNull(call.extraction)
    assert.deepStrictEqual(
      call.result_fields.map(({ name, quote, source, value }) => [name, value, source, quote]),
      [
        ["guests", 2, "agent", null],
        ["suits", true, "agent", null],
      ],
    )
    assert.deepStrictEqual(models.asked.filter(isExtraction), [])
  })

  test("is not asked for where no person spoke, and not of an agent that has no fields", async (setting) => {
    const lab = await setting.agent({}, () => answer({}))
    const plain = await caller(setting.owner, { model, outcome_schema: null })
    for (const call of [await lab.through(busy), await lab.through(voicemail), await plain.through(talks)]) {
      assert.isNull(call.extraction)
      assert.deepStrictEqual(call.result_fields, [])
    }
    assert.deepStrictEqual(setting.models.asked.filter(isExtraction), [])
  })

  test("is asked for again if the model did not answer, and given up with a reason after five times", async (setting) => {
    const { owner } = setting
    let isWell = false
    const lab = await setting.agent({}, ([first]) =>
      isWell ? answer({ guests: { value: 3, turn: first?.turn } }) : { status: 401 },
    )
    const first = made(await lab.call(talks)).id
    const second = made(await lab.call("+14155552002")).id
    const database = await openAccount(directory, owner.account)
    try {
      const tried = (attempts: number) =>
        until(async () => {
          const rows = await database.query("select from extractions where attempts >= $1 and due_at > now()", [
            attempts,
          ])
          const pending = await database.query(
            "select from extractions where state = 'pending' and due_at < now() + interval '1 minute'",
          )
          return rows.length === 2 && pending.length === 2
        })
      await tried(1)
      for (const id of [first, second]) {
        const call = made(await owner.get(`/api/v1/calls/${id}`))
        assert.deepStrictEqual(call.extraction, { state: "pending", reason: null, ended_at: null })
      }
      await database.query("update extractions set attempts = 4 where call_id = $1", [first])
      const failed = await setting.read(first)
      assert.deepInclude(failed.extraction, { state: "failed", reason: "model_failed" })
      assert.deepStrictEqual([failed.result, failed.result_fields], [null, []])
      isWell = true
      assert.deepStrictEqual((await setting.read(second)).result, { guests: 3 })
      const { items } = made(await owner.get("/api/v1/events?type=call.extracted"))
      assert.sameMembers(
        items.map(({ data }) => data.id),
        [first, second],
      )
    } finally {
      await database.close()
    }
  })

  test("fails if the model answers twice without a form", async (setting) => {
    const lab = await setting.agent({}, () => ({ says: "I would rather talk about the weather." }))
    const { id } = made(await lab.call(talks))
    const call = await setting.read(id)
    assert.deepInclude(call.extraction, { state: "failed", reason: "answer_unusable" })
    assert.strictEqual(setting.models.asked.filter(isExtraction).length, 2)
  })

  test("does not wait for the results of another account, whose model does not answer", async (setting) => {
    const { models, other, owner } = setting
    const lab = await caller(owner, { outcome_schema, model })
    const properties = { quick: { type: "boolean" } }
    const quick = await caller(await other(), { outcome_schema: { type: "object", properties }, model })
    models.begin((request) => {
      if (turnsIn(request) === undefined) return { says: "Does Friday suit you?" }
      return request.includes("quick") ? answer({ quick: { value: true, turn: 0 } }) : { silent: true }
    })
    for (let at = 0; at < 6; at++) await lab.through(`+1415555210${at}`)
    await until(() => models.asked.filter(isExtraction).length >= 4)
    const { id } = await quick.through(talks)
    const call = await until(async () => {
      const found = await quick.ended(id)
      return found.extraction?.state === "done" && found
    })
    assert.deepStrictEqual(call.result, { quick: true })
    // It takes half of the places, and its other calls wait.
    assert.strictEqual(
      models.asked.filter((asked) => isExtraction(asked) && !JSON.stringify(asked).includes("quick")).length,
      4,
    )
  })

  test("loses its quotes with the transcript, and is deleted with the call", async (setting) => {
    const { owner } = setting
    const lab = await setting.agent({}, ([first]) => answer({ allergies: { value: "nuts", turn: first?.turn } }))
    const { id } = made(await lab.call(talks))
    assert.isNotNull((await setting.read(id)).result_fields[2]?.quote)
    const database = await openAccount(directory, owner.account)
    try {
      await database.query("update calls set transcript = '[]' where id = $1", [id])
      const { result_fields } = made(await owner.get(`/api/v1/calls/${id}`))
      assert.deepStrictEqual(result_fields[2], { name: "allergies", value: "nuts", source: "extracted", quote: null })
      assert.strictEqual((await owner.delete(`/api/v1/calls/${id}`)).status, 204)
      assert.notInclude(await database.tablesWith(id), "extractions")
    } finally {
      await database.close()
    }
  })

  test("is read by rules where the scripted brain talks, and stands in the results of the campaign", async (setting) => {
    const { owner } = setting
    const lab = await setting.agent({ model: { provider: "scripted", id: "scripted" } }, () => answer({}))
    made(await owner.request("DELETE", `/api/agents/${lab.agent.id}/tools/record_outcome`))
    const body = campaignForm(
      { name: "c", agent_id: lab.agent.id, phone_number_id: lab.number.id },
      `phone_number\n${talks}\n${busy}\n`,
    )
    const { id } = made(await owner.request("POST", "/api/v1/campaigns", { body }))
    made(await owner.post(`/api/v1/campaigns/${id}/start`))
    await until(async () => made(await owner.get(`/api/v1/campaigns/${id}`)).status === "completed")
    const { items } = made(await owner.get(`/api/v1/calls?campaign_id=${id}&outcome=answered`))
    const call = await setting.read(items[0]!.id)
    assert.deepStrictEqual(call.result, { suits: true })
    assert.include(call.result_fields[0]?.quote?.text, "Yes")
    const csv = String((await owner.get(`/api/v1/campaigns/${id}/results.csv`)).body)
    const [header, ...rows] = csv.trim().split(/\r?\n/u)
    assert.match(header!, /,suits,guests,allergies$/u)
    assert.match(
      rows.find((row) => row.startsWith(talks))!,
      /,true,,$/u,
    )
    assert.match(
      rows.find((row) => row.startsWith(busy))!,
      /,,,$/u,
    )
    assert.deepStrictEqual(setting.models.asked.filter(isExtraction), [])
  })
})
