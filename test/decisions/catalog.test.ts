/** What holds for every resource that feeds an agent. */
import { assert } from "@effect/vitest"
import type { JsonSchema } from "../support/Boundaries.ts"
import {
  agent,
  catalog,
  faq,
  fresh,
  http,
  made,
  number,
  playbook,
  python,
  refused,
  unknownId,
} from "../support/Catalog.ts"
import { type Document, operationsOf } from "../support/OpenApi.ts"

const writable = [
  { path: "/api/tools", make: python, change: { description: "Changed." } },
  { path: "/api/playbooks", make: playbook, change: { prompt: "Changed." } },
  { path: "/api/faqs", make: faq, change: { answer: "Changed." } },
  { path: "/api/agents", make: agent, change: { system_prompt: "Changed." } },
  { path: "/api/phone-numbers", make: number, change: { label: "Changed." } },
] as const

catalog((test) => {
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
      /** What a change always moves; an agent has a version besides. */
      const moved = { updated_at: "", version: 0 }
      const before = await made(owner.post(path, make()))
      const after = await owner.put(`${path}/${before.id}`, { ...before, ...change })
      assert.strictEqual(after.status, 200, JSON.stringify(after.body))
      assert.deepStrictEqual({ ...after.body, ...moved }, { ...before, ...change, ...moved })
      const alone = await owner.put(`${path}/${before.id}`, change)
      assert.deepStrictEqual({ ...alone.body, ...moved }, { ...before, ...change, ...moved })
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
      const total = (await owner.get(path)).body.total!
      const ids: Array<string> = []
      for (let count = 0; count < 5; count++) ids.unshift((await made(owner.post(path, make()))).id)
      const seen: Array<string> = []
      for (const page of [0, 1, 2]) {
        const { body } = await owner.get(`${path}?page=${page}&page_size=2`)
        assert.deepInclude(body, { page, page_size: 2, total: total + 5 })
        seen.push(...body.items!.map((item: { id: string }) => item.id))
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
    const found = async (path: `/api/${"tools" | "playbooks"}?${string}`) =>
      (await owner.get(path)).body.items!.map((item) => item.id).sort()
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
    const names = async (query: string) => (await owner.get(`/api/tools?${query}`)).body.items!.map((item) => item.name)
    assert.deepStrictEqual(await names("type=http"), [one.name])
    assert.deepStrictEqual(await names("category=web"), [one.name])
    assert.lengthOf(await names("is_default=false"), 2)
    assert.sameMembers(await names("is_default=true&type=python"), [
      ...["end_call", "transfer_call", "send_dtmf", "collect_digits", "lookup_faq", "get_current_time"],
      ...["record_outcome", "schedule_callback", "add_to_do_not_call", "leave_voicemail"],
      ...["pause_recording", "resume_recording", "switch_language"],
    ])
    await refused(owner.get("/api/tools?type=ruby"), 400, "invalid_request", "/query/type")
    await refused(owner.get("/api/tools?is_default=maybe"), 400, "invalid_request", "/query/is_default")
  })

  test("a 404 for a part of an agent has a fixed term as its resource, and names the agent beside it", async (owner) => {
    const { id, name } = await made(owner.post("/api/agents", agent()))
    const tool = await made(owner.post("/api/tools", python()))
    const prompt = await made(owner.post("/api/playbooks", playbook()))
    const asked = await made(owner.post("/api/faqs", faq()))
    const path = `/api/agents/${id}` as const
    for (const [answer, part, missing] of [
      [owner.delete(`${path}/tools/${tool.name}`), "tool", tool.name],
      [owner.delete(`${path}/playbooks/${prompt.id}`), "playbook", prompt.name],
      [owner.delete(`${path}/faqs/${asked.id}`), "FAQ", asked.name],
      [owner.get(`${path}/versions/9`), "version", "9"],
      [owner.get(`${path}/scenario-runs/${unknownId}`), "scenario run", unknownId],
    ] as const) {
      const problem: object = await refused(answer, 404, "not_found")
      assert.deepInclude(problem, {
        resource: `${part} of an agent`,
        agent: name,
        id: missing,
        detail: `The agent ${name} has no ${part} ${missing}`,
      })
    }
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

  test("every documented operation of the catalog has a summary, a description and an example", async (_, server) => {
    const { body } = await server.request("GET", "/openapi.json")
    const document = body as Document
    const ofCatalog = operationsOf(document).filter(({ path }) =>
      /^\/api\/(?:tools|playbooks|faqs|agents|phone-numbers|v1\/suppressions)/.test(path),
    )
    assert.isAbove(new Set(ofCatalog.map(({ path }) => path)).size, 15)
    for (const operation of ofCatalog) {
      const name = `${operation.method} ${operation.path}`
      assert.isNotEmpty(operation.summary, name)
      assert.isNotEmpty(operation.description, name)
      const content: JsonSchema | undefined = operation.requestBody?.content["application/json"]?.schema
      const shared = document.components.schemas[content?.$ref?.split("/").at(-1) ?? ""]
      const schema: { readonly examples?: unknown } | undefined = shared ?? content
      if (schema !== undefined) assert.isNotEmpty(schema.examples, name)
    }
  })
})
