import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, type Client, TestServer } from "../support/TestServer.ts"

const mask = "********"
const source = "def run(arguments, context):\n    return arguments\n"
const unknownId = "00000000-0000-4000-8000-000000000000"

const fresh = (prefix: string) => `${prefix}_${crypto.randomUUID().slice(0, 8)}`
const python = () => ({
  name: fresh("tool"),
  description: "Echoes.",
  implementation_type: "python",
  implementation_code: source,
})
const http = (config: object = {}) => ({
  name: fresh("tool"),
  description: "Calls.",
  implementation_type: "http",
  implementation_config: { url: "https://example.com/hook", ...config },
})
const agent = () => ({ name: fresh("agent"), system_prompt: "Hello {{first_name}}" })
const playbook = () => ({ name: fresh("playbook"), prompt: "Be kind." })
const faq = () => ({ question: `${fresh("Why")}?`, answer: "Because." })
let lastNumber = 4155550000
const number = () => ({ number: `+1${lastNumber++}`, carrier: "lab" })

const made = async (answer: Promise<Answer>) => {
  const { body, status } = await answer
  assert.strictEqual(status, 201, JSON.stringify(body))
  return body
}
const refused = async (answer: Promise<Answer>, status: number, code: string, pointer?: string) => {
  const { body, headers, status: got } = await answer
  assert.strictEqual(got, status, JSON.stringify(body))
  assert.strictEqual(headers.get("content-type"), "application/problem+json")
  assert.strictEqual(body.code, code)
  if (pointer !== undefined) {
    assert.include(
      body.errors.map((error: { pointer: string }) => error.pointer),
      pointer,
    )
  }
  return body
}

const writable = [
  { path: "/api/tools", make: python, change: { description: "Changed." } },
  { path: "/api/playbooks", make: playbook, change: { prompt: "Changed." } },
  { path: "/api/faqs", make: faq, change: { answer: "Changed." } },
  { path: "/api/agents", make: agent, change: { system_prompt: "Changed." } },
  { path: "/api/phone-numbers", make: number, change: { label: "Changed." } },
] as const

