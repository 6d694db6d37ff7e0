/** Tools, and which of them an agent may use. */
import { assert } from "@effect/vitest"
import { agent, catalog, fresh, http, made, mask, playbook, python, refused, source } from "../support/Catalog.ts"

catalog((test) => {
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
      [{ headers: { "content-Length": "1" } }, `${under}/headers/content-Length`],
      [{ headers: { Host: "shop.example" } }, `${under}/headers/Host`],
      [{ authentication: { type: "header", name: "Host", value: "x" } }, `${under}/authentication/name`],
      [{ headers: { "Content-Type": "text/xml" } }, `${under}/headers/Content-Type`],
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

  test("tool: an unknown kind of authentication is refused with the known ones", async (owner) => {
    const kinds = 'must be an object whose type is "none", "bearer", "basic" or "header"'
    for (const authentication of [{ type: "oauth" }, { token: "x" }, {}, "x"]) {
      const { errors } = await refused(owner.post("/api/tools", http({ authentication })), 400, "invalid_request")
      assert.deepStrictEqual(errors, [{ pointer: "/implementation_config/authentication", detail: kinds }])
    }
    const basic = { type: "basic", username: "", password: "p" }
    const { errors } = await refused(owner.post("/api/tools", http({ authentication: basic })), 400, "invalid_request")
    assert.deepStrictEqual(errors, [
      {
        pointer: "/implementation_config/authentication/username",
        detail: "must be 1 to 200 characters, without a colon and control characters",
      },
    ])
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
    for (const [schema, pointer] of [
      [{}, "/schema/type"],
      [{ type: "string" }, "/schema/type"],
      [{ type: "object", properties: { a: { type: "strin" } } }, "/schema/properties/a/type"],
      [{ type: "object", properties: [] }, "/schema/properties"],
      [{ type: "object", required: "a" }, "/schema/required"],
      [{ type: "object", properties: { a: { format: "shoe-size" } } }, "/schema/properties/a/format"],
      [{ type: "object", properties: { a: { $ref: "https://example.com/a" } } }, "/schema/properties/a/$ref"],
      [{ type: "object", properties: { a: { pattern: "(" } } }, "/schema/properties/a/pattern"],
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
    const path = `/api/agents/${encodeURIComponent(name)}/tools` as const
    const first = await owner.post(path, { tool_name: "end_call", config: { a: [1] } })
    assert.strictEqual(first.status, 201)
    assert.deepInclude(first.body, { tool_name: "end_call", config: { a: [1] }, enabled: true })
    assert.hasAllKeys(first.body, ["tool_name", "config", "enabled", "created_at", "updated_at"])
    const second = await owner.post(path, { tool_name: "end_call", enabled: false })
    assert.strictEqual(second.status, 200)
    assert.deepInclude(second.body as object, { config: {}, enabled: false, created_at: first.body.created_at })
    const list = await owner.get(`/api/agents/${id}/tools`)
    assert.deepStrictEqual<unknown>(list.body, { items: [second.body], page: 0, page_size: 50, total: 1 })
    assert.strictEqual((await owner.delete(`/api/agents/${id}/tools/end_call`)).status, 204)
    await refused(owner.delete(`/api/agents/${id}/tools/end_call`), 404, "not_found")
  })
})
