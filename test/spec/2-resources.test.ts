import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Client, TestServer } from "../support/TestServer.ts"

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const source = "def run(arguments, context):\n    return arguments\n"
const pythonTool = { description: "Echoes.", implementation_type: "python", implementation_code: source }

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })("resources (spec §2)", (it) => {
  const test = (name: string, body: (owner: Client, server: TestServer["Service"]) => Promise<void>) =>
    it.effect(name, () =>
      Effect.flatMap(TestServer, (server) =>
        Effect.promise(async () => body(await server.ownerOf(`a${crypto.randomUUID().slice(0, 8)}`), server)),
      ),
    )

  test("a tool has the twelve documented fields", async (owner) => {
    const tool = {
      ...pythonTool,
      name: "echo",
      display_name: "Echo",
      category: "testing",
      schema: {
        type: "object",
        properties: { at: { type: "string", format: "date-time" } },
        required: ["at"],
      },
      implementation_config: {},
      tags: ["a", "b"],
    }
    const made = await owner.post("/api/tools", tool)
    assert.strictEqual(made.status, 201, JSON.stringify(made.body))
    const { id, created_at, updated_at, ...rest } = made.body
    assert.match(id!, uuid)
    assert.match(created_at!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.strictEqual(updated_at, created_at)
    assert.deepStrictEqual<unknown>(rest, { ...tool, is_default: false, modified_from_default: false })
  })

  test("a tool is fetched by its id and by its name", async (owner) => {
    const { body } = await owner.post("/api/tools", { ...pythonTool, name: "echo" })
    for (const key of [body.id, body.id!.toUpperCase(), "echo"]) {
      const answer = await owner.get(`/api/tools/${key}`)
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(answer.body, body)
    }
  })

  test("a tool's name is unique", async (owner) => {
    await owner.post("/api/tools", { ...pythonTool, name: "echo" })
    const again = await owner.post("/api/tools", { ...pythonTool, name: "echo" })
    assert.deepInclude(again.body, { status: 409, code: "name_taken" })
  })

  test("the schema describes the arguments: type object, properties, required list", async (owner) => {
    const { body } = await owner.post("/api/tools", { ...pythonTool, name: "echo" })
    assert.deepStrictEqual(body.schema, { type: "object", properties: {}, required: [] })
    const schema = { type: "array", items: {} }
    const refused = await owner.post("/api/tools", { ...pythonTool, name: "list", schema })
    assert.strictEqual(refused.status, 400)
    assert.strictEqual(refused.body.errors![0]!.pointer, "/schema/type")
  })

  test("implementation_type is python or http, nothing else", async (owner) => {
    const answer = await owner.post("/api/tools", { ...pythonTool, name: "echo", implementation_type: "ruby" })
    assert.strictEqual(answer.status, 400)
    assert.strictEqual(answer.body.errors![0]!.pointer, "/implementation_type")
  })

  test("an http tool keeps its target URL, method and authentication", async (owner) => {
    const config = {
      url: "https://example.com/hook",
      method: "PUT",
      headers: { accept: "application/json", "x-trace": "1" },
      public_headers: ["x-trace"],
      timeout_ms: 5000,
      authentication: { type: "none" },
    }
    const tool = { name: "hook", description: "Calls.", implementation_type: "http", implementation_config: config }
    const { body, status } = await owner.post("/api/tools", tool)
    assert.strictEqual(status, 201)
    assert.deepStrictEqual(body.implementation_config, config)
    assert.isNull(body.implementation_code)
  })

  test("is_default is true for built-in tools and false for custom ones", async (owner) => {
    const { body } = await owner.post("/api/tools", { ...pythonTool, name: "echo" })
    assert.isFalse(body.is_default)
    const builtIn = await owner.get("/api/tools/end_call")
    assert.isTrue(builtIn.body.is_default)
  })

  test("modified_from_default becomes true when a built-in tool is updated", async (owner) => {
    const before = await owner.get("/api/tools/end_call")
    assert.isFalse(before.body.modified_from_default)
    const after = await owner.put("/api/tools/end_call", { description: "Hangs up." })
    assert.strictEqual(after.status, 200)
    assert.isTrue(after.body.modified_from_default)
    assert.strictEqual(after.body.description, "Hangs up.")
  })

  test("updating a custom tool leaves modified_from_default false", async (owner) => {
    await owner.post("/api/tools", { ...pythonTool, name: "echo" })
    const { body } = await owner.put("/api/tools/echo", { description: "Answers." })
    assert.isFalse(body.modified_from_default)
  })

  test("defining a tool does not expose it: each agent enables a subset", async (owner) => {
    await owner.post("/api/tools", { ...pythonTool, name: "echo" })
    await owner.post("/api/agents", { name: "Rosa", system_prompt: "Hi" })
    await owner.post("/api/agents", { name: "Otto", system_prompt: "Hi" })
    assert.deepStrictEqual((await owner.get("/api/agents/Rosa/tools")).body.items, [])
    const enabled = await owner.post("/api/agents/Rosa/tools", { tool_name: "echo", config: { a: 1 }, enabled: true })
    assert.strictEqual(enabled.status, 201)
    assert.deepInclude(enabled.body, { tool_name: "echo", config: { a: 1 }, enabled: true })
    const { items } = (await owner.get("/api/agents/Rosa/tools")).body
    assert.deepStrictEqual<unknown>(items, [enabled.body])
    assert.deepStrictEqual((await owner.get("/api/agents/Otto/tools")).body.items, [])
  })

  test("a playbook is a prompt fragment with the names of the tools it needs", async (owner) => {
    const playbook = { name: "book_a_visit", prompt: "Offer a visit.", tool_names: ["book_visit", "end_call"] }
    const { body, status } = await owner.post("/api/playbooks", playbook)
    assert.strictEqual(status, 201)
    const { created_at: _, id, updated_at: __, ...rest } = body
    assert.match(id!, uuid)
    assert.deepStrictEqual(rest, {
      ...playbook,
      display_name: "Book a visit",
      description: "",
      category: "general",
      is_default: false,
      modified_from_default: false,
    })
  })

  test("a playbook can be fetched by UUID or by name", async (owner) => {
    const { body } = await owner.post("/api/playbooks", { name: "Über uns / about", prompt: "Tell." })
    for (const key of [body.id, encodeURIComponent(body.name!)]) {
      assert.deepStrictEqual((await owner.get(`/api/playbooks/${key}`)).body, body)
    }
  })

  test("playbooks and FAQs have shipped ones, is_default true", async (owner) => {
    for (const path of ["/api/playbooks", "/api/faqs"] as const) {
      const { body } = await owner.get(`${path}?is_default=true`)
      assert.isAbove(body.total!, 0)
      assert.isTrue(body.items!.every((item) => item.is_default))
      assert.strictEqual((await owner.get(`${path}?is_default=false`)).body.total, 0)
    }
  })

  test("a FAQ is one question, one answer, one category, fetched by UUID or by name", async (owner) => {
    const faq = { question: "When are you open?", answer: "Nine to five.", category: "visits" }
    const { body, status } = await owner.post("/api/faqs", faq)
    assert.strictEqual(status, 201)
    assert.deepInclude(body, { ...faq, name: "when-are-you-open", is_default: false, modified_from_default: false })
    for (const key of [body.id, body.name]) assert.deepStrictEqual((await owner.get(`/api/faqs/${key}`)).body, body)
  })

  test("built-in items cannot be deleted, custom ones can (spec §3)", async (owner) => {
    for (const path of ["/api/tools/end_call", "/api/playbooks/opt_out_manners", "/api/faqs/are-you-a-robot"]) {
      const answer = await owner.delete(path)
      assert.deepInclude(answer.body, { status: 403, code: "built_in" })
      assert.strictEqual((await owner.get(path)).status, 200)
    }
    await owner.post("/api/tools", { ...pythonTool, name: "echo" })
    assert.strictEqual((await owner.delete("/api/tools/echo")).status, 204)
    assert.strictEqual((await owner.delete("/api/tools/echo")).status, 404)
  })

  test("an agent is referenced by id and has a system_prompt", async (owner) => {
    const { body, status } = await owner.post("/api/agents", { name: "Rosa", system_prompt: "You are Rosa." })
    assert.strictEqual(status, 201)
    assert.match(body.id!, uuid)
    assert.strictEqual((await owner.get(`/api/agents/${body.id}`)).body.system_prompt, "You are Rosa.")
  })

  test("no record carries an account identifier, and tenants share nothing", async (owner, server) => {
    const { body } = await owner.post("/api/tools", { ...pythonTool, name: "echo" })
    assert.isEmpty(Object.keys(body).filter((key) => key.includes("account") || key.includes("tenant")))
    const other = await server.ownerOf("somebody-else")
    assert.strictEqual((await other.get(`/api/tools/${body.id}`)).status, 404)
    assert.strictEqual((await other.post("/api/tools", { ...pythonTool, name: "echo" })).status, 201)
    await other.put("/api/tools/end_call", { description: "Ours." })
    assert.isFalse((await owner.get("/api/tools/end_call")).body.modified_from_default)
  })
})
