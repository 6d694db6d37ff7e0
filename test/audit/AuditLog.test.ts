/** The audit log over HTTP: what leaves an entry, who may read it, and that it cannot be changed. */
import { assert, it } from "@effect/vitest"
import { inject } from "vitest"
import type { AuditEntry } from "../../src/domain/AuditEntry.ts"
import { openAccount } from "../support/AccountTables.ts"
import { type InAccount, inAccountOfItsOwn } from "../support/Campaigner.ts"
import { dose } from "../support/Dose.ts"
import { made } from "../support/Fixtures.ts"
import { refused } from "../support/Problems.ts"
import { headersOf, single } from "../support/RpcClient.ts"
import { type Client, onServer, TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const directory = `parley_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
const platform = new URL(inject("postgres"))
platform.pathname = `/${directory}`

type Entry = typeof AuditEntry.Encoded

const person = "+14155550100"
const faq = { question: "When are you open?", answer: "From nine to five" }

it.layer(TestServer.layerWith({ DATABASE_URL: platform.href, PARLEY_TRUSTED_PROXIES: "127.0.0.0/8,::1" }), {
  excludeTestServices: true,
  timeout: "120 seconds",
})("the audit log", (it) => {
  const test = (name: string, body: InAccount) => it.effect(name, () => inAccountOfItsOwn(body))
  const log = async (client: Client, query = ""): Promise<ReadonlyArray<Entry>> =>
    made(await client.get(`/api/v1/audit?limit=200&${query}`)).items
  const actions = async (client: Client, query = "") => (await log(client, query)).map(({ action }) => action)

  test("tells who changed which fields of what, when and from where, in REST and in the router", async (_, owner, {
    url,
  }) => {
    const place = made(await owner.post("/api/faqs", faq))
    const headers = { "x-forwarded-for": "203.0.113.9", "x-request-id": "request-of-ada" }
    made(await owner.put(`/api/faqs/${place.name}`, { category: "hours", answer: "Never" }, { headers }))
    const [changed, created] = await log(owner, "kind=faq")
    const email = made(await owner.get("/api/user/org")).email!
    assert.deepInclude(changed, {
      action: "faq.update",
      address: "203.0.113.9",
      request_id: "request-of-ada",
      object: { kind: "faq", id: place.id, name: place.name },
      changes: [{ field: "answer" }, { field: "category", before: "general", after: "hours" }],
    })
    assert.deepInclude(changed!.actor, { type: "person", name: email })
    assert.isBelow(Math.abs(Date.parse(changed!.at) - Date.now()), 5_000)
    assert.deepInclude(created, { action: "faq.create", object: changed!.object, changes: [] })
    assert.notInclude(JSON.stringify(await log(owner)), "nine to five")

    const rpc = single(url, headersOf(owner))
    await rpc.faqs.update.mutate({ id: place.id, category: "more" })
    await rpc.faqs.remove.mutate({ id: place.id })
    const [removed, again] = await log(owner, `object_id=${place.id.toUpperCase()}`)
    assert.deepInclude(again, {
      action: "faq.update",
      changes: [{ field: "category", before: "hours", after: "more" }],
    })
    assert.deepInclude(removed, { action: "faq.delete", object: changed!.object, changes: [] })
    assert.deepStrictEqual((await rpc.audit.list.query({ limit: 1 })).items, [removed])
  })

  test("names what an agent's kit gained, and keeps secrets and personal values out", async (own, owner) => {
    const { agent_id } = own.line
    const tool = made(
      await owner.post("/api/tools", {
        name: "crm",
        display_name: "CRM",
        category: "crm",
        description: "d",
        schema: { type: "object", properties: {} },
        implementation_type: "http",
        implementation_config: { method: "GET", url: "https://crm.example.com", headers: { authorization: "s3cret" } },
      }),
    )
    made(await owner.post(`/api/agents/${agent_id}/tools`, { tool_name: tool.name }))
    const [enabled] = await log(owner, "action=agent.update")
    const tools = enabled!.changes.find(({ field }) => field === "tools")
    assert.include(tools!.after, "crm")
    assert.notInclude(tools!.before ?? [], "crm")
    made(await owner.post("/api/v1/webhooks", { url: "https://example.com/s3cret", events: ["call.ended"] }))
    made(await owner.post("/api/v1/api-keys", { name: "nightly", scopes: ["read"] }))
    made(
      await owner.put(`/api/tools/${tool.id}`, {
        implementation_config: { method: "GET", url: "https://s3cret.example.com" },
      }),
    )
    const [settings] = await log(owner, "action=tool.update")
    assert.deepStrictEqual(settings!.changes, [{ field: "implementation_config" }])
    assert.deepInclude((await log(owner, "kind=api_key"))[0]!.object, { name: "nightly" })
    assert.notInclude(JSON.stringify(await log(owner)), "s3cret")
  })

  test("has campaigns and calls, and no entry of what the dialler does", async (own, owner) => {
    const { id } = await own.draft([person])
    await own.operate(id, "start")
    await own.ended(id)
    const entries = await log(owner, `object_id=${id}`)
    assert.deepStrictEqual(
      entries.map(({ action }) => action),
      ["campaign.start", "campaign.create"],
    )
    assert.deepStrictEqual(entries[0]!.changes, [{ field: "status", before: "draft", after: "running" }])
    const call = made(await owner.post("/api/v1/calls", { ...own.line, to: "+14155550102" }))
    const { ended_at } = made(await owner.post(`/api/v1/calls/${call.id}/hangup`))
    const [hungUp] = await log(owner, `object_id=${call.id}`)
    assert.isAtMost(Date.parse(hungUp!.at), Date.parse(ended_at!))
    assert.deepStrictEqual(await actions(owner, `object_id=${call.id}`), ["call.hang_up", "call.place"])
    assert.deepStrictEqual(await actions(owner, "kind=call"), ["call.hang_up", "call.place"])
  })

  test("has the entry of an owner's change of members before the change", async (_, owner, { url }) => {
    const { members } = single(url, headersOf(owner)).account.settings
    const database = await openAccount(directory, owner.account)
    await database.query("begin")
    await database.query("lock table audit_entries in exclusive mode")
    const put = members.put.mutate({ email: "vera@example.com", role: "viewer" })
    await until(async () => {
      const waiting = await database.query(
        "select from pg_locks where relation = 'audit_entries'::regclass and not granted",
      )
      return waiting.length === 1
    })
    assert.notInclude(JSON.stringify(await members.list.query({})), "vera@example.com")
    await database.query("rollback")
    await put
    assert.include(JSON.stringify(await members.list.query({})), "vera@example.com")
    assert.deepStrictEqual((await actions(owner)).slice(0, 1), ["member.put"])
    await database.close()
  })

  test("has no entry of a refused request, of one that changes nothing, and of a read", async (own, owner) => {
    const { id } = made(await owner.post("/api/faqs", { ...faq, name: "hours" }))
    const before = await actions(owner)
    refused(await owner.post("/api/faqs", { ...faq, name: "hours" }), 409, "name_taken")
    refused(
      await owner.put(`/api/faqs/${id}`, { answer: "x" }, { headers: { "if-match": '"99"' } }),
      412,
      "precondition_failed",
    )
    refused(await owner.delete(`/api/agents/${crypto.randomUUID()}`), 404, "not_found")
    refused(await owner.post("/api/faqs", { question: 1 }), 400, "invalid_request")
    made(await owner.put(`/api/faqs/${id}`, { answer: faq.answer }))
    const draft = await own.draft([person])
    refused(await owner.post(`/api/v1/campaigns/${draft.id}/pause`), 409, "invalid_state")
    made(await owner.get(`/api/agents/${own.line.agent_id}`))
    assert.deepStrictEqual(await actions(owner), ["campaign.create", ...before])
  })

  test("has one entry of a request that is repeated with its Idempotency-Key, and of each call of a batch", async (_, owner, {
    url,
  }) => {
    const headers = { "idempotency-key": crypto.randomUUID() }
    const [one, two] = [
      await owner.post("/api/faqs", faq, { headers }),
      await owner.post("/api/faqs", faq, { headers }),
    ]
    assert.strictEqual(made(two).id, made(one).id)
    assert.deepStrictEqual(await actions(owner, `object_id=${made(one).id}`), ["faq.create"])
    const before = await log(owner)
    const batch = { 0: { ...faq, name: "a" }, 1: { ...faq, name: "hours of a" }, 2: { question: "" } }
    const answer = await fetch(`${url}/trpc/faqs.create,faqs.create,faqs.create?batch=1`, {
      method: "POST",
      headers: { ...headersOf(owner), "content-type": "application/json" },
      body: JSON.stringify(batch),
    })
    assert.strictEqual(answer.status, 207)
    assert.lengthOf(await log(owner), before.length + 2)
  })

  test("tells of exports, but for their HEAD", async (own, owner) => {
    const { id } = await own.draft([person])
    const csv = `/api/v1/campaigns/${id}/results.csv` as const
    assert.strictEqual((await owner.request("HEAD", csv)).status, 200)
    assert.strictEqual((await owner.get(csv)).status, 200)
    assert.strictEqual((await owner.get(`/api/v1/campaigns/${id}/decisions.csv`)).status, 200)
    refused(await owner.get(`/api/v1/campaigns/${crypto.randomUUID()}/results.csv`), 404, "not_found")
    const text = String((await owner.get("/api/v1/audit.csv?kind=campaign")).body)
    assert.deepStrictEqual(
      text
        .trim()
        .split("\r\n")
        .map((line) => line.split(",")[7]),
      ["action", "campaign.export_decisions", "campaign.export_results", "campaign.create"],
    )
    assert.deepStrictEqual((await actions(owner))[0], "audit_log.export")
  })

  test("finds entries about a person by the number, which it does not contain, before and after the erasure", async (_, owner) => {
    const database = await openAccount(directory, owner.account)
    const number = encodeURIComponent("+1 415 555 0177")
    made(await owner.post("/api/v1/suppressions", { phone_number: "+14155550177" }))
    assert.deepStrictEqual(await actions(owner, `phone_number=${number}`), ["do_not_call.add"])
    made(await owner.delete(`/api/v1/people/${number}`))
    assert.strictEqual((await owner.delete(`/api/v1/suppressions/${number}`)).status, 204)
    const told = ["do_not_call.remove", "person.erase", "do_not_call.add"]
    assert.deepStrictEqual(await actions(owner, `phone_number=${number}`), told)
    assert.deepStrictEqual(await actions(owner, `phone_number=${encodeURIComponent(person)}`), [])
    for (const wrong of ["garbage", "+14155550177"]) {
      refused(await owner.get(`/api/v1/audit?phone_number=${wrong}`), 400, "invalid_request", "/query/phone_number")
    }
    assert.deepStrictEqual(await database.tablesWith("4155550177"), [])
    await database.close()
  })

  test("is read by owners and by keys with the scope audit, which permits nothing else", async (_, owner) => {
    const program = made(await owner.post("/api/v1/api-keys", { name: "siem", scopes: ["audit"] }))
    const all = made(await owner.post("/api/v1/api-keys", { name: "all", scopes: ["read", "write", "dial"] }))
    const siem = { ...owner, ...clientWith(owner, program.key) }
    assert.deepInclude(await actions(siem), "api_key.create")
    refused(await siem.get("/api/faqs"), 403, "missing_scope")
    refused(await owner.get("/api/v1/audit", { token: all.key }), 403, "missing_scope")
    made(await owner.post("/api/faqs", faq, { token: all.key }))
    for (const actor of [all.id, "ALL"]) {
      const [entry] = await log(owner, `actor=${actor}`)
      assert.deepInclude(entry!.actor, { type: "api_key", id: all.id, name: "all" })
    }
    assert.strictEqual((await owner.delete(`/api/v1/api-keys/${program.id}`)).status, 204)
    assert.strictEqual((await siem.get("/api/v1/audit")).status, 401)
    // The revoked key keeps its name in its entries.
    assert.strictEqual((await owner.delete(`/api/v1/api-keys/${all.id}`)).status, 204)
    assert.strictEqual((await log(owner, `actor=${all.id}`))[0]!.actor.name, "all")
  })

  test("cannot be changed by the account's own role, which may prune nothing younger than 30 days", async (_, owner) => {
    const { id } = made(await owner.post("/api/faqs", faq))
    const database = await openAccount(directory, owner.account)
    const [{ name }] = (await database.query("select current_database() as name")) as [{ name: string }]
    await database.query("update audit_entries set at = now() - interval '40 days' where object_id = $1", [id])
    const held = await database.query("select count(*)::int as count from audit_entries")
    // As a restore may leave it.
    await database.query("grant update, delete on audit_entries to parley_tenant")
    await database.query(`set role "${name}"`)
    for (const statement of [
      "update audit_entries set action = 'x'",
      "delete from audit_entries",
      "truncate audit_entries",
    ]) {
      await database.query(statement).then(
        () => assert.fail(statement),
        (error: Error) => assert.match(error.message, /permission denied/),
      )
    }
    assert.deepStrictEqual(await database.query("select prune_audit(0, 100) as count"), [{ count: 1 }])
    assert.deepStrictEqual(await database.query("select prune_audit(0, 100) as count"), [{ count: 0 }])
    const left = await database.query("select count(*)::int as count from audit_entries")
    assert.strictEqual(left[0]!["count"], Number(held[0]!["count"]) - 1)
    await database.close()
  })

  test("pages through a long log without a gap, and exports a part of it", async (_, owner) => {
    const database = await openAccount(directory, owner.account)
    await database.query(`
      insert into audit_entries (id, at, actor_type, actor_id, action, object_kind, object_id)
      select gen_random_uuid(), now() - make_interval(secs => n / 100), 'person', 'ada', 'faq.update', 'faq', n::text
      from generate_series(1, ${dose(20_000, 20_000, 100_000)}) n`)
    await database.query("analyze audit_entries")
    const seen = new Set<string>()
    for (let before = "", page = 0; page < 25; page++) {
      const { items, next_before } = made(await owner.get(`/api/v1/audit?limit=200&actor=ada${before}`))
      for (const { id } of items) seen.add(id)
      before = `&before=${next_before}`
    }
    assert.strictEqual(seen.size, 5_000)
    const [oldest] = await database.query("select id from audit_entries order by at, id offset 3 limit 1")
    const end = made(await owner.get(`/api/v1/audit?before=${String(oldest!["id"])}`))
    assert.deepStrictEqual([end.items.length, end.next_before], [3, null])
    const from = new Date(Date.now() - 10_000).toISOString()
    const [recent] = await database.query("select count(*)::int as count from audit_entries where at >= $1", [from])
    const csv = String((await owner.get(`/api/v1/audit.csv?from=${from}`)).body)
    // The header, the export itself, and nothing after the last line's end.
    assert.lengthOf(csv.split("\r\n"), Number(recent!["count"]) + 3)
    refused(await owner.get(`/api/v1/audit?before=${crypto.randomUUID()}`), 400, "invalid_request")
    await database.close()
  })

  it.effect("of the installation tells what administrators and owners did to accounts", () =>
    onServer(async (server) => {
      const admin = await server.admin()
      const owner = await server.ownerOf("told")
      const path = "/api/admin/accounts/told" as const
      made(await admin.put(path, { concurrent_max: 7, status: "active" }))
      const rpc = single(server.url, headersOf(owner)).account.settings
      await rpc.update.mutate({ name: "Told", audit_days: 90 })
      await rpc.members.put.mutate({ email: "vera@example.com", role: "viewer" })
      refused(await admin.delete("/api/admin/accounts/no-such-account"), 404, "account_not_found")
      const [put, updated] = await log(owner)
      assert.deepInclude(put, {
        action: "member.put",
        object: { kind: "member", id: "vera@example.com", name: null },
        changes: [{ field: "role", after: "viewer" }],
      })
      assert.deepInclude(updated, {
        action: "account.update",
        changes: [
          { field: "name", before: "told", after: "Told" },
          { field: "audit_days", after: 90 },
        ],
      })
      refused(await owner.get("/api/admin/audit"), 403, "admin_required")
      assert.strictEqual((await admin.delete(path)).status, 204)
      const { items } = made(await admin.get("/api/admin/audit?account=told"))
      assert.deepStrictEqual(
        items.map(({ action, actor }) => [action, actor.name]),
        [
          ["account.delete", "admin@example.com"],
          ["member.put", items[1]!.actor.name],
          ["account.update", items[1]!.actor.name],
          ["account.update", "admin@example.com"],
          ...items.slice(4).map(({ action, actor }) => [action, actor.name]),
        ],
      )
      assert.strictEqual(items.at(-1)!.action, "account.create")
      assert.deepInclude(items[3]!.changes, { field: "concurrent_max", before: 10, after: 7 })
    }),
  )
})

const clientWith = (owner: Client, token: string): Pick<Client, "get"> => ({
  get: (path, options) => owner.get(path, { ...options, token }),
})
