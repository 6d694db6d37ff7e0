/** What an agent was: versions, what keeps them, and their differences (decision 0016). */
import { assert, it } from "@effect/vitest"
import { create, restore, versionOf, versions } from "../support/AgentVersions.ts"
import { type InAccount, inAccountOfItsOwn, numbersOf } from "../support/Campaigner.ts"
import { faq, http, playbook, python, refused, unknownId } from "../support/Catalog.ts"
import { made } from "../support/Fixtures.ts"
import { sideBySide, TestServer } from "../support/TestServer.ts"

it.layer(TestServer.layer, sideBySide)("an agent's versions", (it) => {
  const test = (name: string, body: InAccount) => it.effect(name, () => inAccountOfItsOwn(body))

  test("every change makes the next one, whichever client or part of the agent it comes from", async (_, owner) => {
    const path = await create(owner)
    const tool = made(await owner.post("/api/tools", http()))
    const prompt = made(await owner.post("/api/playbooks", playbook()))
    const asked = made(await owner.post("/api/faqs", faq()))
    const steps: ReadonlyArray<readonly [string, () => Promise<unknown>]> = [
      ["a field", () => owner.put(path, { system_prompt: "Hello." })],
      ["a tool enabled", () => owner.post(`${path}/tools`, { tool_name: tool.name })],
      ["its settings", () => owner.post(`${path}/tools`, { tool_name: tool.name, config: { room: 1 } })],
      ["the tool itself", () => owner.put(`/api/tools/${tool.id}`, { description: "Another." })],
      ["switched off", () => owner.post(`${path}/tools`, { tool_name: tool.name, enabled: false })],
      ["taken away", () => owner.delete(`${path}/tools/${tool.name}`)],
      ["a playbook", () => owner.post(`${path}/playbooks`, { playbook_id: prompt.id })],
      ["its text", () => owner.put(`/api/playbooks/${prompt.id}`, { prompt: "Be brief." })],
      ["detached", () => owner.delete(`${path}/playbooks/${prompt.id}`)],
      ["an FAQ", () => owner.post(`${path}/faqs`, { faq_id: asked.id })],
      ["detached", () => owner.delete(`${path}/faqs/${asked.id}`)],
    ]
    let before = 1
    assert.strictEqual(await versionOf(owner, path), before)
    for (const [what, step] of steps) {
      await step()
      assert.strictEqual(await versionOf(owner, path), ++before, what)
    }
    const all = await versions(owner, path)
    assert.deepStrictEqual(
      all.map(({ version }) => version),
      Array.from({ length: before }, (_, at) => before - at),
    )
    assert.deepStrictEqual(
      all.map(({ is_current }) => is_current),
      all.map((_: unknown, at: number) => at === 0),
    )
  })

  test("what leaves it what it is makes none", async (_, owner) => {
    const path = await create(owner, { voice: { speed: 1.5 }, outcome_schema: { type: "object", properties: {} } })
    const tool = made(await owner.post("/api/tools", http({ authentication: { type: "bearer", token: "one-secret" } })))
    const prompt = made(await owner.post("/api/playbooks", playbook()))
    const asked = made(await owner.post("/api/faqs", faq()))
    made(await owner.post(`${path}/tools`, { tool_name: tool.name, config: { a: 1, b: 2 } }))
    made(await owner.post(`${path}/playbooks`, { playbook_id: prompt.id }))
    made(await owner.post(`${path}/faqs`, { faq_id: asked.id }))
    const whole = made(await owner.get(path))
    const version = whole.version
    made(await owner.put(path, whole))
    made(await owner.post(`${path}/tools`, { tool_name: tool.name, config: { b: 2, a: 1 } }))
    made(await owner.post(`${path}/playbooks`, { playbook_id: prompt.id, position: 7 }))
    made(await owner.put(`/api/faqs/${asked.id}`, { answer: "Another." }))
    made(await owner.put(`/api/tools/${tool.id}`, { tags: ["label"], category: "label" }))
    const other = {
      implementation_config: { url: "https://example.com/hook", authentication: { type: "bearer", token: "another" } },
    }
    made(await owner.put(`/api/tools/${tool.id}`, other))
    assert.strictEqual(await versionOf(owner, path), version)
  })

  test("it says who made it: a person by subject and email, an API key by its name", async (_, owner) => {
    const path = await create(owner)
    const key = made(await owner.post("/api/v1/api-keys", { name: "deploy", scopes: ["read", "write"] }))
    made(await owner.put(path, { description: "by key" }, { token: key.key }))
    const [second, first] = await versions(owner, path)
    assert.deepStrictEqual(second!.created_by, { type: "api_key", id: key.id, name: "deploy" })
    assert.deepInclude(first!.created_by, { type: "person", email: `owner@${owner.account}.example` })
    assert.isString(first!.created_by?.type === "person" && first!.created_by.subject)
    assert.isAtMost(Date.parse(first!.created_at), Date.parse(second!.created_at))
  })

  test("one has all that the agent was, and no secret of its tools", async (_, owner) => {
    const path = await create(owner, { description: "was" })
    const secret = { type: "header", name: "X-Key", value: "very-secret-value" }
    const tool = made(
      await owner.post("/api/tools", http({ authentication: secret, headers: { "X-Api-Key": "other-secret" } })),
    )
    const prompt = made(await owner.post("/api/playbooks", { ...playbook(), prompt: "Was so." }))
    const asked = made(await owner.post("/api/faqs", faq()))
    made(await owner.post(`${path}/tools`, { tool_name: tool.name, config: { room: 1 } }))
    made(await owner.post(`${path}/playbooks`, { playbook_id: prompt.id }))
    made(await owner.post(`${path}/faqs`, { faq_id: asked.id }))
    const then = await versionOf(owner, path)
    made(await owner.put(path, { description: "is" }))
    made(await owner.put(`/api/playbooks/${prompt.id}`, { prompt: "Is so." }))
    const old = made(await owner.get(`${path}/versions/${then}`))
    assert.strictEqual(old.agent.description, "was")
    assert.strictEqual(old.playbooks[0]!.definition.prompt, "Was so.")
    assert.deepInclude(old.tools[0], { tool_name: tool.name, enabled: true, config: { room: 1 } })
    assert.nestedPropertyVal(old.tools[0]!.definition!.implementation_config, "authentication.value", "********")
    assert.deepStrictEqual(old.faqs, [{ faq_id: asked.id, name: asked.name }])
    const text = JSON.stringify([old, made(await owner.get(`${path}/versions/${then}/diff?against=0`))])
    assert.notInclude(text, "very-secret-value")
    assert.notInclude(text, "other-secret")
    assert.notInclude(text, "$sealed")
  })

  test("a difference is told field by field, and of longer texts line by line", async (_, owner) => {
    const path = await create(owner, { system_prompt: "One.\nTwo.\nThree.\n", temperature: 0.1 })
    const { name } = made(await owner.post("/api/tools", python()))
    made(await owner.put(path, { system_prompt: "One.\n2.\nThree.\n", temperature: 0.2 }))
    const changes = (of: number, query: "" | `?${string}` = "") =>
      owner.get(`${path}/versions/${of}/diff${query}`).then((answer) => made(answer).changes)
    const [prompt, temperature, ...none] = await changes(2)
    assert.deepStrictEqual(none, [])
    assert.deepInclude(prompt, { path: "/agent/system_prompt", kind: "changed", after: "One.\n2.\nThree.\n" })
    assert.include(prompt!.diff, "@@ -1,3 +1,3 @@\n One.\n-Two.\n+2.\n Three.\n")
    assert.deepStrictEqual(temperature, {
      path: "/agent/temperature",
      kind: "changed",
      before: 0.1,
      after: 0.2,
      diff: null,
    })
    made(await owner.post(`${path}/tools`, { tool_name: name }))
    const added = await changes(3)
    assert.deepInclude(added[0], { path: `/tools/${name}/enabled`, kind: "added", after: true })
    const back = await changes(1, "?against=3")
    assert.isTrue(
      back.some((change) => change.path === `/tools/${name}/implementation_code` && change.kind === "removed"),
    )
    assert.deepStrictEqual(await changes(3, "?against=3"), [])
    const first = made(await owner.get(`${path}/versions/1/diff`))
    assert.isNull(first.against)
    assert.isTrue(first.changes.every(({ kind }) => kind === "added"))
  })

  test("changes that come at once make one version each, without a gap and none twice", async (_, owner) => {
    const path = await create(owner)
    const made_ = async (kind: "playbooks" | "faqs", body: object) => made(await owner.post(`/api/${kind}`, body))
    const prompts = await Promise.all(Array.from({ length: 6 }, () => made_("playbooks", playbook())))
    const faqs = await Promise.all(Array.from({ length: 6 }, () => made_("faqs", faq())))
    const answers = await Promise.all([
      ...prompts.map(({ id }) => owner.post(`${path}/playbooks`, { playbook_id: id })),
      ...prompts.map(({ id }, at) => owner.put(`/api/playbooks/${id}`, { prompt: `Text ${at}` })),
      ...faqs.map(({ id }) => owner.post(`${path}/faqs`, { faq_id: id })),
      ...["end_call", "send_dtmf", "lookup_faq"].map((tool_name) => owner.post(`${path}/tools`, { tool_name })),
      ...Array.from({ length: 6 }, (_, at) => owner.put(path, { description: `Text ${at}` })),
      ...Array.from({ length: 3 }, () => restore(owner, path, 1)),
    ])
    for (const { body, status } of answers) assert.isBelow(status, 300, JSON.stringify(body))
    const all = made(await owner.get(`${path}/versions?page_size=100`)).items.map(({ version }) => version)
    assert.deepStrictEqual(
      all,
      Array.from({ length: all.length }, (_, at) => all.length - at),
    )
    assert.strictEqual(await versionOf(owner, path), all.length)
    const { definition } = made(await owner.get(`${path}/versions/${all.length}`)).playbooks.at(-1) ?? {
      definition: null,
    }
    const last = made(await owner.get(`${path}/playbooks`)).items.at(-1)
    assert.strictEqual(definition?.name, last?.name)
  })

  test("a running campaign keeps the version it started with, a direct call takes the present one", async (own, owner) => {
    const path = `/api/agents/${own.line.agent_id}` as const
    const { id, ...draft } = await own.draft(numbersOf("01", 2), {
      max_concurrent_calls: "1",
      max_calls_per_minute: "1",
    })
    assert.isNull(draft.agent_version)
    made(await owner.put(path, { first_message: "The first words." }))
    const pinned = await versionOf(owner, path)
    const started = made(await own.operate(id, "start"))
    assert.strictEqual(started.agent_version, pinned)
    await own.until(id, ({ counts }) => counts.completed === 1)
    made(await own.operate(id, "pause"))
    made(await owner.put(path, { first_message: "Other words." }))
    made(await owner.put(`/api/v1/campaigns/${id}`, { name: "renamed" }))
    assert.strictEqual(made(await own.operate(id, "resume")).agent_version, pinned)
    const direct = made(await owner.post("/api/v1/calls", { ...own.line, to: "+14155550001" }))
    assert.strictEqual(direct.agent_version, pinned + 1)
    const [contact] = await own.contacts(id, "status=completed")
    const call = made(await owner.get(`/api/v1/calls/${contact?.last_call_id}`))
    assert.strictEqual(call.agent_version, pinned)
    const detail = made(await owner.get(`/api/v1/campaigns/${id}/contacts/${contact?.id}`))
    assert.strictEqual(detail.attempt_log[0]!.decision!.agent_version, pinned)
    made(await own.operate(id, "stop"))
  })

  test("a call of a campaign speaks as the version that it started with", async (own, owner) => {
    const path = `/api/agents/${own.line.agent_id}` as const
    made(await owner.put(path, { first_message: "The first words." }))
    // Enough of them that the pause comes before the last.
    const { id } = await own.draft(numbersOf("74", 40).concat(numbersOf("01", 1)), { max_concurrent_calls: "1" })
    made(await own.operate(id, "start"))
    made(await own.operate(id, "pause"))
    made(await owner.put(path, { first_message: "Other words." }))
    made(await own.operate(id, "resume"))
    await own.ended(id)
    const [contact] = await own.contacts(id, "status=completed")
    const call = made(await owner.get(`/api/v1/calls/${contact?.last_call_id}`))
    assert.isTrue(call.transcript.some(({ text }) => text === "The first words."))
  })

  test("a tool that a campaign began with is not deleted before its end, though the agent has it no more", async (own, owner) => {
    const path = `/api/agents/${own.line.agent_id}` as const
    const tool = made(await owner.post("/api/tools", python()))
    made(await owner.post(`${path}/tools`, { tool_name: tool.name }))
    const { id } = await own.draft(numbersOf("01", 2), { max_calls_per_minute: "1" })
    made(await own.operate(id, "start"))
    made(await own.operate(id, "pause"))
    await owner.delete(`${path}/tools/${tool.name}`)
    const { detail } = await refused(owner.delete(`/api/tools/${tool.id}`), 409, "in_use")
    assert.include(detail, "the campaign test has not ended")
    made(await own.operate(id, "stop"))
    assert.strictEqual((await owner.delete(`/api/tools/${tool.id}`)).status, 204)
  })

  test("what names no version is a 404, and who only reads goes back to none", async (_, owner) => {
    const path = await create(owner)
    for (const version of ["2", "0", "-1", "1.0", "one", "99999999999", "2147483648"]) {
      await refused(owner.get(`${path}/versions/${version}`), 404, "not_found")
      await refused(owner.post(`${path}/versions/${version}/restore`), 404, "not_found")
    }
    await refused(owner.get(`${path}/versions/1/diff?against=7`), 404, "not_found")
    await refused(owner.get(`${path}/versions/1/diff?against=x`), 400, "invalid_request")
    await refused(owner.get(`/api/agents/${unknownId}/versions`), 404, "not_found")
    const reader = made(await owner.post("/api/v1/api-keys", { name: "reader", scopes: ["read"] })).key
    assert.strictEqual((await owner.get(`${path}/versions/1`, { token: reader })).status, 200)
    await refused(owner.post(`${path}/versions/1/restore`, undefined, { token: reader }), 403, "missing_scope")
  })
})
