import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import type { Page } from "../../src/domain/Page.ts"
import { databaseOf, query } from "../support/AccountDatabase.ts"
import { everything, made } from "../support/Fixtures.ts"
import { type Client, TestServer } from "../support/TestServer.ts"

const database = new URL(inject("postgres"))
database.pathname = `/parley_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`

it.layer(TestServer.layerWith({ DATABASE_URL: database.href }), {
  timeout: "120 seconds",
  excludeTestServices: true,
})("derived values and unreadable rows (decisions §2)", (it) => {
  const asOwner = (test: (owner: Client, server: TestServer["Service"]) => Promise<void>) =>
    Effect.gen(function* () {
      const server = yield* TestServer
      yield* Effect.promise(async () => test(await server.ownerOf("rows"), server))
    })

  it.effect("a tool or playbook whose name has no words is named by it, and read like any other", () =>
    asOwner(async (owner) => {
      for (const name of ["_", "__", "_-"]) {
        const body = {
          name,
          description: "d",
          implementation_type: "http",
          implementation_config: { url: "https://a.example" },
        }
        assert.strictEqual(made(await owner.post("/api/tools", body)).display_name, name)
        made(await owner.get(`/api/tools/${name}`))
      }
      for (const name of ["-", "_ -"]) {
        assert.strictEqual(made(await owner.post("/api/playbooks", { name, prompt: "p" })).display_name, name)
      }
      made(await owner.get("/api/tools"))
      made(await owner.get("/api/playbooks"))
    }),
  )

  it.effect("a FAQ whose question looks like a UUID, or has no letters, gets a name that is neither", () =>
    asOwner(async (owner) => {
      const uuid = "019aa3f2-7c1e-7a42-9d3b-5f0c1e2d3a4b"
      const names: Array<string> = []
      for (const question of [uuid, uuid.toUpperCase(), `${uuid}?`, "???", "!!!"]) {
        names.push(made(await owner.post("/api/faqs", { question, answer: "a" })).name)
      }
      assert.deepStrictEqual(names, [`faq-${uuid}`, `faq-${uuid}-2`, `faq-${uuid}-3`, "faq", "faq-2"])
      assert.strictEqual(made(await owner.get("/api/faqs")).items.length >= names.length, true)
    }),
  )

  it.effect("a tool that was stored with a header of the connection is read and changed like any other", () =>
    asOwner(async (owner) => {
      const config = { url: "https://a.example" }
      const tool = { name: "older", description: "d", implementation_type: "http", implementation_config: config }
      const { id } = made(await owner.post("/api/tools", tool))
      const authentication = { type: "header", name: "Host", value: "x" }
      const stored = JSON.stringify({ ...config, method: "GET", headers: {}, timeout_ms: 1_000, authentication })
      await query(
        await databaseOf(database, "rows"),
        "update tools set implementation_config = $2::jsonb where id = $1",
        [id, stored],
      )
      const changed = made(await owner.put(`/api/tools/${id}`, { description: "Changed." }))
      assert.nestedPropertyVal(changed.implementation_config, "authentication.name", "Host")
      const { implementation_config } = changed
      assert.strictEqual((await owner.put(`/api/tools/${id}`, { implementation_config })).status, 400)
    }),
  )

  it.effect("a row that cannot be read is left out of every list that it is in", () =>
    asOwner(async (owner, server) => {
      const all = await everything(owner, "broken")
      const { agent, call, campaign, webhook } = all
      // Each row is broken by hand, past every check of ours.
      const broken: ReadonlyArray<readonly [path: string, id: string, sql: string]> = [
        ["/api/tools", all.tool.id, "update tools set category = '' where id = $1"],
        ["/api/playbooks", all.playbook.id, "update playbooks set category = '' where id = $1"],
        ["/api/faqs", all.faq.id, "update faqs set category = '' where id = $1"],
        ["/api/phone-numbers", all.number.id, "update phone_numbers set carrier_config = '[]' where id = $1"],
        [
          `/api/v1/campaigns/${campaign.id}/contacts`,
          all.contact.id,
          "update contacts set custom_fields = '[]' where id = $1",
        ],
        ["/api/v1/campaigns", campaign.id, "update campaigns set import = '{}' where id = $1"],
        ["/api/v1/calls", call.id, "update calls set cost = '[]' where id = $1"],
        ["/api/v1/api-keys", all.apiKey.id, "update api_keys set scopes = '{nothing}' where id = $1"],
        ["/api/v1/widget-keys", all.widgetKey.id, "update widget_keys set theme = '[]' where id = $1"],
        [
          `/api/v1/webhooks/${webhook.id}/deliveries`,
          all.delivery.id,
          "update webhook_deliveries set event_type = 'nothing' where id = $1",
        ],
        ["/api/v1/webhooks", webhook.id, "update webhooks set events = '{nothing}' where id = $1"],
        ["/api/agents", agent.id, "update agents set voice = '[]' where id = $1"],
      ]
      const rows = await databaseOf(database, "rows")
      await query(rows, "update suppressions set reason = repeat('x', 100000)")
      for (const [path, id, statement] of broken) {
        const before = made(await owner.get(path)) as Page<{ readonly id: string }>
        assert.include(JSON.stringify(before.items), id, path)
        await query(rows, statement, [id])
        const after = made(await owner.get(path)) as Page<{ readonly id: string }>
        assert.notInclude(JSON.stringify(after.items.map((item) => item.id)), id, path)
        assert.strictEqual(after.items.length, before.items.length - 1, path)
        assert.strictEqual(after.total, before.total, path)
      }
      await query(rows, "update event_batches set type = 'campaign.nothing' where type = 'campaign.started'")
      await query(rows, "update event_batches set type = 'call.nothing' where type = 'call.started'")
      assert.strictEqual((await owner.get("/api/v1/suppressions")).status, 200)
      const events = made(await owner.get("/api/v1/events"))
      assert.notInclude(JSON.stringify(events.items), "call.nothing")
      // A single row that was asked for is neither there nor absent: it is an error of ours, which the log has.
      assert.strictEqual((await owner.get(`/api/agents/${agent.id}`)).status, 500)

      const admin = await server.admin()
      await query(database, "update accounts set time_zone = 'Nowhere' where slug = 'rows'")
      const accounts = made(await admin.get("/api/admin/accounts"))
      assert.notInclude(JSON.stringify(accounts.items), '"rows"')
    }),
  )
})
