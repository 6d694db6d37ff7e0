import { assert, it } from "@effect/vitest"
import { type Everything, everything } from "../support/Fixtures.ts"
import { exampleBody } from "../support/OpenApi.ts"
import { document, operationOf } from "../support/RpcBodies.ts"
import { callOf, endpointOf, metaOf, operations, procedures } from "../support/RpcOperations.ts"
import { onServer, TestServer } from "../support/TestServer.ts"

/** What stands for the ids of each procedure's input. The first beginning that fits counts. */
const idsOf = (all: Everything): ReadonlyArray<readonly [beginning: string, ids: Record<string, string>]> => {
  const agent_id = all.agent.id
  return [
    ["tools.", { id: all.tool.id }],
    ["playbooks.", { id: all.playbook.id }],
    ["faqs.", { id: all.faq.id }],
    ["agents.tools.", { agent_id, tool_name: all.tool.name }],
    ["agents.playbooks.", { agent_id, playbook_id: all.playbook.id }],
    ["agents.faqs.", { agent_id, faq_id: all.faq.id }],
    ["agents.versions.", { agent_id, version: "1" }],
    ["agents.scenarioRuns.get", { agent_id, run_id: all.call.id }],
    ["agents.scenarioRuns.", { agent_id }],
    ["agents.", { id: agent_id }],
    ["phoneNumbers.", { id: all.number.id }],
    ["callerNumbers.", { id: all.number.id }],
    ["campaigns.contacts.", { campaign_id: all.campaign.id, contact_id: all.contact.id }],
    ["campaigns.callbacks.", { campaign_id: all.campaign.id, contact_id: all.contact.id }],
    ["campaigns.", { id: all.campaign.id }],
    ["calls.", { id: all.call.id, note_id: all.note.id }],
    ["suppressions.", { phone_number: all.suppression.phone_number }],
    ["consents.", { id: all.consent.id }],
    ["apiKeys.", { id: all.apiKey.id }],
    ["widgetKeys.", { id: all.widgetKey.id }],
    ["exports.", { id: all.call.id }],
    ["webhooks.deliver", { webhook_id: all.webhook.id, delivery_id: all.delivery.id }],
    ["webhooks.redeliver", { webhook_id: all.webhook.id, delivery_id: all.delivery.id }],
    ["webhooks.", { id: all.webhook.id }],
  ]
}

/**
 * Procedures that name nothing of the account's own, or create something. Rule packs are those of the installation. A phone number names a person in every
 * account.
 */
const withoutIds =
  /^(?:auth|accounts|account|events|people|rulePacks)\.|^\w+\.(?:list|create|add|place|begin)$|^consents\.(?:record|revoke)$|^calls\.live$|^receipts\.head$/

const exampleOf = (procedure: string): object => {
  const operation = operations.find((operation) => operation.procedure === procedure)
  if (operation === undefined) return {}
  return (exampleBody(document, operationOf(endpointOf(operation.rest))) ?? {}) as object
}

/** Without the members that the procedure does not take, which it would refuse. */
const fitting = (procedure: string, input: object): object => {
  const { error } = metaOf(procedure).input.safeParse(input)
  const unknown = error?.issues.flatMap((issue) => (issue.code === "unrecognized_keys" ? issue.keys : [])) ?? []
  return Object.fromEntries(Object.entries(input).filter(([name]) => !unknown.includes(name)))
}

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })("two accounts side by side", (it) => {
  it.effect("never see a trace of each other, on any procedure that takes an id", () =>
    onServer(async (server) => {
      const [acme, globex] = [await server.ownerOf("acme"), await server.ownerOf("globex")]
      const all = await everything(acme, "acmemark")
      await everything(globex, "globexmark", "+141555502")
      const tried: Array<string> = []
      for (const procedure of procedures.keys()) {
        if (withoutIds.test(procedure)) continue
        const [, ids] = idsOf(all).find(([beginning]) => procedure.startsWith(beginning)) ?? []
        assert.isDefined(ids, `no ids for ${procedure}`)
        const input = fitting(procedure, { ...exampleOf(procedure), ...ids })
        assert.isTrue(metaOf(procedure).input.safeParse(input).success, `${procedure} ${JSON.stringify(input)}`)
        const answer = await callOf(globex, procedure, input)
        // A live view has begun before it is known what to follow: its refusal is its first word.
        const text = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body)
        const isLive = procedures.get(procedure)?._def.type === "subscription"
        assert.strictEqual(answer.status, isLive ? 200 : 404, `${procedure}: ${text}`)
        assert.include(text, '"status":404', procedure)
        assert.notInclude(text, "acmemark", procedure)
        tried.push(procedure)
      }
      assert.isAbove(tried.length, 50)
    }),
  )

  it.effect("never see each other's items in a list or a search, and a key of one opens nothing in the other", () =>
    onServer(async (server) => {
      const [north, south] = [await server.ownerOf("north"), await server.ownerOf("south")]
      await everything(north, "northmark")
      await everything(south, "southmark", "+141555502")
      for (const procedure of procedures.keys()) {
        if (!/^\w+\.list$/.test(procedure) || procedure === "accounts.list") continue
        const inputs = [undefined, { search: "northmark" }, { page_size: 100 }]
        for (const input of inputs.filter((input) => metaOf(procedure).input.safeParse(input ?? {}).success)) {
          const { body, status } = await callOf(south, procedure, input)
          assert.strictEqual(status, 200, procedure)
          assert.notInclude(JSON.stringify(body), "northmark", procedure)
        }
      }
      const made = await callOf(north, "apiKeys.create", { name: "k", scopes: ["read", "write", "dial"] })
      const token = String(made.body.result?.data.key)
      assert.strictEqual((await north.get("/trpc/faqs.list", { token })).status, 200)
      assert.strictEqual((await south.get("/trpc/faqs.list", { token })).status, 401)
      assert.strictEqual((await north.get("/trpc/faqs.list", { account: "south" })).status, 403)
    }),
  )
})
