/** What came of a call in the operator's own words: set by the agent, the extraction or a person (decision 0086). */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { type Campaigner, campaigner, follow, numbersOf } from "../support/Campaigner.ts"
import { caller, wide } from "../support/Callers.ts"
import { made } from "../support/Fixtures.ts"
import { type Answer, modelServer } from "../support/ModelServer.ts"
import { type Client, TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"
import { options } from "../support/Webhooks.ts"

type Models = Effect.Success<ReturnType<typeof modelServer>>
class Provider extends Context.Service<Provider, Models>()("test/Provider") {}

const server = Layer.unwrap(
  Provider.useSync(({ url }) => TestServer.layerWith({ OPENAI_COMPATIBLE_BASE_URL: `${url}/v1` })),
).pipe(Layer.provideMerge(Layer.effect(Provider, modelServer([]))))

const dispositions = [
  { key: "interested", label: "Wants an offer" },
  { key: "wrong_number", label: "Does not know the customer", final: true },
]
const agent = { dispositions, model: { provider: "openai-compatible", id: "m" } }
const talks = "+14155552001"
const isExtraction = (request: string) => request.includes("You fill in a form")

it.layer(server, options)("the disposition of a call (decision 0086)", (it) => {
  const test = (name: string, body: (owner: Client, models: Models, url: string) => Promise<void>) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const models = yield* Provider
        const { ownerOf, url } = yield* TestServer
        yield* Effect.promise(async () => body(await ownerOf(`d${crypto.randomUUID().slice(0, 8)}`, wide), models, url))
      }),
    )
  const records = (outcome: object): Answer => ({ calls: [{ name: "record_outcome", args: { outcome } }] })

  test("is recorded by the agent with its outcome, which must have one of the agent's", async (owner, models) => {
    const lab = await caller(owner, { ...agent, outcome_schema: { type: "object", properties: { suits: {} } } })
    models.begin([
      records({ suits: true }),
      records({ suits: true, disposition: "rude" }),
      records({ suits: true, disposition: "interested" }),
      { says: "Thank you, goodbye." },
    ])
    const call = await lab.through(talks)
    assert.deepStrictEqual(call.result, { suits: true })
    assert.deepInclude(call.disposition, { ...dispositions[0]!, final: false, source: "agent", by: null })
    assert.isNull(call.extraction)
    assert.deepStrictEqual(
      call.tool_invocations.map(({ error }) => error?.code ?? null),
      ["invalid_outcome", "invalid_outcome", null],
    )
    const prompt = JSON.stringify(models.asked[0]?.body.messages[0])
    assert.include(prompt, "wrong_number: Does not know the customer")
    const { items } = made(await owner.get("/api/v1/events?type=call.ended"))
    assert.deepStrictEqual((items[0]!.data as typeof call).disposition, call.disposition)
  })

  test("is read from the transcript if the agent forgot it, and a person's choice replaces it for good", async (owner, models) => {
    const lab = await caller(owner, agent)
    models.begin((request) =>
      isExtraction(request)
        ? { says: JSON.stringify({ disposition: { value: "interested", turn: 0 } }) }
        : { says: "Does Friday suit you?" },
    )
    const { id } = await lab.through(talks)
    const read = await until(async () => {
      const call = made(await owner.get(`/api/v1/calls/${id}`))
      return call.extraction?.state === "done" && call
    })
    assert.deepInclude(read.disposition, { key: "interested", source: "extracted" })
    assert.deepStrictEqual(read.result, null)

    const path = `/api/v1/calls/${id}/disposition` as const
    const set = made(await owner.put(path, { key: "wrong_number" }))
    assert.deepInclude(set.disposition, { key: "wrong_number", final: true, source: "person" })
    assert.strictEqual(set.disposition?.by?.type, "person")
    for (const key of ["rude", "", "Interested"]) {
      const refused = await owner.put(path, { key })
      assert.deepInclude(refused, { status: 400 })
      assert.strictEqual(refused.body.errors?.[0]?.pointer, "/key")
    }
    const { items } = made(await owner.get("/api/v1/events?type=call.disposition_set"))
    assert.deepStrictEqual(
      items.map(({ data }) => (data as typeof set).disposition),
      [set.disposition],
    )
    const found = async (key: string) => made(await owner.get(`/api/v1/calls?disposition=${key}`)).total
    assert.deepStrictEqual([await found("wrong_number"), await found("interested")], [1, 0])
    const [entry] = made(await owner.get(`/api/v1/audit?action=call.set_disposition`)).items
    assert.strictEqual(entry?.object.id, id)
    assert.deepStrictEqual(entry?.changes, [{ field: "disposition", before: "interested", after: "wrong_number" }])
  })

  test("ends a contact that waits for another attempt if it is final, and with the last contact the campaign", async (owner, _, url) => {
    const own: Campaigner = await campaigner(owner, { dispositions })
    const [busy = "", other = ""] = numbersOf("70", 2)
    const { id } = await own.running([busy, other], {
      max_concurrent_calls: "2",
      retries_per_contact: "5",
      retry_delay_seconds: "3600",
    })
    await own.until(id, ({ counts, waiting_for }) => waiting_for === "retry_delay" && counts.in_progress === 0)
    const [first, second] = await own.contacts(id)
    const set = (contact: typeof first, key: string) =>
      owner.put(`/api/v1/calls/${contact?.last_call_id}/disposition`, { key })
    made(await set(first, "interested"))
    made(await set(first, "wrong_number"))
    const ended = made(await owner.get(`/api/v1/campaigns/${id}/contacts/${first?.id}`))
    assert.deepInclude(ended, { status: "skipped", skip_reason: "final_disposition", next_attempt_at: null })
    assert.strictEqual(ended.attempt_log[0]?.disposition?.key, "wrong_number")
    assert.deepInclude((await own.get(id)).counts, { pending: 1, skipped: 1 })
    const found = async (query: string) => (await own.contacts(id, query)).map((contact) => contact.id)
    assert.deepStrictEqual(await found("disposition=wrong_number"), [first?.id])
    assert.deepStrictEqual(await found("disposition=wrong_number&status=pending"), [])
    assert.deepStrictEqual(await found("disposition=interested"), [])
    const chosen = await owner.get(`/api/v1/campaigns/${id}/results.csv?disposition=wrong_number`)
    assert.lengthOf(String(chosen.body).trim().split(/\r?\n/u), 2)
    made(await set(second, "wrong_number"))
    assert.deepInclude(await own.ended(id), { status: "completed", end_reason: "finished" })
    const csv = String((await owner.get(`/api/v1/campaigns/${id}/results.csv`)).body)
    const [header, ...rows] = csv.trim().split(/\r?\n/u)
    assert.match(header ?? "", /,disposition$/u)
    assert.isTrue(rows.every((row) => row.endsWith(",wrong_number")))
    const stream = await follow(url, owner, id)
    assert.deepStrictEqual((await stream.next()).data?.dispositions, { wrong_number: 2 })
    await stream.close()
  })

  test("has a list on its agent without a key twice, and without a field of the outcome's schema in its way", async (owner) => {
    const create = (fields: object) => owner.post("/api/agents", { name: "a", system_prompt: "x", ...fields })
    for (const [fields, pointer] of [
      [{ dispositions: [dispositions[0], dispositions[0]] }, "/dispositions"],
      [{ dispositions: [{ key: "Not interested", label: "x" }] }, "/dispositions/0/key"],
      [{ dispositions: [{ key: "x", label: " " }] }, "/dispositions/0/label"],
      [{ dispositions: Array.from({ length: 51 }, (_, at) => ({ key: `k${at}`, label: "x" })) }, "/dispositions"],
      [
        { dispositions, outcome_schema: { type: "object", properties: { disposition: {} } } },
        "/outcome_schema/properties/disposition",
      ],
    ] as const) {
      const refused = await create(fields)
      assert.strictEqual(refused.status, 400, pointer)
      assert.strictEqual(refused.body.errors?.[0]?.pointer, pointer)
    }
    const created = made(await create({ dispositions }))
    assert.deepStrictEqual(created.dispositions, dispositions)
  })

  test("stands beside the notes of people, up to a hundred, each of which its author can delete", async (owner) => {
    const lab = await caller(owner)
    const { id } = await lab.through("+14155552070")
    const path = `/api/v1/calls/${id}/notes` as const
    const note = made(await owner.post(path, { text: "Asked for a letter.\nSent." }))
    assert.deepInclude(note.by, { type: "person" })
    const { key: token } = made(await owner.post("/api/v1/api-keys", { name: "n", scopes: ["read", "write"] }))
    const own = made(await owner.post(path, { text: "From the CRM." }, { token }))
    const before = await owner.get(`/api/v1/calls/${id}`)
    assert.deepStrictEqual(made(before).notes, [note, own])
    assert.deepInclude(await owner.delete(`${path}/${note.id}`, { token }), { status: 403 })
    assert.strictEqual((await owner.delete(`${path}/${own.id}`, { token })).status, 204)
    const after = await owner.get(`/api/v1/calls/${id}`)
    assert.deepStrictEqual(made(after).notes, [note])
    assert.notStrictEqual(after.headers.get("etag"), before.headers.get("etag"))
    for (const text of ["", "  ", "x".repeat(4_001)]) {
      assert.deepInclude(await owner.post(path, { text }), { status: 400 })
    }
    const adding = Array.from({ length: 105 }, (_, at) => owner.post(path, { text: `note ${at}` }))
    const statuses = (await Promise.all(adding)).map(({ status }) => status)
    assert.lengthOf(
      statuses.filter((status) => status === 201),
      99,
    )
    assert.isTrue(statuses.every((status) => status === 201 || status === 409))
    const entries = made(await owner.get("/api/v1/audit?action=call.delete_note")).items
    assert.deepStrictEqual(
      entries.map(({ object }) => object.id),
      [id],
    )
    assert.notInclude(JSON.stringify(made(await owner.get("/api/v1/audit"))), "Asked for a letter")
  })
})
