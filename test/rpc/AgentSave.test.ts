/** An editor saves what it changed of an agent, fields and kit, as one version; a refusal changes nothing. */
import { assert, it } from "@effect/vitest"
import { inAccountOfItsOwn } from "../support/Campaigner.ts"
import { agent, faq, playbook, python, unknownId } from "../support/Catalog.ts"
import { made } from "../support/Fixtures.ts"
import { headersOf, refusalOf, single } from "../support/RpcClient.ts"
import { TestServer } from "../support/TestServer.ts"

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })("an agent that is saved", (it) => {
  it.effect("has one version more, whatever was changed of it, and all of it or nothing", () =>
    inAccountOfItsOwn(async (_, owner, { url }) => {
      const { agents } = single(url, headersOf(owner))
      const post = async <const Path extends string>(path: Path, body: object) => made(await owner.post(path, body))
      const tool = await post("/api/tools", python())
      const [first, second, third] = await Promise.all([1, 2, 3].map(() => post("/api/playbooks", playbook())))
      const [asked, other] = await Promise.all([1, 2].map(() => post("/api/faqs", faq())))
      const { id } = await post("/api/agents", agent())
      await agents.save.mutate({
        id,
        kit: {
          tools: [{ tool_name: "end_call", config: {}, enabled: true }],
          playbooks: [first!.id, second!.id],
          faqs_attached: [asked!.id],
        },
      })
      const before = await agents.get.query({ id })
      assert.strictEqual(before.version, 2)

      const after = await agents.save.mutate({
        id,
        etag: before.etag,
        system_prompt: "Be brief.",
        kit: {
          tools: [
            { tool_name: tool.name, config: { room: 1 }, enabled: true },
            { tool_name: "record_outcome", config: {}, enabled: false },
          ],
          tools_removed: ["end_call"],
          playbooks: [third!.id, second!.id],
          playbooks_detached: [first!.id],
          faqs_attached: [other!.id],
          faqs_detached: [asked!.id],
        },
      })
      assert.deepInclude(after, { version: 3, system_prompt: "Be brief." })
      assert.notStrictEqual(after.etag, before.etag)
      const tools = await agents.tools.list.query({ agent_id: id })
      assert.sameDeepMembers(
        tools.items.map(({ config, enabled, tool_name }) => [tool_name, config, enabled]),
        [
          [tool.name, { room: 1 }, true],
          ["record_outcome", {}, false],
        ],
      )
      const playbooks = await agents.playbooks.list.query({ agent_id: id })
      assert.deepStrictEqual(
        playbooks.items.map(({ playbook_id }) => playbook_id as string),
        [third!.id, second!.id],
      )
      const faqs = await agents.faqs.list.query({ agent_id: id })
      assert.deepStrictEqual(
        faqs.items.map(({ faq_id }) => faq_id as string),
        [other!.id],
      )
      const kept = made(await owner.get(`/api/agents/${id}/versions/3`))
      assert.deepStrictEqual(
        kept.playbooks.map((one) => one.playbook_id),
        [third!.id, second!.id],
      )

      // What was changed meanwhile is not overwritten.
      await agents.tools.enable.mutate({ agent_id: id, tool_name: "end_call" })
      const late = await refusalOf(agents.save.mutate({ id, etag: after.etag, kit: { tools_removed: ["end_call"] } }))
      assert.strictEqual(late.status, 412)

      // One reference that leads nowhere, and the rest is not done either.
      for (const [kit, pointer] of [
        [{ tools: [{ tool_name: "gone", config: {}, enabled: true }] }, "/kit/tools/0"],
        [{ playbooks: [first!.id, unknownId] }, "/kit/playbooks/1"],
        [{ faqs_attached: [unknownId] }, "/kit/faqs_attached/0"],
      ] as const) {
        const refusal = await refusalOf(
          agents.save.mutate({ id, first_message: "Hello.", kit: { ...kit, tools_removed: ["end_call"] } as never }),
        )
        assert.strictEqual(refusal.status, 404)
        assert.deepNestedInclude(refusal, { "errors[0].pointer": pointer })
      }
      const twice = { tools_removed: ["end_call", "end_call"] }
      assert.strictEqual((await refusalOf(agents.save.mutate({ id, kit: twice }))).status, 400)
      const last = await agents.get.query({ id })
      assert.deepInclude(last, { version: 4, first_message: "" })
    }),
  )

  it.effect("makes no version of what is as it was", () =>
    inAccountOfItsOwn(async (_, owner, { url }) => {
      const { agents } = single(url, headersOf(owner))
      const { id } = made(await owner.post("/api/agents", agent()))
      const kit = { tools: [{ tool_name: "end_call", config: { a: 1 }, enabled: true }] }
      assert.strictEqual((await agents.save.mutate({ id, kit })).version, 2)
      assert.strictEqual((await agents.save.mutate({ id, kit })).version, 2)
    }),
  )
})
