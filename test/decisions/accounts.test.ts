import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { made } from "../support/Fixtures.ts"
import { type Client, TestServer } from "../support/TestServer.ts"

const path = "/api/admin/accounts"

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })(
  "accounts and their members (decisions §2 and §3)",
  (it) => {
    const asAdmin = (test: (admin: Client, server: TestServer["Service"]) => Promise<void>) =>
      Effect.gen(function* () {
        const server = yield* TestServer
        yield* Effect.promise(async () => test(await server.admin(), server))
      })

    it.effect("a new account has the documented defaults, its place and its ETag", () =>
      asAdmin(async (admin) => {
        const made = await admin.post(path, { slug: "fresh" })
        assert.strictEqual(made.status, 201)
        assert.strictEqual(made.headers.get("location"), `${path}/fresh`)
        const { created_at, ...fields } = made.body
        assert.match(created_at!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
        assert.deepStrictEqual(fields, {
          slug: "fresh",
          name: "Fresh",
          concurrent_max: 10,
          calls_per_minute: 60,
          calls_per_day: 10_000,
          daily_spend_cap: null,
          time_zone: "UTC",
          calling_window: null,
          consent_days: null,
          transcript_days: null,
          recording_days: null,
          call_days: null,
          event_days: null,
          audit_days: null,
          discoverable: false,
          status: "active",
        })
        const read = await admin.get(`${path}/fresh`)
        assert.deepStrictEqual(read.body, made.body)
        assert.strictEqual(read.headers.get("etag"), made.headers.get("etag"))
      }),
    )

    it.effect("a slug that is taken or reserved is a 409, a malformed one and an unknown field a 400", () =>
      asAdmin(async (admin) => {
        assert.strictEqual((await admin.post(path, { slug: "demo" })).body.code, "name_taken")
        assert.strictEqual((await admin.post(path, { slug: "platform-admin" })).status, 409)
        for (const body of [
          {},
          { slug: "Not A Slug" },
          { slug: "fine", unknown: 1 },
          { slug: "fine", concurrent_max: 0 },
          { slug: "fine", concurrent_max: 1.5 },
          { slug: "fine", time_zone: "Mars/Olympus" },
          { slug: "fine", name: "" },
          { slug: "fine", status: "closed" },
        ]) {
          assert.strictEqual((await admin.post(path, body)).status, 400, JSON.stringify(body))
        }
        assert.strictEqual((await admin.get(`${path}/fine`)).body.code, "account_not_found")
      }),
    )

    it.effect("changes are partial and heed If-Match; what was read may be sent back", () =>
      asAdmin(async (admin) => {
        await admin.post(path, { slug: "changing", concurrent_max: 7 })
        const read = await admin.get(`${path}/changing`)
        const etag = read.headers.get("etag") ?? ""
        const changed = await admin.put(
          `${path}/changing`,
          { ...read.body, slug: "ignored", calls_per_day: 5 },
          { headers: { "if-match": etag } },
        )
        assert.strictEqual(changed.status, 200)
        assert.deepStrictEqual(changed.body, { ...read.body, calls_per_day: 5 })
        assert.notStrictEqual(changed.headers.get("etag"), etag)
        const stale = await admin.put(`${path}/changing`, { name: "X" }, { headers: { "if-match": etag } })
        assert.deepInclude(stale.body, { status: 412, code: "precondition_failed" })
        assert.strictEqual((await admin.put(`${path}/nowhere`, { name: "X" })).status, 404)
      }),
    )

    it.effect("a cap on the day's money needs a price list, and is an exact amount", () =>
      asAdmin(async (admin) => {
        for (const [daily_spend_cap, says] of [
          ["500", "cannot be kept: this installation has no price list. Set PARLEY_PRICES_FILE"],
          ["1e3", "must be a decimal amount"],
          [500, ""],
        ] as const) {
          for (const answer of [
            await admin.post(path, { slug: "capped", daily_spend_cap }),
            await admin.put(`${path}/demo`, { daily_spend_cap }),
          ]) {
            const [fault] = answer.body.errors ?? []
            assert.deepStrictEqual([answer.status, fault?.pointer], [400, "/daily_spend_cap"])
            assert.include(fault?.detail, says)
          }
        }
        assert.strictEqual((await admin.get(`${path}/capped`)).status, 404)
        assert.isNull(made(await admin.put(`${path}/demo`, { daily_spend_cap: null })).daily_spend_cap)
      }),
    )

    it.effect("of many changes at once none is lost", () =>
      asAdmin(async (admin) => {
        await admin.post(path, { slug: "busy" })
        const answers = await Promise.all([
          admin.put(`${path}/busy`, { name: "Busy bee" }),
          admin.put(`${path}/busy`, { calls_per_minute: 11 }),
          admin.put(`${path}/busy`, { calls_per_day: 12 }),
          admin.put(`${path}/busy`, { concurrent_max: 13 }),
        ])
        assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
        assert.deepInclude((await admin.get(`${path}/busy`)).body, {
          name: "Busy bee",
          calls_per_minute: 11,
          calls_per_day: 12,
          concurrent_max: 13,
        })
      }),
    )

    it.effect("the list is paged, newest first", () =>
      asAdmin(async (admin) => {
        for (const slug of ["page-a", "page-b"]) await admin.post(path, { slug })
        const first = await admin.get(`${path}?page_size=1`)
        assert.deepInclude(first.body, { page: 0, page_size: 1 })
        assert.strictEqual(first.body.items![0]!.slug, "page-b")
        assert.strictEqual(made(await admin.get(`${path}?page=1&page_size=1`)).items[0]!.slug, "page-a")
        assert.isAbove(first.body.total!, 2)
        for (const query of ["page=-1", "page_size=0", "page_size=101", "page=x"]) {
          assert.strictEqual((await admin.get(`${path}?${query}`)).status, 400, query)
        }
      }),
    )

    it.effect("a deleted account is gone for all its members, and its slug is free again, empty", () =>
      asAdmin(async (admin, server) => {
        const owner = await server.ownerOf("going")
        const faq = { name: "kept", question: "Q?", answer: "A." }
        assert.strictEqual((await owner.post("/api/faqs", faq)).status, 201)
        assert.strictEqual((await admin.delete(`${path}/going`)).status, 204)
        assert.strictEqual((await admin.delete(`${path}/going`)).status, 404)
        assert.strictEqual((await owner.get("/api/faqs")).body.code, "account_not_found")
        const again = await server.ownerOf("going")
        assert.strictEqual((await again.get("/api/faqs/kept")).status, 404)
      }),
    )

    it.effect("GET /api/accounts lists those that are discoverable and active, and demo is", () =>
      asAdmin(async (admin, server) => {
        const listed = async () => made(await server.request("GET", "/api/accounts")).items
        assert.deepInclude(await listed(), { slug: "demo", name: "Demo" })
        await admin.post(path, { slug: "hidden" })
        await admin.post(path, { slug: "shown", name: "Shown", discoverable: true })
        const slugs = async () => (await listed()).map(({ slug }) => slug)
        assert.include(await slugs(), "shown")
        assert.notInclude(await slugs(), "hidden")
        await admin.put(`${path}/shown`, { status: "suspended" })
        assert.notInclude(await slugs(), "shown")
      }),
    )

    it.effect("validate answers 200 for every well-formed slug and says why one is not valid", () =>
      asAdmin(async (admin, server) => {
        await admin.post(path, { slug: "closed", status: "suspended" })
        const validate = async (slug: string) => (await server.request("GET", `/api/accounts/validate/${slug}`)).body
        assert.deepStrictEqual(await validate("demo"), { account: "demo", valid: true })
        assert.deepStrictEqual(await validate("nowhere"), { account: "nowhere", valid: false, reason: "unknown" })
        assert.deepStrictEqual(await validate("closed"), { account: "closed", valid: false, reason: "suspended" })
        assert.deepStrictEqual(await validate("platform-admin"), {
          account: "platform-admin",
          valid: false,
          reason: "reserved",
        })
        for (const slug of ["Demo", "-x", "a%20b", "a".repeat(64)]) {
          const answer = await server.request("GET", `/api/accounts/validate/${slug}`)
          assert.strictEqual(answer.status, 400, slug)
        }
      }),
    )

    it.effect("a suspended account answers its members 403, and opens again", () =>
      asAdmin(async (admin, server) => {
        const owner = await server.ownerOf("paused")
        await admin.put(`${path}/paused`, { status: "suspended" })
        assert.deepInclude((await owner.get("/api/faqs")).body, { status: 403, code: "account_suspended" })
        await admin.put(`${path}/paused`, { status: "active" })
        assert.strictEqual((await owner.get("/api/faqs")).status, 200)
      }),
    )

    it.effect("a member is let in with 201, again 200 with the new role, and out with 204, then 404", () =>
      asAdmin(async (admin, server) => {
        const guest = await server.ownerOf("guesthouse")
        await admin.post(path, { slug: "club" })
        const members = `${path}/club/members` as const
        const ask = (method: string, at: string, body?: unknown) => guest.request(method, at, { account: "club", body })
        assert.strictEqual((await ask("GET", "/api/faqs")).body.code, "not_a_member")

        const email = "Owner@Guesthouse.example"
        const first = await admin.post(members, { email, role: "viewer" })
        assert.strictEqual(first.status, 201)
        assert.deepInclude(first.body, {
          email: "owner@guesthouse.example",
          issuer: null,
          subject: null,
          role: "viewer",
        })
        const faq = { question: "Q?", answer: "A." }
        assert.strictEqual((await ask("GET", "/api/faqs")).status, 200)
        assert.strictEqual((await ask("POST", "/api/faqs", faq)).body.code, "missing_role")

        assert.strictEqual((await admin.post(members, { email, role: "member" })).status, 200)
        assert.strictEqual((await ask("POST", "/api/faqs", faq)).status, 201)
        assert.strictEqual((await ask("GET", "/api/v1/api-keys")).body.code, "missing_role")
        assert.strictEqual((await admin.post(members, { email, role: "owner" })).status, 200)
        assert.strictEqual((await ask("GET", "/api/v1/api-keys")).status, 200)

        const named = { issuer: "https://id.example", subject: "ada#1", role: "member" }
        assert.strictEqual((await admin.post(members, named)).status, 201)
        assert.strictEqual((await admin.post(members, named)).status, 200)
        assert.strictEqual((await admin.get(members)).body.total, 2)

        const byEmail = `${members}?email=${encodeURIComponent(email)}` as const
        assert.strictEqual((await admin.delete(byEmail)).status, 204)
        assert.strictEqual((await admin.delete(byEmail)).status, 404)
        assert.strictEqual((await ask("GET", "/api/faqs")).body.code, "not_a_member")
        const bySubject = `${members}?${new URLSearchParams({ issuer: named.issuer, subject: named.subject })}` as const
        assert.strictEqual((await admin.delete(bySubject)).status, 204)
        assert.strictEqual((await admin.delete(bySubject)).status, 404)
      }),
    )

    it.effect("a member is named by email, or by issuer and subject, not by half of that or by both", () =>
      asAdmin(async (admin) => {
        const members = `${path}/demo/members` as const
        for (const named of [
          {},
          { issuer: "https://id.example" },
          { subject: "ada" },
          { email: "a@b.example", issuer: "https://id.example", subject: "ada" },
          { email: "a@b.example", subject: "ada" },
          { email: "nobody" },
        ]) {
          const body = { ...named, role: "member" }
          assert.strictEqual((await admin.post(members, body)).status, 400, JSON.stringify(body))
          const query = new URLSearchParams(named as Record<string, string>)
          assert.strictEqual((await admin.delete(`${members}?${query}`)).status, 400, query.toString())
        }
        assert.strictEqual((await admin.post(members, { email: "a@b.example", role: "king" })).status, 400)
        assert.strictEqual((await admin.post(members, { email: "a@b.example" })).status, 400)
        const nowhere = await admin.post(`${path}/nowhere/members`, { email: "a@b.example", role: "member" })
        assert.strictEqual(nowhere.body.code, "account_not_found")
      }),
    )

    it.effect("an Idempotency-Key makes an account once", () =>
      asAdmin(async (admin) => {
        const headers = { "idempotency-key": "make-once" }
        const first = await admin.post(path, { slug: "once" }, { headers })
        const again = await admin.post(path, { slug: "once" }, { headers })
        assert.strictEqual(first.status, 201)
        assert.strictEqual(again.status, 201)
        assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
        assert.deepStrictEqual(again.body, first.body)
        assert.strictEqual((await admin.post(path, { slug: "twice" }, { headers })).status, 422)
      }),
    )
  },
)
