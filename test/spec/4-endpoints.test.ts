import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { everything } from "../support/Fixtures.ts"
import { type Document, type Operation, operationsOf } from "../support/OpenApi.ts"
import { TestServer } from "../support/TestServer.ts"

/** The rows of interface.md §4 and of decisions.md §1, as method and path. */
const documented = `
GET /api/tools · GET /api/tools/{id} · POST /api/tools · PUT /api/tools/{id} · DELETE /api/tools/{id}
POST /api/agents/{id}/tools
GET /api/playbooks · GET /api/playbooks/{id} · POST /api/playbooks · PUT /api/playbooks/{id} · DELETE /api/playbooks/{id}
POST /api/agents/{id}/playbooks · DELETE /api/agents/{id}/playbooks/{pbId}
GET /api/faqs · GET /api/faqs/{id} · POST /api/faqs · PUT /api/faqs/{id} · DELETE /api/faqs/{id}
POST /api/agents/{id}/faqs · DELETE /api/agents/{id}/faqs/{faqId}
POST /api/v1/campaigns/{id}/start · POST /api/v1/campaigns/{id}/pause · POST /api/v1/campaigns/{id}/resume
POST /api/v1/campaigns/{id}/copy · POST /api/v1/campaigns/{id}/stop · DELETE /api/v1/campaigns/{id} · GET /api/v1/campaigns/{id}/events
GET /api/v1/campaigns/{id}/contacts
GET /api/accounts · GET /api/accounts/validate/{account} · POST /api/login
POST /api/v1/widget/auth/session · POST /api/v1/widget/auth/token · GET /api/v1/widget/config · GET /api/user/org
GET /api/agents · POST /api/agents · GET /api/agents/{id} · PUT /api/agents/{id} · DELETE /api/agents/{id}
GET /api/agents/{id}/tools · DELETE /api/agents/{id}/tools/{tool_name}
GET /api/agents/{id}/playbooks · GET /api/agents/{id}/faqs
GET /api/agents/{id}/versions · GET /api/agents/{id}/versions/{version}
GET /api/agents/{id}/versions/{version}/diff · POST /api/agents/{id}/versions/{version}/restore
POST /api/agents/{id}/scenario-runs · GET /api/agents/{id}/scenario-runs
GET /api/agents/{id}/scenario-runs/{run_id}
POST /api/tools/{id}/invoke · POST /api/agents/{id}/preview
GET /api/phone-numbers · POST /api/phone-numbers
GET /api/phone-numbers/{id} · PUT /api/phone-numbers/{id} · DELETE /api/phone-numbers/{id} · POST /api/phone-numbers/{id}/check
GET /api/v1/campaigns · POST /api/v1/campaigns · GET /api/v1/campaigns/{id} · PUT /api/v1/campaigns/{id}
GET /api/v1/campaigns/{id}/contacts/{contact_id} · GET /api/v1/campaigns/{id}/timeline
GET /api/v1/campaigns/{id}/results.csv · GET /api/v1/campaigns/{id}/decisions.csv
POST /api/v1/campaigns/{id}/contacts · POST /api/v1/campaigns/{id}/contacts/withdraw
DELETE /api/v1/campaigns/{id}/contacts/{contact_id}
POST /api/v1/campaigns/{id}/preflight · GET /api/v1/campaigns/{id}/callbacks · GET /api/v1/callbacks
PUT /api/v1/campaigns/{id}/contacts/{contact_id}/callback · DELETE /api/v1/campaigns/{id}/contacts/{contact_id}/callback
GET /api/v1/calls · GET /api/v1/calls.csv · POST /api/v1/calls · GET /api/v1/calls/{id} · POST /api/v1/calls/{id}/hangup
GET /api/v1/calls/{id}/listen · POST /api/v1/calls/{id}/whisper · PUT /api/v1/calls/{id}/disposition · POST /api/v1/calls/{id}/notes · DELETE /api/v1/calls/{id}/notes/{note_id} · POST /api/v1/calls/{id}/takeover · GET /api/v1/calls/{id}/recording · POST /api/v1/calls/{id}/recording/pause · POST /api/v1/calls/{id}/recording/resume
DELETE /api/v1/calls/{id} · GET /api/v1/people/{phone_number} · DELETE /api/v1/people/{phone_number}
GET /api/v1/exports · POST /api/v1/exports · GET /api/v1/exports/{id} · GET /api/v1/exports/{id}/file
GET /api/v1/suppressions · POST /api/v1/suppressions · DELETE /api/v1/suppressions/{phone_number}
POST /api/v1/suppressions/import · GET /api/v1/suppressions.csv
GET /api/v1/caller-numbers · GET /api/v1/caller-numbers/{id} · POST /api/v1/caller-numbers/{id}/rest
DELETE /api/v1/caller-numbers/{id}/rest
GET /api/v1/consents · POST /api/v1/consents · GET /api/v1/consents/{id} · POST /api/v1/consents/revocations
GET /api/v1/consents.csv · GET /api/v1/receipts/head · GET /api/v1/receipts.jsonl · GET /api/v1/rule-packs · GET /api/v1/rule-packs/{id}
GET /api/v1/api-keys · POST /api/v1/api-keys · DELETE /api/v1/api-keys/{id}
GET /api/v1/widget-keys · POST /api/v1/widget-keys · DELETE /api/v1/widget-keys/{id}
GET /api/v1/webhooks · POST /api/v1/webhooks
GET /api/v1/webhooks/{id} · PUT /api/v1/webhooks/{id} · DELETE /api/v1/webhooks/{id}
GET /api/v1/webhooks/{id}/deliveries · POST /api/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver
GET /api/v1/events · GET /api/v1/audit · GET /api/v1/audit.csv · GET /api/admin/audit
GET /api/admin/accounts · POST /api/admin/accounts
GET /api/admin/accounts/{slug} · PUT /api/admin/accounts/{slug} · DELETE /api/admin/accounts/{slug}
GET /api/admin/accounts/{slug}/members · POST /api/admin/accounts/{slug}/members
DELETE /api/admin/accounts/{slug}/members
GET /healthz · GET /readyz · GET /metrics`
  .split(/[·\n]/)
  .map((row) => row.trim())
  .filter((row) => row !== "")

