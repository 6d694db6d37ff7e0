/** A row from before a rule for names: it is listed, read, renamed, attached and dialled with like any other. */
import { assert, it } from "@effect/vitest"
import { inject } from "vitest"
import { databaseOf, query } from "../support/AccountDatabase.ts"
import { inAccountOfItsOwn } from "../support/Campaigner.ts"
import { everything, made } from "../support/Fixtures.ts"
import { headersOf, single } from "../support/RpcClient.ts"
import { type AnswerOf, TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const database = new URL(inject("postgres"))
database.pathname = `/parley_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`

/** Overrides the direction, ends with a line break, and is longer than a name may be. */
const old = `\u202eold ${"o".repeat(300)}\n`

const columns = [
  ["agents", "name"],
  ["tools", "display_name"],
  ["playbooks", "name"],
  ["playbooks", "display_name"],
  ["faqs", "name"],
  ["faqs", "question"],
  ["phone_numbers", "label"],
  ["campaigns", "name"],
  ["api_keys", "name"],
  ["widget_keys", "name"],
  ["webhooks", "description"],
] as const

const ok = <Success>(answer: AnswerOf<Success>): Success => {
  assert.isBelow(answer.status, 300, JSON.stringify(answer.body))
  return answer.body as Success
}

it.layer(TestServer.layerWith({ DATABASE_URL: database.href }), {
  timeout: "120 seconds",
  excludeTestServices: true,
})("a name from before the rules", (it) => {
  it.effect("is listed, read, changed and found", () =>
    inAccountOfItsOwn(async (_own, owner, { account, admin, url }) => {
      const all = await everything(owner, `old-${owner.account}`)
      const tenant = await databaseOf(database, owner.account)
      const { agent: first, apiKey, campaign, faq, number, playbook, tool, webhook, widgetKey } = all
      const ids = [first, tool, playbook, faq, number, campaign, apiKey, widgetKey, webhook].map((row) => row.id)
      for (const [table, column] of columns) {
        await query(tenant, `update ${table} set ${column} = $1 where id = any ($2)`, [old, ids])
      }
      await query(database, "update accounts set name = $1 where slug = $2", [old, owner.account])
      await query(
        database,
        `insert into memberships (id, account_id, email, role)
         select gen_random_uuid(), id, $1, 'viewer' from accounts where slug = $2`,
        ["ada\u202e@example.com", owner.account],
      )

      const places = [
        ["/api/agents", all.agent, { name: "new-agent" }],
        ["/api/tools", all.tool, { display_name: "New" }],
        ["/api/playbooks", all.playbook, { name: "new-playbook", display_name: "New" }],
        ["/api/faqs", all.faq, { name: "new-faq", question: "New?" }],
        ["/api/phone-numbers", all.number, { label: "New" }],
        ["/api/v1/campaigns", all.campaign, { name: "New" }],
        ["/api/v1/webhooks", all.webhook, { description: "New" }],
        ["/api/v1/api-keys", all.apiKey, undefined],
        ["/api/v1/widget-keys", all.widgetKey, undefined],
      ] as const
      for (const [path, { id }] of places) {
        const { items } = ok(await owner.get(`${path}?page_size=100`))
        const item = items.find((one: { id: string }) => one.id === id)
        assert.include(Object.values(item ?? {}), old, path)
      }
      const named = encodeURIComponent(old)
      for (const path of [`/api/agents/${named}`, `/api/playbooks/${named}`, `/api/faqs/${named}`]) {
        ok(await owner.get(path))
      }

      const agent = made(
        await owner.post("/api/agents", { name: "second", system_prompt: "Hello", first_message: "Hello" }),
      )
      const of = `/api/agents/${agent.id}` as const
      assert.strictEqual(ok(await owner.post(`${of}/playbooks`, { playbook_id: all.playbook.id })).name, old)
      assert.strictEqual(ok(await owner.post(`${of}/faqs`, { faq_id: all.faq.id })).name, old)
      ok(await owner.get(`${of}/playbooks`))
      ok(await owner.get(`${of}/faqs`))
      const router = single(url, headersOf(owner))
      assert.strictEqual((await router.tools.users.query({ id: all.tool.id }))[0]?.name, old)
      for (const { version } of ok(await owner.get(`${of}/versions`)).items) {
        ok(await owner.get(`${of}/versions/${version}`))
        ok(await owner.get(`${of}/versions/${version}/diff`))
      }

      for (const [path, { id }, change] of places) {
        if (change === undefined) continue
        ok(await owner.get(`${path}/${id}`))
        // What is left out of a change keeps its value, however old.
        ok(await owner.put(`${path}/${id}`, path.endsWith("webhooks") ? { enabled: true } : {}))
        assert.deepInclude(ok(await owner.put(`${path}/${id}`, change)), change)
      }
      ok(await owner.delete(`/api/v1/api-keys/${all.apiKey.id}`))
      ok(await owner.delete(`/api/v1/widget-keys/${all.widgetKey.id}`))

      const accounts = ok(await admin.get("/api/admin/accounts?page_size=100")).items
      assert.include(
        accounts.map(({ name }: { name: string }) => name),
        old,
      )
      const members = ok(await admin.get(`${account}/members`)).items
      assert.include(JSON.stringify(members), "ada\u202e@example.com")
      ok(await admin.delete(`${account}/members?email=${encodeURIComponent("ada\u202e@example.com")}`))
      assert.strictEqual(ok(await admin.put(account, { name: "New" })).name, "New")
    }),
  )

  it.effect("is dialled with, rehearsed with, and read by the router", () =>
    inAccountOfItsOwn(async (own, owner, { url }) => {
      const tenant = await databaseOf(database, owner.account)
      const { agent_id, phone_number_id } = own.line
      const scenario = { caller: { says: ["No, that's all."] }, expect: { said: ["hello"] } }
      const runs = `/api/agents/${agent_id}/scenario-runs` as const
      const first = ok(await owner.post(runs, { scenarios: [{ name: "asks", ...scenario }] }))
      const ended = (id: string) =>
        until(async () => {
          const run = ok(await owner.get(`${runs}/${id}`))
          return run.status !== "running" && run
        })
      await ended(first.id)
      await query(tenant, "update scenario_runs set scenarios = jsonb_set(scenarios, '{0,name}', to_jsonb($1::text))", [
        old,
      ])
      assert.strictEqual(ok(await owner.get(`${runs}/${first.id}`)).scenarios[0]!.name, old)

      const campaign = await own.draft(["+14155550101"])
      for (const [table, id] of [
        ["agents", agent_id],
        ["campaigns", campaign.id],
      ]) {
        await query(tenant, `update ${table} set name = $1 where id = $2`, [old, id])
      }
      await query(tenant, "update phone_numbers set label = $1 where id = $2", [old, phone_number_id])
      await query(tenant, "update faqs set question = $1", [old])
      ok(await own.operate(campaign.id, "start"))
      const over = await own.ended(campaign.id)
      assert.strictEqual(over.counts.completed, 1, JSON.stringify(over))
      const call = ok(await owner.post("/api/v1/calls", { ...own.line, to: "+14155550101" }))
      await until(async () => ok(await owner.get(`/api/v1/calls/${call.id}`)).ended_at !== null)

      // Without scenarios it runs those of the last run.
      const again = await ended(ok(await owner.post(runs, {})).id)
      assert.strictEqual(again.results[0]!.name, old)

      const router = single(url, headersOf(owner))
      assert.strictEqual((await router.agents.list.query()).items[0]?.name, old)
      assert.strictEqual((await router.campaigns.list.query()).items[0]?.name, old)
      assert.strictEqual((await router.phoneNumbers.list.query()).items[0]?.label, old)
      assert.strictEqual((await router.calls.list.query()).items[0]?.agent_name, old)
    }),
  )
})