it.layer(TestServer.layer, { timeout: "60 seconds", excludeTestServices: true })("the catalog (decisions §2)", (it) => {
  const test = (name: string, body: (owner: Client, server: TestServer["Service"]) => Promise<void>) =>
    it.effect(name, () =>
      Effect.flatMap(TestServer, (server) => Effect.promise(async () => body(await server.ownerOf("catalog"), server))),
    )

  for (const { change, make, path } of writable) {
    test(`${path}: a create answers 201 with Location and ETag, a second DELETE 404`, async (owner) => {
      const { body, headers, status } = await owner.post(path, make())
      assert.strictEqual(status, 201)
      assert.strictEqual(headers.get("location"), `${path}/${body.id}`)
      assert.isNotNull(headers.get("etag"))
      const found = await owner.get(`${path}/${body.id}`)
      assert.deepStrictEqual(found.body, body)
      assert.strictEqual(found.headers.get("etag"), headers.get("etag"))
      assert.strictEqual((await owner.delete(`${path}/${body.id}`)).status, 204)
      assert.strictEqual((await owner.delete(`${path}/${body.id}`)).status, 404)
      assert.strictEqual((await owner.get(`${path}/${body.id}`)).status, 404)
    })

    test(`${path}: an update is partial, and the whole object may be sent back`, async (owner) => {
      const before = await made(owner.post(path, make()))
      const after = await owner.put(`${path}/${before.id}`, { ...before, ...change })
      assert.strictEqual(after.status, 200, JSON.stringify(after.body))
      assert.deepStrictEqual({ ...after.body, updated_at: "" }, { ...before, ...change, updated_at: "" })
      const alone = await owner.put(`${path}/${before.id}`, change)
      assert.deepStrictEqual({ ...alone.body, updated_at: "" }, { ...before, ...change, updated_at: "" })
    })

    test(`${path}: read-only fields are ignored on POST and PUT, unknown ones are a 400`, async (owner) => {
      const body = await made(owner.post(path, { ...make(), id: unknownId, created_at: "nonsense" }))
      assert.notStrictEqual(body.id, unknownId)
      const put = await owner.put(`${path}/${body.id}`, { id: unknownId, updated_at: 7 })
      assert.strictEqual(put.body.id, body.id)
      await refused(owner.post(path, { ...make(), colour: "red" }), 400, "invalid_request", "/colour")
      await refused(owner.put(`${path}/${body.id}`, { colour: "red" }), 400, "invalid_request", "/colour")
    })

    test(`${path}: If-Match refuses a change to something that has changed`, async (owner) => {
      const { body, headers } = await owner.post(path, make())
      const etag = headers.get("etag") ?? ""
      const first = await owner.put(`${path}/${body.id}`, change, { headers: { "if-match": etag } })
      assert.strictEqual(first.status, 200)
      assert.notStrictEqual(first.headers.get("etag"), etag)
      const second = owner.put(`${path}/${body.id}`, change, { headers: { "if-match": etag } })
      await refused(second, 412, "precondition_failed")
    })

    test(`${path}: an id that is neither a UUID nor a known name is a 404`, async (owner) => {
      for (const id of ["no-such-thing", unknownId, "%20", "a%2Fb", "é"]) {
        await refused(owner.get(`${path}/${id}`), 404, "not_found")
        await refused(owner.put(`${path}/${id}`, {}), 404, "not_found")
        await refused(owner.delete(`${path}/${id}`), 404, "not_found")
      }
    })

    test(`${path}: lists are pages, newest first`, async (_, server) => {
      const owner = await server.ownerOf(`pages${path.replaceAll("/", "-")}`)
      const total: number = (await owner.get(path)).body.total
      const ids: Array<string> = []
      for (let count = 0; count < 5; count++) ids.unshift((await made(owner.post(path, make()))).id)
      const seen: Array<string> = []
      for (const page of [0, 1, 2]) {
        const { body } = await owner.get(`${path}?page=${page}&page_size=2`)
        assert.deepInclude(body, { page, page_size: 2, total: total + 5 })
        seen.push(...body.items.map((item: { id: string }) => item.id))
      }
      assert.deepStrictEqual(seen.slice(0, 5), ids)
      for (const query of ["page=-1", "page=x", "page_size=0", "page_size=101", "page=1.5"]) {
        const pointer = `/query/${query.split("=")[0]}`
        await refused(owner.get(`${path}?${query}`), 400, "invalid_request", pointer)
      }
      const { body } = await owner.get(path)
      assert.deepInclude(body, { page: 0, page_size: 50 })
    })

    test(`${path}: an Idempotency-Key creates once`, async (owner) => {
      const headers = { "idempotency-key": crypto.randomUUID() }
      const body = make()
      const first = await owner.post(path, body, { headers })
      const again = await owner.post(path, body, { headers })
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
      assert.deepStrictEqual([again.status, again.body], [first.status, first.body])
    })
  }

  test("names that look like a UUID are refused, since a path would take them for ids", async (owner) => {
    const name = "abcdef00-0000-4000-8000-000000000000"
    await refused(owner.post("/api/agents", { ...agent(), name }), 400, "invalid_request", "/name")
    await refused(owner.post("/api/playbooks", { ...playbook(), name }), 400, "invalid_request", "/name")
    await refused(owner.post("/api/tools", { ...python(), name }), 400, "invalid_request", "/name")
  })

  test("a name that is taken is a 409, on create and on change", async (owner) => {
    for (const [path, make] of [
      ["/api/tools", python],
      ["/api/playbooks", playbook],
      ["/api/agents", agent],
    ] as const) {
      const one = await made(owner.post(path, make()))
      const other = await made(owner.post(path, make()))
      await refused(owner.post(path, { ...make(), name: one.name }), 409, "name_taken")
      await refused(owner.put(`${path}/${other.id}`, { name: one.name }), 409, "name_taken")
    }
    const one = await made(owner.post("/api/phone-numbers", number()))
    await refused(owner.post("/api/phone-numbers", { ...number(), number: one.number }), 409, "name_taken")
  })

  test("search is a case-insensitive substring of name, display_name, description and tags", async (owner) => {
    const word = fresh("Zebra")
    const one = await made(owner.post("/api/tools", { ...python(), tags: [`x${word}y`] }))
    const two = await made(owner.post("/api/tools", { ...python(), description: `A ${word}` }))
    const three = await made(owner.post("/api/tools", { ...python(), display_name: word }))
    const found = async (path: string) =>
      (await owner.get(path)).body.items.map((item: { id: string }) => item.id).sort()
    assert.deepStrictEqual(await found(`/api/tools?search=${word.toUpperCase()}`), [one.id, two.id, three.id].sort())
    assert.deepStrictEqual(await found(`/api/tools?search=${word}&category=other`), [])
    const book = await made(owner.post("/api/playbooks", { ...playbook(), description: word }))
    assert.deepStrictEqual(await found(`/api/playbooks?search=${word.toLowerCase()}`), [book.id])
    // Wildcards of SQL are characters like any other.
    assert.deepStrictEqual(await found(`/api/tools?search=${encodeURIComponent(`${word.slice(0, 3)}%`)}`), [])
    assert.deepStrictEqual(await found(`/api/tools?search=${encodeURIComponent(`%_\\`)}`), [])
  })

  test("type filters implementation_type, is_default the built-ins, category the label", async (_, server) => {
    const owner = await server.ownerOf("filters")
    const one = await made(owner.post("/api/tools", { ...http(), category: "web" }))
    await made(owner.post("/api/tools", python()))
    const names = async (query: string) =>
      (await owner.get(`/api/tools?${query}`)).body.items.map((item: { name: string }) => item.name)
    assert.deepStrictEqual(await names("type=http"), [one.name])
    assert.deepStrictEqual(await names("category=web"), [one.name])
    assert.lengthOf(await names("is_default=false"), 2)
    assert.sameMembers(await names("is_default=true&type=python"), [
      ...["end_call", "transfer_call", "send_dtmf", "lookup_faq", "get_current_time", "record_outcome"],
      ...["schedule_callback", "add_to_do_not_call", "leave_voicemail"],
    ])
    await refused(owner.get("/api/tools?type=ruby"), 400, "invalid_request", "/query/type")
    await refused(owner.get("/api/tools?is_default=maybe"), 400, "invalid_request", "/query/is_default")
  })

  test("tool: name, description and implementation_type are required", async (owner) => {
    for (const field of ["name", "description", "implementation_type"]) {
      const { [field]: _, ...rest }: Record<string, unknown> = python()
      await refused(owner.post("/api/tools", rest), 400, "invalid_request", `/${field}`)
    }
  })

  test("tool: a name is what every language model accepts as a function", async (owner) => {
    for (const name of ["", "1a", "a b", "é", "a.b", "a".repeat(65), "-a", "a\n"]) {
      await refused(owner.post("/api/tools", { ...python(), name }), 400, "invalid_request", "/name")
    }
    await made(owner.post("/api/tools", { ...python(), name: `_${"a".repeat(63)}` }))
  })

  test("tool: defaults", async (owner) => {
    const name = fresh("book_a-table")
    const { body } = await owner.post("/api/tools", { ...python(), name })
    assert.deepInclude(body, {
      display_name: `Book a table ${name.slice(-8)}`,
      category: "general",
      schema: { type: "object", properties: {}, required: [] },
      implementation_config: {},
      tags: [],
    })
    const config = (await made(owner.post("/api/tools", http()))).implementation_config
    assert.deepStrictEqual(config, {
      url: "https://example.com/hook",
      method: "POST",
      headers: {},
      timeout_ms: 10_000,
      authentication: { type: "none" },
    })
  })

  test("tool: python code is required, must parse, and define one top-level function of two parameters", async (owner) => {
    const { implementation_code: _, ...without } = python()
    await refused(owner.post("/api/tools", without), 400, "invalid_request", "/implementation_code")
    for (const implementation_code of [
      "",
      "x = 1\n",
      "def run(arguments):\n    pass\n",
      "def run(a, b, c):\n    pass\n",
      "def run(*both):\n    pass\n",
      "def a(x, y):\n    pass\ndef b(x, y):\n    pass\n",
      "class A:\n    def run(self, y):\n        pass\n",
    ]) {
      const answer = owner.post("/api/tools", { ...python(), implementation_code })
      await refused(answer, 400, "invalid_request", "/implementation_code")
    }
    const broken = "def run(arguments, context):\n    return 1 1\n"
    const body = await refused(
      owner.post("/api/tools", { ...python(), implementation_code: broken }),
      400,
      "invalid_request",
    )
    assert.match(body.detail, /line 2, column \d+/)
    const rich = "import json\nLIMIT = 3\n\nasync def run(arguments: dict, context=None) -> dict:\n    return {}\n"
    await made(owner.post("/api/tools", { ...python(), implementation_code: rich }))
  })

  test("tool: for http, code must be absent and a URL present", async (owner) => {
    const answer = owner.post("/api/tools", { ...http(), implementation_code: source })
    await refused(answer, 400, "invalid_request", "/implementation_code")
    const { implementation_config: _, ...without } = http()
    await refused(owner.post("/api/tools", without), 400, "invalid_request", "/implementation_config/url")
    await made(owner.post("/api/tools", { ...http(), implementation_code: null }))
    await made(owner.post("/api/tools", http({ url: "http://127.0.0.1:9/plain-http-in-development" })))
  })

  test("tool: every part of an http config is judged, each fault by its pointer", async (owner) => {
    const under = "/implementation_config"
    for (const [config, pointer] of [
      [{ url: "ftp://example.com" }, `${under}/url`],
      [{ url: "example.com" }, `${under}/url`],
      [{ url: "https://user:secret@example.com" }, `${under}/url`],
      [{ method: "TRACE" }, `${under}/method`],
      [{ timeout_ms: 0 }, `${under}/timeout_ms`],
      [{ timeout_ms: 60_001 }, `${under}/timeout_ms`],
      [{ headers: { "bad header": "x" } }, `${under}/headers/bad header`],
      [{ headers: { good: "line\r\nbreak" } }, `${under}/headers/good`],
      [{ authentication: { type: "bearer" } }, `${under}/authentication/token`],
      [{ authentication: { type: "oauth" } }, `${under}/authentication/type`],
      [{ authentication: { type: "basic", username: "a:b", password: "c" } }, `${under}/authentication/username`],
      [{ authentication: { type: "none", token: "x" } }, `${under}/authentication/token`],
      [{ verify_tls: false }, `${under}/verify_tls`],
    ] as const) {
      const body = await refused(owner.post("/api/tools", http(config)), 400, "invalid_request")
      const pointers = body.errors.map((error: { pointer: string }) => error.pointer)
      assert.isTrue(
        pointers.some((found: string) => pointer.startsWith(found) && found.startsWith(under)),
        `${JSON.stringify(config)}: ${pointers}`,
      )
    }
  })

  test("tool: secrets come back as a mask, and the mask sent back keeps them", async (owner) => {
    for (const authentication of [
      { type: "bearer", token: "open sesame" },
      { type: "basic", username: "ali", password: "open sesame" },
      { type: "header", name: "x-key", value: "open sesame" },
    ]) {
      const body = await made(
        owner.post("/api/tools", http({ authentication, headers: { "X-Api-Key": "open sesame" } })),
      )
      const shown = JSON.stringify(body)
      assert.notInclude(shown, "sesame")
      assert.notInclude(shown, "sealed")
      assert.strictEqual(shown.split(mask).length, 3)
      const put = await owner.put(`/api/tools/${body.id}`, { ...body, description: "Changed." })
      assert.deepStrictEqual(put.body.implementation_config, body.implementation_config)
    }
  })

  test("tool: a mask where no secret is stored is a 400", async (owner) => {
    const authentication = { type: "bearer", token: mask }
    const pointer = "/implementation_config/authentication/token"
    await refused(owner.post("/api/tools", http({ authentication })), 400, "invalid_request", pointer)
    const body = await made(owner.post("/api/tools", http()))
    const change = { implementation_config: { ...body.implementation_config, authentication } }
    await refused(owner.put(`/api/tools/${body.id}`, change), 400, "invalid_request", pointer)
  })

  test("tool: schema is JSON Schema 2020-12 within limits, each fault by its pointer", async (owner) => {
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`p${at}`, { type: "string" }]))
    for (const [schema, pointer] of [
      [{}, "/schema/type"],
      [{ type: "string" }, "/schema/type"],
      [{ type: "object", properties: { a: { type: "strin" } } }, "/schema/properties/a/type"],
      [{ type: "object", properties: [] }, "/schema/properties"],
      [{ type: "object", required: "a" }, "/schema/required"],
      [{ type: "object", properties: { a: { format: "shoe-size" } } }, "/schema/properties/a/format"],
      [{ type: "object", properties: { a: { $ref: "https://example.com/a" } } }, "/schema/properties/a/$ref"],
      [{ type: "object", properties: { a: { pattern: "(" } } }, "/schema/properties/a/pattern"],
      [{ type: "object", properties: { a: { pattern: "^(?=b)" } } }, "/schema/properties/a/pattern"],
      [{ type: "object", properties: many }, "/schema/properties"],
      [{ type: "object", description: "x".repeat(70_000) }, "/schema"],
      ["object", "/schema"],
    ] as const) {
      await refused(owner.post("/api/tools", { ...python(), schema }), 400, "invalid_request", pointer)
    }
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { at: { type: "string", format: "date-time" }, mail: { $ref: "#/$defs/mail" } },
      $defs: { mail: { type: "string", format: "email", pattern: "^(a+)+$" } },
      required: ["at"],
      additionalProperties: false,
    }
    const kept = (await made(owner.post("/api/tools", { ...python(), schema }))).schema
    // To the letter: a language model reads the arguments in the order in which their author put them.
    assert.strictEqual(JSON.stringify(kept), JSON.stringify(schema))
  })

  test("tool: changing the implementation type asks for what the new one needs", async (owner) => {
    const { id } = await made(owner.post("/api/tools", python()))
    const toHttp = { implementation_type: "http" }
    await refused(owner.put(`/api/tools/${id}`, toHttp), 400, "invalid_request", "/implementation_config/url")
    const config = { url: "https://example.com" }
    const changed = await owner.put(`/api/tools/${id}`, { ...toHttp, implementation_config: config })
    assert.strictEqual(changed.status, 200)
    assert.isNull(changed.body.implementation_code)
    const back = { implementation_type: "python" }
    await refused(owner.put(`/api/tools/${id}`, back), 400, "invalid_request", "/implementation_code")
    const again = await owner.put(`/api/tools/${id}`, { ...back, implementation_code: source })
    assert.deepStrictEqual(again.body.implementation_config, {})
  })

  test("tool: the name is immutable once an agent enables it or a playbook names it, and so is its being there", async (owner) => {
    const enabled = await made(owner.post("/api/tools", python()))
    const { id } = await made(owner.post("/api/agents", agent()))
    await made(owner.post(`/api/agents/${id}/tools`, { tool_name: enabled.name }))
    const named = await made(owner.post("/api/tools", python()))
    const book = await made(owner.post("/api/playbooks", { ...playbook(), tool_names: [named.name] }))
    for (const tool of [enabled, named]) {
      await refused(owner.put(`/api/tools/${tool.id}`, { name: fresh("other") }), 409, "in_use")
      await refused(owner.delete(`/api/tools/${tool.id}`), 409, "in_use")
      const same = await owner.put(`/api/tools/${tool.id}`, { name: tool.name, description: "Still." })
      assert.strictEqual(same.status, 200)
    }
    assert.strictEqual((await owner.delete(`/api/agents/${id}/tools/${enabled.name}`)).status, 204)
    assert.strictEqual((await owner.put(`/api/playbooks/${book.id}`, { tool_names: [] })).status, 200)
    for (const tool of [enabled, named]) {
      const renamed = await owner.put(`/api/tools/${tool.id}`, { name: fresh("other") })
      assert.strictEqual(renamed.status, 200)
      assert.strictEqual((await owner.delete(`/api/tools/${tool.id}`)).status, 204)
    }
  })

  test("a built-in reports python with null code; its name and implementation cannot be replaced", async (owner) => {
    const { body } = await owner.get("/api/tools/record_outcome")
    assert.deepInclude(body, { implementation_type: "python", implementation_code: null, is_default: true })
    assert.strictEqual((await owner.put("/api/tools/record_outcome", body)).status, 200)
    for (const change of [{ name: "other" }, { implementation_type: "http" }, { implementation_code: source }]) {
      const answer = await refused(owner.put("/api/tools/record_outcome", change), 409, "invalid_state")
      assert.strictEqual(answer.state, "built_in")
    }
  })

  test("enablement: POST is an upsert, 201 new and 200 changed, with defaults", async (owner) => {
    const { id, name } = await made(owner.post("/api/agents", agent()))
    const path = `/api/agents/${encodeURIComponent(name)}/tools`
    const first = await owner.post(path, { tool_name: "end_call", config: { a: [1] } })
    assert.strictEqual(first.status, 201)
    assert.deepInclude(first.body, { tool_name: "end_call", config: { a: [1] }, enabled: true })
    assert.hasAllKeys(first.body, ["tool_name", "config", "enabled", "created_at", "updated_at"])
    const second = await owner.post(path, { tool_name: "end_call", enabled: false })
    assert.strictEqual(second.status, 200)
    assert.deepInclude(second.body, { config: {}, enabled: false, created_at: first.body.created_at })
    const list = await owner.get(`/api/agents/${id}/tools`)
    assert.deepStrictEqual(list.body, { items: [second.body], page: 0, page_size: 50, total: 1 })
    assert.strictEqual((await owner.delete(`/api/agents/${id}/tools/end_call`)).status, 204)
    await refused(owner.delete(`/api/agents/${id}/tools/end_call`), 404, "not_found")
  })

  test("an id or a name in a body that names nothing is a 404 with a pointer", async (owner) => {
    const { id } = await made(owner.post("/api/agents", agent()))
    const unknown = [
      ["tools", { tool_name: "no_such_tool" }, "/tool_name"],
      ["playbooks", { playbook_id: "no such playbook" }, "/playbook_id"],
      ["playbooks", { playbook_id: unknownId }, "/playbook_id"],
      ["faqs", { faq_id: "no-such-faq" }, "/faq_id"],
    ] as const
    for (const [part, body, pointer] of unknown) {
      await refused(owner.post(`/api/agents/${id}/${part}`, body), 404, "reference_not_found", pointer)
      await refused(owner.post(`/api/agents/${unknownId}/${part}`, body), 404, "not_found")
      await refused(owner.get(`/api/agents/${unknownId}/${part}`), 404, "not_found")
      await refused(owner.delete(`/api/agents/${id}/${part}/nothing`), 404, "not_found")
    }
    const inbound = { ...number(), inbound_agent_id: unknownId }
    await refused(owner.post("/api/phone-numbers", inbound), 404, "reference_not_found", "/inbound_agent_id")
    const noUuid = { ...number(), inbound_agent_id: "Rosa" }
    await refused(owner.post("/api/phone-numbers", noUuid), 400, "invalid_request", "/inbound_agent_id")
  })

  test("playbook: attach answers 201, again 200, with position and the tools that are missing", async (owner) => {
    const { id } = await made(owner.post("/api/agents", agent()))
    const book = await made(owner.post("/api/playbooks", { ...playbook(), tool_names: ["end_call", "not_there_yet"] }))
    const path = `/api/agents/${id}/playbooks`
    const first = await owner.post(path, { playbook_id: book.id })
    assert.strictEqual(first.status, 201)
    assert.deepStrictEqual(first.body, {
      playbook_id: book.id,
      name: book.name,
      position: 0,
      missing_tools: ["end_call", "not_there_yet"],
    })
    await made(owner.post(`/api/agents/${id}/tools`, { tool_name: "end_call" }))
    const again = await owner.post(path, { playbook_id: book.name })
    assert.strictEqual(again.status, 200)
    assert.deepStrictEqual(again.body, { ...first.body, missing_tools: ["not_there_yet"] })
    await owner.post(`/api/agents/${id}/tools`, { tool_name: "end_call", enabled: false })
    assert.deepStrictEqual((await owner.post(path, { playbook_id: book.id })).body, first.body)
  })

  test("playbook: attachments keep their order, and position moves one", async (owner) => {
    const { id } = await made(owner.post("/api/agents", agent()))
    const path = `/api/agents/${id}/playbooks`
    const books = []
    for (let count = 0; count < 3; count++) {
      const book = await made(owner.post("/api/playbooks", playbook()))
      books.push(book.name)
      assert.strictEqual((await made(owner.post(path, { playbook_id: book.id }))).position, count)
    }
    const order = async () => (await owner.get(path)).body.items.map((item: { name: string }) => item.name)
    assert.deepStrictEqual(await order(), books)
    await owner.post(path, { playbook_id: books[0], position: 7 })
    assert.deepStrictEqual(await order(), [books[1], books[2], books[0]])
    assert.strictEqual((await owner.delete(`${path}/${books[1]}`)).status, 204)
    assert.deepStrictEqual(await order(), [books[2], books[0]])
    await refused(owner.post(path, { playbook_id: books[1], position: -1 }), 400, "invalid_request", "/position")
  })

  test("FAQ: attach answers 201, again 200, with {faq_id, name}", async (owner) => {
    const { id } = await made(owner.post("/api/agents", agent()))
    const { id: faq_id, name } = await made(owner.post("/api/faqs", faq()))
    const path = `/api/agents/${id}/faqs`
    for (const [key, status] of [
      [name, 201],
      [faq_id, 200],
    ] as const) {
      const answer = await owner.post(path, { faq_id: key })
      assert.deepStrictEqual([answer.status, answer.body], [status, { faq_id, name }])
    }
    assert.deepStrictEqual((await owner.get(path)).body.items, [{ faq_id, name }])
    await refused(owner.delete(`/api/faqs/${faq_id}`), 409, "in_use")
    assert.strictEqual((await owner.delete(`${path}/${name}`)).status, 204)
    await refused(owner.delete(`${path}/${name}`), 404, "not_found")
    assert.strictEqual((await owner.delete(`/api/faqs/${faq_id}`)).status, 204)
  })

  test("a playbook that an agent has attached cannot be deleted", async (owner) => {
    const { id } = await made(owner.post("/api/agents", agent()))
    const book = await made(owner.post("/api/playbooks", playbook()))
    await made(owner.post(`/api/agents/${id}/playbooks`, { playbook_id: book.id }))
    await refused(owner.delete(`/api/playbooks/${book.id}`), 409, "in_use")
    assert.strictEqual((await owner.delete(`/api/agents/${id}/playbooks/${book.id}`)).status, 204)
    assert.strictEqual((await owner.delete(`/api/playbooks/${book.id}`)).status, 204)
  })

  test("agent: defaults", async (owner) => {
    const {
      created_at: _,
      id: __,
      name: ___,
      updated_at: ____,
      ...rest
    } = await made(owner.post("/api/agents", agent()))
    assert.deepStrictEqual(rest, {
      description: "",
      system_prompt: "Hello {{first_name}}",
      first_message: "",
      language: "en",
      voice: { provider: "lab", id: "default", speed: 1 },
      model: { provider: "scripted", id: "scripted" },
      temperature: 0.3,
      max_call_seconds: 600,
      silence_timeout_seconds: 10,
      interruptible: true,
      voicemail_action: "hang_up",
      recording: false,
      outcome_schema: null,
      is_default: false,
    })
  })

  test("agent: name and system_prompt are required, and every field has its bounds", async (owner) => {
    await refused(owner.post("/api/agents", { name: fresh("a") }), 400, "invalid_request", "/system_prompt")
    await refused(owner.post("/api/agents", { system_prompt: "x" }), 400, "invalid_request", "/name")
    for (const [field, values] of Object.entries({
      temperature: [-0.1, 2.1, "hot"],
      max_call_seconds: [9, 14_401, 10.5],
      silence_timeout_seconds: [1, 121],
      voicemail_action: ["sing"],
      language: ["English", "e", ""],
      interruptible: ["yes"],
      recording: [1],
      name: ["", " a", "a\nb"],
      system_prompt: [""],
    })) {
      for (const value of values) {
        await refused(owner.post("/api/agents", { ...agent(), [field]: value }), 400, "invalid_request", `/${field}`)
      }
    }
    const speed = { ...agent(), voice: { speed: 9 } }
    await refused(owner.post("/api/agents", speed), 400, "invalid_request", "/voice/speed")
  })

  test("agent: prompts are Liquid templates that must parse", async (owner) => {
    const good = 'Hi {{ first_name | default: "there" }}, it is {{ now | date: "%H:%M" }} in {{ campaign.name }}.'
    await made(owner.post("/api/agents", { ...agent(), system_prompt: good, first_message: good }))
    for (const text of ["{{ a", "{% if a %}", "{{ a | shout }}", "{% include 'secrets' %}"]) {
      for (const field of ["system_prompt", "first_message"]) {
        await refused(owner.post("/api/agents", { ...agent(), [field]: text }), 400, "invalid_request", `/${field}`)
      }
      await refused(owner.post("/api/playbooks", { ...playbook(), prompt: text }), 400, "invalid_request", "/prompt")
    }
  })

  test("agent: a part of voice or model that is left out keeps its value", async (owner) => {
    const { id } = await made(owner.post("/api/agents", { ...agent(), voice: { id: "amber" } }))
    const { body } = await owner.put(`/api/agents/${id}`, { voice: { speed: 1.2 }, model: { id: "small" } })
    assert.deepStrictEqual(body.voice, { provider: "lab", id: "amber", speed: 1.2 })
    assert.deepStrictEqual(body.model, { provider: "scripted", id: "small" })
  })

  test("agent: outcome_schema is a JSON Schema of an object, or null", async (owner) => {
    const outcome_schema = { type: "object", properties: { accepted: { type: "boolean" } } }
    const { body } = await owner.post("/api/agents", { ...agent(), outcome_schema })
    assert.deepStrictEqual(body.outcome_schema, outcome_schema)
    assert.isNull((await owner.put(`/api/agents/${body.id}`, { outcome_schema: null })).body.outcome_schema)
    const wrong = { ...agent(), outcome_schema: { type: "string" } }
    await refused(owner.post("/api/agents", wrong), 400, "invalid_request", "/outcome_schema/type")
  })

  test("agent: deleting takes its enablements and attachments along", async (owner) => {
    const tool = await made(owner.post("/api/tools", python()))
    const book = await made(owner.post("/api/playbooks", playbook()))
    const entry = await made(owner.post("/api/faqs", faq()))
    const { id } = await made(owner.post("/api/agents", agent()))
    await made(owner.post(`/api/agents/${id}/tools`, { tool_name: tool.name }))
    await made(owner.post(`/api/agents/${id}/playbooks`, { playbook_id: book.id }))
    await made(owner.post(`/api/agents/${id}/faqs`, { faq_id: entry.id }))
    assert.strictEqual((await owner.delete(`/api/agents/${id}`)).status, 204)
    for (const path of [`/api/tools/${tool.id}`, `/api/playbooks/${book.id}`, `/api/faqs/${entry.id}`]) {
      assert.strictEqual((await owner.delete(path)).status, 204)
    }
  })

  test("agent: one that a number's inbound_agent_id names cannot be deleted", async (owner) => {
    const { id } = await made(owner.post("/api/agents", agent()))
    const phone = await made(owner.post("/api/phone-numbers", { ...number(), inbound_agent_id: id }))
    await refused(owner.delete(`/api/agents/${id}`), 409, "in_use")
    const freed = await owner.put(`/api/phone-numbers/${phone.id}`, { inbound_agent_id: null })
    assert.isNull(freed.body.inbound_agent_id)
    assert.strictEqual((await owner.delete(`/api/agents/${id}`)).status, 204)
  })

  test("agent: one that a widget key speaks through cannot be deleted", async (owner) => {
    const { id } = await made(owner.post("/api/agents", agent()))
    const key = { name: "Site", kind: "public", agent_id: id, origins: ["https://example.com"] }
    const widget = await made(owner.post("/api/v1/widget-keys", key))
    await refused(owner.delete(`/api/agents/${id}`), 409, "in_use")
    assert.strictEqual((await owner.delete(`/api/v1/widget-keys/${widget.id}`)).status, 204)
    assert.strictEqual((await owner.delete(`/api/agents/${id}`)).status, 204)
  })

  test("phone number: defaults, and the fields of the answer", async (owner) => {
    const input = number()
    const { created_at: _, id: __, updated_at: ___, ...rest } = await made(owner.post("/api/phone-numbers", input))
    assert.deepStrictEqual(rest, { ...input, label: "", carrier_config: {}, inbound_agent_id: null })
    for (const field of ["number", "carrier"]) {
      const { [field]: _, ...without }: Record<string, unknown> = number()
      await refused(owner.post("/api/phone-numbers", without), 400, "invalid_request", `/${field}`)
    }
    const carrier = { ...number(), carrier: "pigeon" }
    await refused(owner.post("/api/phone-numbers", carrier), 400, "invalid_request", "/carrier")
  })

  test("phone number: E.164 and nothing that merely looks like it", async (owner) => {
    const texts = [
      ...["4155550132", "+0155550132", "+123456", "+1234567890123456", "=+14155550132", "+14155550132\u200b"],
      ...["+1 415 555 0132", "+1-415-555-0132", "+１４１５５５５０１３２", "tel:+14155550132", "+14155550132\n"],
    ]
    for (const text of texts) {
      await refused(owner.post("/api/phone-numbers", { ...number(), number: text }), 400, "invalid_request", "/number")
      const suppression = owner.post("/api/v1/suppressions", { phone_number: text })
      await refused(suppression, 400, "invalid_request", "/phone_number")
    }
  })

  test("phone number: secrets of carrier_config are masked, and the mask keeps them", async (owner) => {
    const carrier_config = { account_sid: "AC1", auth_token: "open sesame", sip: { password: "sesame", user: "u" } }
    const body = await made(owner.post("/api/phone-numbers", { ...number(), carrier: "twilio", carrier_config }))
    const shown = { account_sid: "AC1", auth_token: mask, sip: { password: mask, user: "u" } }
    assert.deepStrictEqual(body.carrier_config, shown)
    const put = await owner.put(`/api/phone-numbers/${body.id}`, { carrier_config: { ...shown, account_sid: "AC2" } })
    assert.deepStrictEqual(put.body.carrier_config, { ...shown, account_sid: "AC2" })
    const lost = await owner.put(`/api/phone-numbers/${body.id}`, { carrier_config: {} })
    assert.deepStrictEqual(lost.body.carrier_config, {})
    const pointer = "/carrier_config/auth_token"
    const change = { carrier_config: { auth_token: mask } }
    await refused(owner.put(`/api/phone-numbers/${body.id}`, change), 400, "invalid_request", pointer)
  })

  test("suppression: 201, then 200 with the updated entry, then 204 and 404", async (owner) => {
    const phone_number = "+14155557777"
    const first = await owner.post("/api/v1/suppressions", { phone_number, reason: "By letter" })
    assert.strictEqual(first.status, 201)
    const { created_at, ...rest } = first.body
    assert.deepStrictEqual(rest, { phone_number, source: "api", call_id: null, reason: "By letter", expires_at: null })
    const expires_at = "2040-01-01T01:00:00+01:00"
    const second = await owner.post("/api/v1/suppressions", { phone_number, expires_at })
    assert.strictEqual(second.status, 200)
    assert.deepInclude(second.body, { created_at, reason: null, expires_at: "2040-01-01T00:00:00.000Z" })
    const { items } = (await owner.get("/api/v1/suppressions")).body
    assert.deepInclude(items, second.body)
    const path = `/api/v1/suppressions/${encodeURIComponent(phone_number)}`
    assert.strictEqual((await owner.delete(path)).status, 204)
    await refused(owner.delete(path), 404, "not_found")
    await refused(owner.delete("/api/v1/suppressions/nonsense"), 404, "not_found")
    const when = { phone_number, expires_at: "tomorrow" }
    await refused(owner.post("/api/v1/suppressions", when), 400, "invalid_request", "/expires_at")
  })

  test("every documented operation of the catalog has a summary, a description and an example", async (_, server) => {
    const { body } = await server.request("GET", "/openapi.json")
    const paths = Object.entries<Record<string, any>>(body.paths).filter(([path]) =>
      /^\/api\/(?:tools|playbooks|faqs|agents|phone-numbers|v1\/suppressions)/.test(path),
    )
    assert.isAbove(paths.length, 15)
    for (const [path, operations] of paths) {
      for (const [method, operation] of Object.entries<any>(operations)) {
        assert.isNotEmpty(operation.summary, `${method} ${path}`)
        assert.isNotEmpty(operation.description, `${method} ${path}`)
        const content = operation.requestBody?.content["application/json"].schema
        const schema = content?.$ref === undefined ? content : body.components.schemas[content.$ref.split("/").at(-1)]
        if (schema !== undefined) assert.isNotEmpty(schema.examples, `${method} ${path}`)
      }
    }
  })
})
