/** What a list shows in one line has no invisible character, with which it could look like something else. */
import { assert, it } from "@effect/vitest"
import { inAccountOfItsOwn } from "../support/Campaigner.ts"
import { agent, http, playbook, refused, unknownId } from "../support/Catalog.ts"
import { headersOf, refusalOf, single } from "../support/RpcClient.ts"
import { type Answer, TestServer } from "../support/TestServer.ts"

const turned = "Spring \u202egnirps"
const sentence = "must not contain control characters or invisible characters"
const faq = { question: "Why?", answer: "Because." }
const widgetKey = { name: "Website", kind: "public", agent_id: unknownId } as const
const webhook = { url: "https://hook.example/parley", events: ["*"] }
const scenario = { name: "asks", caller: { says: ["Hello"] }, expect: { said: ["Hello"] } }

const fault = async (answer: Promise<Answer>, pointer: string) => {
  const { errors } = await refused(answer, 400, "invalid_request", pointer)
  assert.include(JSON.stringify(errors), sentence, pointer)
}

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })("a name that is written", (it) => {
  it.effect("is refused with an invisible character by REST, wherever a list shows it", () =>
    inAccountOfItsOwn(async (own, owner, { account, admin }) => {
      const campaign = await own.draft(["+14155550170"])
      const { agent_id, phone_number_id } = own.line
      const created: ReadonlyArray<readonly [path: string, body: object, pointer: string]> = [
        ["/api/agents", { ...agent(), name: turned }, "/name"],
        ["/api/tools", { ...http(), display_name: turned }, "/display_name"],
        ["/api/tools", { ...http(), category: turned }, "/category"],
        ["/api/tools", { ...http(), tags: ["fine", turned] }, "/tags/1"],
        ["/api/playbooks", { ...playbook(), name: turned }, "/name"],
        ["/api/playbooks", { ...playbook(), display_name: turned }, "/display_name"],
        ["/api/playbooks", { ...playbook(), category: turned }, "/category"],
        ["/api/faqs", { ...faq, name: turned }, "/name"],
        ["/api/faqs", { ...faq, question: turned }, "/question"],
        ["/api/faqs", { ...faq, category: turned }, "/category"],
        ["/api/phone-numbers", { number: "+14155550198", carrier: "lab", label: turned }, "/label"],
        ["/api/v1/api-keys", { name: turned, scopes: ["read"] }, "/name"],
        ["/api/v1/widget-keys", { ...widgetKey, name: turned }, "/name"],
        ["/api/v1/widget-keys", { ...widgetKey, theme: { label: turned } }, "/theme/label"],
        ["/api/v1/webhooks", { ...webhook, url: `${webhook.url}/${turned}` }, "/url"],
        ["/api/v1/webhooks", { ...webhook, description: turned }, "/description"],
        [`/api/agents/${agent_id}/scenario-runs`, { scenarios: [{ ...scenario, name: turned }] }, "/scenarios/0/name"],
      ]
      for (const [path, body, pointer] of created) await fault(owner.post(path, body), pointer)

      await fault(own.upload("phone_number\n+14155550170\n", { name: turned }), "/name")
      await fault(owner.put(`/api/v1/campaigns/${campaign.id}`, { name: turned }), "/name")
      await fault(owner.put(`/api/agents/${agent_id}`, { name: turned }), "/name")
      await fault(owner.put(`/api/phone-numbers/${phone_number_id}`, { label: turned }), "/label")
      await fault(owner.put("/api/tools/end_call", { display_name: turned }), "/display_name")

      await fault(admin.put(account, { name: turned }), "/name")
      await fault(admin.post("/api/admin/accounts", { slug: "turned", name: turned }), "/name")
      const members: ReadonlyArray<readonly [named: object, pointer: string]> = [
        [{ email: "ada\u202e@example.com" }, "/email"],
        [{ issuer: "https://login.example/\u200b", subject: "ada" }, "/issuer"],
        [{ issuer: "https://login.example", subject: "ada\u200b" }, "/subject"],
      ]
      for (const [named, pointer] of members) {
        await fault(admin.post(`${account}/members`, { ...named, role: "member" }), pointer)
      }
    }),
  )

  it.effect("is refused with one by the router, with the same sentence", () =>
    inAccountOfItsOwn(async (own, owner, { url }) => {
      const router = single(url, headersOf(owner))
      const campaign = await own.draft(["+14155550170"])
      const { agent_id, phone_number_id } = own.line
      const calls = [
        router.agents.update.mutate({ id: agent_id, name: turned }),
        router.tools.update.mutate({ id: "end_call", display_name: turned }),
        router.tools.update.mutate({ id: "end_call", category: turned }),
        router.tools.update.mutate({ id: "end_call", tags: [turned] }),
        router.playbooks.create.mutate({ ...playbook(), name: turned }),
        router.playbooks.create.mutate({ ...playbook(), display_name: turned }),
        router.playbooks.create.mutate({ ...playbook(), category: turned }),
        router.faqs.create.mutate({ ...faq, name: turned }),
        router.faqs.create.mutate({ ...faq, question: turned }),
        router.faqs.create.mutate({ ...faq, category: turned }),
        router.campaigns.update.mutate({ id: campaign.id, name: turned }),
        router.phoneNumbers.update.mutate({ id: phone_number_id, label: turned }),
        router.apiKeys.create.mutate({ name: turned, scopes: ["read"] }),
        router.widgetKeys.create.mutate({ ...widgetKey, name: turned }),
        router.widgetKeys.create.mutate({ ...widgetKey, theme: { label: turned } }),
        router.webhooks.create.mutate({ url: `${webhook.url}/${turned}`, events: ["*"] }),
        router.webhooks.create.mutate({ url: webhook.url, events: ["*"], description: turned }),
        router.agents.scenarioRuns.begin.mutate({ agent_id, scenarios: [{ ...scenario, name: turned }] }),
        router.account.settings.update.mutate({ name: turned }),
        router.account.settings.members.put.mutate({ email: "ada\u202e@example.com", role: "member" }),
      ]
      // All at once: a refusal that is not waited for yet would be an unhandled rejection.
      for (const [at, refusal] of (await Promise.all(calls.map(refusalOf))).entries()) {
        assert.include(JSON.stringify(refusal), sentence, `call ${at}`)
      }
    }),
  )
})