const isPublic = (path: string): boolean =>
  /^\/api\/(?:accounts|accounts\/validate\/.*|login|user\/org|v1\/widget\/.*)$|^\/(?:healthz|readyz|metrics)$/.test(
    path,
  )

const name = ({ method, path }: Operation): string => `${method} ${path}`
const somewhere = (path: string): string => path.replaceAll(/\{\w+\}/g, "none")

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })("endpoints (spec §4)", (it) => {
  const operations = Effect.gen(function* () {
    const { request } = yield* TestServer
    const { body } = yield* Effect.promise(() => request("GET", "/openapi.json"))
    return operationsOf(body as Document)
  })

  it.effect("every documented endpoint is there, and no other one", () =>
    Effect.map(operations, (operations) => assert.deepStrictEqual(operations.map(name).sort(), [...documented].sort())),
  )

  it.effect("unless listed under public endpoints, every endpoint needs the two headers", () =>
    Effect.gen(function* () {
      const { request } = yield* TestServer
      for (const operation of yield* operations) {
        if (isPublic(operation.path) || operation.path.startsWith("/api/admin/")) continue
        const ask = (account: string | null) =>
          Effect.promise(() => request(operation.method, somewhere(operation.path), { account, token: null }))
        assert.strictEqual((yield* ask(null)).status, 400, name(operation))
        assert.strictEqual((yield* ask("demo")).status, 401, name(operation))
      }
    }),
  )

  it.effect("public endpoints need no Authorization", () =>
    Effect.gen(function* () {
      const { request } = yield* TestServer
      const ask = <const Path extends string>(path: Path) => Effect.promise(() => request("GET", path))
      const accounts = yield* ask("/api/accounts")
      assert.strictEqual(accounts.status, 200)
      assert.deepStrictEqual(accounts.body, { items: [{ slug: "demo", name: "Demo" }] })
      assert.strictEqual((yield* ask("/api/accounts/validate/demo")).body.valid, true)
      assert.strictEqual((yield* ask("/api/user/org")).status, 401)
    }),
  )

  it.effect("a list is a page of objects, newest first", () =>
    Effect.gen(function* () {
      const { ownerOf } = yield* TestServer
      yield* Effect.promise(async () => {
        const owner = await ownerOf("pages")
        for (const question of ["first", "second", "third"]) await owner.post("/api/faqs", { question, answer: "a" })
        const page = (await owner.get("/api/faqs?is_default=false&page_size=2")).body
        assert.deepStrictEqual(
          { ...page, items: page.items!.map(({ name }: { name: string }) => name) },
          { items: ["third", "second"], page: 0, page_size: 2, total: 3 },
        )
        const last = (await owner.get("/api/faqs?is_default=false&page_size=2&page=1")).body
        assert.deepStrictEqual(
          last.items!.map(({ name }: { name: string }) => name),
          ["first"],
        )
        assert.strictEqual((await owner.get("/api/faqs")).body.page_size, 50)
      })
    }),
  )

  it.effect("a create answers 201 with the object and a Location; the second delete is a 404", () =>
    Effect.gen(function* () {
      const { ownerOf } = yield* TestServer
      yield* Effect.promise(async () => {
        const owner = await ownerOf("creates")
        const made = await owner.post("/api/faqs", { question: "q", answer: "a" })
        assert.strictEqual(made.status, 201)
        const place = made.headers.get("location") as `/api/faqs/${string}`
        assert.deepStrictEqual((await owner.get(place)).body, made.body)
        assert.strictEqual((await owner.request("HEAD", place)).status, 200)
        assert.deepStrictEqual([(await owner.delete(place)).status, (await owner.delete(place)).status], [204, 404])
      })
    }),
  )

  it.effect("If-Match of another revision is a 412, and If-None-Match of this one a 304", () =>
    Effect.gen(function* () {
      const { ownerOf } = yield* TestServer
      yield* Effect.promise(async () => {
        const owner = await ownerOf("etags")
        const made = await owner.post("/api/faqs", { question: "q", answer: "a" })
        const place = made.headers.get("location") as `/api/faqs/${string}`
        const etag = made.headers.get("etag") ?? ""
        const unchanged = await owner.get(place, { headers: { "if-none-match": etag } })
        assert.strictEqual(unchanged.status, 304)
        assert.strictEqual((await owner.get(place, { headers: { "if-none-match": "*" } })).status, 304)
        const changed = await owner.put(place, { answer: "b" }, { headers: { "if-match": etag } })
        assert.strictEqual(changed.status, 200)
        assert.notStrictEqual(changed.headers.get("etag"), etag)
        const late = await owner.put(place, { answer: "c" }, { headers: { "if-match": etag } })
        assert.deepStrictEqual([late.status, late.body.code], [412, "precondition_failed"])
        assert.strictEqual((await owner.get(place)).body.answer, "b")
      })
    }),
  )

  it.effect("a DELETE with If-Match of another revision is a 412, and deletes nothing", () =>
    Effect.gen(function* () {
      const { ownerOf } = yield* TestServer
      yield* Effect.promise(async () => {
        const owner = await ownerOf("deletes")
        const all = await everything(owner, "deleted")
        const { agent, campaign, faq, number, playbook, tool, webhook, widgetKey } = all
        assert.strictEqual((await owner.delete(`/api/v1/widget-keys/${widgetKey.id}`)).status, 204)
        const places = [
          `/api/v1/webhooks/${webhook.id}`,
          `/api/v1/campaigns/${campaign.id}`,
          `/api/phone-numbers/${number.id}`,
          `/api/agents/${agent.id}`,
          `/api/playbooks/${playbook.id}`,
          `/api/faqs/${faq.id}`,
          `/api/tools/${tool.id}`,
        ]
        for (const place of places) {
          const etag = (await owner.get(place)).headers.get("etag") ?? ""
          const late = await owner.delete(place, { headers: { "if-match": '"999"' } })
          assert.deepStrictEqual([late.status, late.body?.code], [412, "precondition_failed"], place)
          const done = await owner.delete(place, { headers: { "if-match": etag } })
          assert.strictEqual(done.status, 204, place)
        }
      })
    }),
  )

  it.effect("Idempotency-Key: the first answer again; another body 422; ten at once make one", () =>
    Effect.gen(function* () {
      const { ownerOf } = yield* TestServer
      yield* Effect.promise(async () => {
        const owner = await ownerOf("idempotent")
        const send = (answer: string, key: string) =>
          owner.post("/api/faqs", { question: "q", answer }, { headers: { "idempotency-key": key } })
        const first = await send("a", "key-1")
        const again = await send("a", "key-1")
        assert.deepStrictEqual([first.status, again.status, again.body], [201, 201, first.body])
        assert.strictEqual(first.headers.get("idempotent-replayed"), null)
        assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
        assert.strictEqual(again.headers.get("location"), first.headers.get("location"))
        const other = await send("b", "key-1")
        assert.deepStrictEqual([other.status, other.body.code], [422, "idempotency_key_reused"])

        const racing = await Promise.all(Array.from({ length: 10 }, () => send("c", "key-2")))
        const codes = racing.map(({ body, status }) => (status === 409 ? body.code : status))
        assert.isTrue(
          codes.every((code) => code === 201 || code === "idempotency_in_progress"),
          codes.join(),
        )
        assert.isAbove(codes.filter((code) => code === 201).length, 0)
        assert.strictEqual((await owner.get("/api/faqs?is_default=false")).body.total, 2)

        // What failed left nothing, so the key is free for the corrected request's like.
        const refused = await send("", "key-3")
        assert.strictEqual(refused.status, 400)
        assert.strictEqual((await send("d", "key-3")).status, 201)
      })
    }),
  )

  it.effect("an idempotent answer that holds a secret is kept sealed", () =>
    Effect.gen(function* () {
      const { ownerOf } = yield* TestServer
      yield* Effect.promise(async () => {
        const owner = await ownerOf("sealed")
        const send = () =>
          owner.post("/api/v1/api-keys", { name: "k", scopes: ["read"] }, { headers: { "idempotency-key": "k" } })
        const [first, again] = [await send(), await send()]
        assert.strictEqual(again.body.key, first.body.key)
        assert.strictEqual((await owner.get("/api/v1/api-keys")).body.total, 1)
      })
    }),
  )
})
