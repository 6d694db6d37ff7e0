/** An agent goes back to one of its versions, which is a new version (decision 0016). */
import { assert, it } from "@effect/vitest"
import { create, restore, versionOf } from "../support/AgentVersions.ts"
import { type InAccount, inAccountOfItsOwn } from "../support/Campaigner.ts"
import { agent, faq, http, playbook, python, refused } from "../support/Catalog.ts"
import { made } from "../support/Fixtures.ts"
import { TestServer } from "../support/TestServer.ts"

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })("an agent that goes back", (it) => {
  const test = (name: string, body: InAccount) => it.effect(name, () => inAccountOfItsOwn(body))

  test("going back is a new version that equals the old one, kit and shared texts that are its alone included", async (_, owner) => {
    const path = await create(owner, { system_prompt: "Old." })
    const tool = made(
      await owner.post("/api/tools", http({ authentication: { type: "bearer", token: "first-token" } })),
    )
    const [one, two] = [
      await owner.post("/api/playbooks", playbook()),
      await owner.post("/api/playbooks", playbook()),
    ].map(made)
    const asked = made(await owner.post("/api/faqs", faq()))
    made(await owner.post(`${path}/tools`, { tool_name: tool.name, config: { room: 1 } }))
    for (const each of [one, two]) made(await owner.post(`${path}/playbooks`, { playbook_id: each?.id }))
    made(await owner.post(`${path}/faqs`, { faq_id: asked.id }))
    const good = await versionOf(owner, path)

    made(await owner.put(path, { system_prompt: "New." }))
    made(await owner.put(`/api/playbooks/${one?.id}`, { prompt: "Changed." }))
    made(await owner.put(`/api/tools/${tool.id}`, { description: "Changed." }))
    made(await owner.post(`${path}/playbooks`, { playbook_id: one?.id, position: 9 }))
    made(await owner.post(`${path}/tools`, { tool_name: "end_call" }))
    made(await owner.delete(`${path}/faqs/${asked.id}`))
    const bad = await versionOf(owner, path)

    const answer = await restore(owner, path, good)
    assert.strictEqual(answer.status, 201, JSON.stringify(answer.body))
    assert.strictEqual(answer.body.version, bad + 1)
    assert.strictEqual(answer.body.restored_from, good)
    assert.strictEqual(answer.headers.get("location"), `${path}/versions/${bad + 1}`)
    assert.deepStrictEqual(made(await owner.get(`${path}/versions/${bad + 1}/diff?against=${good}`)).changes, [])
    assert.strictEqual(made(await owner.get(path)).system_prompt, "Old.")
    const attached = made(await owner.get(`${path}/playbooks`)).items
    assert.deepStrictEqual(
      attached.map(({ playbook_id }) => playbook_id),
      [one?.id, two?.id],
    )
    assert.strictEqual((await restore(owner, path, good)).status, 200)
    assert.strictEqual(await versionOf(owner, path), bad + 1)
  })

  test("going back renames nothing: not the agent, its tool or its playbook, and again makes no version", async (_, owner) => {
    const path = await create(owner, { name: "Nora" })
    const other = await create(owner)
    const tool = made(await owner.post("/api/tools", python()))
    const prompt = made(await owner.post("/api/playbooks", playbook()))
    made(await owner.post(`${path}/tools`, { tool_name: tool.name }))
    for (const each of [path, other]) made(await owner.post(`${each}/playbooks`, { playbook_id: prompt.id }))
    const then = await versionOf(owner, path)

    // A tool is renamed while no agent has it.
    await owner.delete(`${path}/tools/${tool.name}`)
    made(await owner.put(`/api/tools/${tool.id}`, { name: "renamed_tool", description: "Changed." }))
    made(await owner.put(`/api/playbooks/${prompt.id}`, { name: "renamed-playbook" }))
    made(await owner.put(path, { name: "Iris", system_prompt: "Changed." }))
    made(await owner.post("/api/agents", { ...agent(), name: "Nora" }))

    const back = made(await restore(owner, path, then))
    assert.deepInclude(back.agent, { name: "Iris", system_prompt: "Hello {{first_name}}" })
    assert.deepInclude(back.tools[0]!.definition, { name: "renamed_tool", description: tool.description })
    assert.strictEqual(back.playbooks[0]!.definition.name, "renamed-playbook")
    assert.strictEqual(made(await owner.get(`${path}/versions/${then}`)).agent.name, "Nora")
    assert.strictEqual((await restore(owner, path, then)).status, 200)
  })

  test("going back names what was deleted since, and leaves it out where it is told to", async (_, owner) => {
    const path = await create(owner)
    const tool = made(await owner.post("/api/tools", python()))
    const prompt = made(await owner.post("/api/playbooks", playbook()))
    made(await owner.post(`${path}/tools`, { tool_name: tool.name }))
    made(await owner.post(`${path}/playbooks`, { playbook_id: prompt.id }))
    const then = await versionOf(owner, path)
    await owner.delete(`${path}/tools/${tool.name}`)
    await owner.delete(`${path}/playbooks/${prompt.id}`)
    assert.strictEqual((await owner.delete(`/api/tools/${tool.id}`)).status, 204)
    assert.strictEqual((await owner.delete(`/api/playbooks/${prompt.id}`)).status, 204)
    const now = await versionOf(owner, path)
    const body = await refused(restore(owner, path, then), 409, "not_restorable")
    assert.deepStrictEqual(
      body.obstacles!.map(({ kind, name }) => [kind, name]),
      [
        ["tool", tool.name],
        ["playbook", prompt.name],
      ],
    )
    assert.include(body.detail, `the tool ${tool.name} was deleted`)
    assert.strictEqual(await versionOf(owner, path), now)
    assert.strictEqual((await restore(owner, path, then, "?missing=leave_out")).status, 200)
  })

  test("an Idempotency-Key of one restore is refused for a restore with other policies", async (_, owner) => {
    const path = await create(owner)
    const then = await versionOf(owner, path)
    made(await owner.put(path, { system_prompt: "Changed." }))
    const options = { headers: { "idempotency-key": "one-restore" } }
    const once = (query: string) => owner.post(`${path}/versions/${then}/restore${query}`, undefined, options)
    const first = made(await once("?shared=keep"))
    const again = await once("?shared=keep")
    assert.deepStrictEqual([again.body, again.headers.get("idempotent-replayed")], [first, "true"])
    for (const query of ["?shared=restore", "?shared=keep&missing=leave_out", ""]) {
      await refused(once(query), 422, "idempotency_key_reused")
    }
  })

  test("what other agents use too goes back for all of them, or for none, or is refused by their names", async (_, owner) => {
    const [path, other] = [await create(owner), await create(owner)]
    const prompt = made(await owner.post("/api/playbooks", { ...playbook(), prompt: "Old." }))
    for (const each of [path, other]) made(await owner.post(`${each}/playbooks`, { playbook_id: prompt.id }))
    const then = await versionOf(owner, path)
    made(await owner.put(path, { system_prompt: "New." }))
    made(await owner.put(`/api/playbooks/${prompt.id}`, { prompt: "New." }))
    const others = made(await owner.get(other))

    const body = await refused(restore(owner, path, then), 409, "not_restorable")
    assert.deepStrictEqual(body.obstacles![0]!.used_by, [others.name])
    const kept = made(await restore(owner, path, then, "?shared=keep"))
    assert.strictEqual(kept.playbooks[0]!.definition.prompt, "New.")
    assert.strictEqual(kept.agent.system_prompt, "Hello {{first_name}}")
    assert.strictEqual(await versionOf(owner, other), others.version)
    const whole = made(await restore(owner, path, then, "?shared=restore"))
    assert.strictEqual(whole.playbooks[0]!.definition.prompt, "Old.")
    assert.strictEqual(await versionOf(owner, other), others.version + 1)
  })

  test("a secret that is gone is named; one that was changed since stays the present one", async (_, owner) => {
    const path = await create(owner)
    const url = "https://example.com/hook"
    const withToken = (token: string) => ({ implementation_config: { url, authentication: { type: "bearer", token } } })
    const tool = made(await owner.post("/api/tools", { ...http(), ...withToken("first-token") }))
    made(await owner.post(`${path}/tools`, { tool_name: tool.name }))
    const then = await versionOf(owner, path)
    made(await owner.put(`/api/tools/${tool.id}`, { ...withToken("second-token"), description: "Changed." }))
    assert.strictEqual((await restore(owner, path, then)).status, 201)
    made(await owner.put(`/api/tools/${tool.id}`, { implementation_config: { url } }))
    const body = await refused(restore(owner, path, then), 409, "not_restorable")
    assert.deepInclude(body.obstacles![0], { kind: "secret", name: tool.name })
  })
})
