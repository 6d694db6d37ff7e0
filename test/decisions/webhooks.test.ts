import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { randomBytes } from "node:crypto"
import { type Caller, caller, wide } from "../support/Callers.ts"
import { made } from "../support/Fixtures.ts"
import { type Receiver, receiver, verified } from "../support/Receiver.ts"
import { type Client, TestServer } from "../support/TestServer.ts"

const path = "/api/v1/webhooks"
const options = { timeout: "60 seconds", excludeTestServices: true } as const

interface Setting {
  readonly owner: Client
  readonly caller: Caller
  readonly endpoint: Receiver
  readonly server: TestServer["Service"]
}

/** An account of its own that can call, and a receiver. */
const test = (body: (setting: Setting) => Promise<void>) =>
  Effect.gen(function* () {
    const server = yield* TestServer
    const endpoint = yield* Effect.acquireRelease(
      Effect.promise(() => receiver()),
      ({ close }) => Effect.sync(close),
    )
    yield* Effect.promise(async () => {
      const owner = await server.ownerOf(`w${crypto.randomUUID().slice(0, 8)}`, wide)
      await body({ owner, caller: await caller(owner), endpoint, server })
    })
  })

const webhook = async (owner: Client, url: string, fields: object = {}) =>
  made(await owner.post(path, { url, events: ["*"], ...fields }))

const deliveriesOf = async (owner: Client, id: string, query = ""): Promise<ReadonlyArray<Record<string, any>>> =>
  made(await owner.get(`${path}/${id}/deliveries?${query}`))["items"]

/** The webhook's deliveries as soon as they fit. */
const untilDelivered = async (
  owner: Client,
  id: string,
  fits: (deliveries: ReadonlyArray<Record<string, any>>) => boolean,
) => {
  while (true) {
    const found = await deliveriesOf(owner, id)
    if (fits(found)) return found
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
const busy = "+14155551070"
const talks = "+14155551000"

it.layer(Layer.fresh(TestServer.layerWith({ PARLEY_HTTP_TOOL_ALLOW_LOOPBACK: "1" })), options)(
  "webhooks (decisions §1 and §2)",
  (it) => {
    it.effect("the secret is shown in the answer to the creation, and masked from then on", () =>
      test(async ({ endpoint, owner }) => {
        const created = await owner.post(path, { url: endpoint.at("/a"), events: ["call.ended"] })
        assert.strictEqual(created.status, 201)
        assert.match(created.body.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
        const { id } = created.body
        assert.strictEqual(created.headers.get("location"), `${path}/${id}`)
        const read = await owner.get(`${path}/${id}`)
        assert.deepStrictEqual(read.body, { ...created.body, secret: "********" })
        assert.strictEqual(read.headers.get("etag"), created.headers.get("etag"))
        assert.deepInclude(read.body, { description: "", enabled: true, disabled_reason: null, events: ["call.ended"] })
        assert.deepStrictEqual((await owner.get(path)).body.items, [read.body])
      }),
    )

    it.effect("an update is partial, honours If-Match, and keeps what is sent back as it was read", () =>
      test(async ({ endpoint, owner }) => {
        const { id } = await webhook(owner, endpoint.at("/a"))
        const { body, headers } = await owner.get(`${path}/${id}`)
        const etag = headers.get("etag") ?? ""
        const sent = await owner.put(
          `${path}/${id}`,
          { ...body, description: "CRM" },
          { headers: { "if-match": etag } },
        )
        assert.strictEqual(sent.status, 200)
        assert.deepInclude(sent.body, { description: "CRM", url: body.url, events: ["*"], secret: "********" })
        const late = await owner.put(`${path}/${id}`, { enabled: false }, { headers: { "if-match": etag } })
        assert.deepStrictEqual([late.status, late.body.code], [412, "precondition_failed"])
        assert.strictEqual((await owner.delete(`${path}/${id}`)).status, 204)
        assert.strictEqual((await owner.delete(`${path}/${id}`)).status, 404)
        assert.strictEqual((await owner.get(`${path}/${id}/deliveries`)).status, 404)
      }),
    )

    it.effect("an Idempotency-Key makes one webhook, and shows its secret again", () =>
      test(async ({ endpoint, owner }) => {
        const send = () =>
          owner.post(path, { url: endpoint.at("/a"), events: ["*"] }, { headers: { "idempotency-key": "one" } })
        const [first, again] = [await send(), await send()]
        assert.strictEqual(again.body.secret, first.body.secret)
        assert.strictEqual((await owner.get(path)).body.total, 1)
      }),
    )

    it.effect("only owners manage them; no API key does, and a key that reads may pull events", () =>
      test(async ({ endpoint, owner, server }) => {
        const { id } = await webhook(owner, endpoint.at("/a"))
        const { key } = made(await owner.post("/api/v1/api-keys", { name: "k", scopes: ["read", "write"] }))
        for (const [method, at] of [
          ["GET", path],
          ["POST", path],
          ["GET", `${path}/${id}`],
          ["PUT", `${path}/${id}`],
          ["DELETE", `${path}/${id}`],
          ["GET", `${path}/${id}/deliveries`],
          ["POST", `${path}/${id}/deliveries/${id}/redeliver`],
        ] as const) {
          const refused = await owner.request(method, at, { token: key, body: method === "GET" ? undefined : {} })
          assert.deepStrictEqual([refused.status, refused.body.code], [403, "missing_scope"], `${method} ${at}`)
        }
        assert.strictEqual((await owner.get("/api/v1/events", { token: key })).status, 200)

        const admin = await server.admin()
        const email = "viewer@example.com"
        made(await admin.post(`/api/admin/accounts/${owner.account}/members`, { email, role: "viewer" }))
        const login = await server.request("POST", "/api/login", { body: { email, account: "demo" } })
        const token = made(login)["access_token"]
        const asViewer = { token, account: owner.account }
        assert.strictEqual((await server.request("GET", "/api/v1/events", asViewer)).status, 200)
        const refused = await server.request("GET", path, asViewer)
        assert.deepStrictEqual([refused.status, refused.body.code], [403, "missing_role"])
      }),
    )

    it.effect("each event is posted once, signed, as the log shows it, and in the log without a gap", () =>
      test(async ({ caller, endpoint, owner }) => {
        const { id, secret } = await webhook(owner, endpoint.at("/a"))
        const call = await caller.through(busy)
        const got = await endpoint.until("/a", 2)
        for (const one of got) {
          verified(one, secret)
          assert.throws(() =>
            verified({ ...one, body: one.body.replace("queued", "Queued").replace("failed", "F") }, secret),
          )
          assert.strictEqual(one.headers["webhook-id"], one.event["id"])
          assert.strictEqual(one.headers["content-type"], "application/json")
        }
        const log = made(await owner.get("/api/v1/events?after=0"))
        assert.deepStrictEqual(
          log["items"].map(({ seq, type }: Record<string, any>) => [seq, type]),
          [
            [1, "call.started"],
            [2, "call.ended"],
          ],
        )
        assert.deepStrictEqual([log["next_after"], log["has_more"]], [2, false])
        assert.deepStrictEqual(
          got.map(({ event }) => event).sort((a, b) => a["seq"] - b["seq"]),
          log["items"],
        )
        const [started, ended] = log["items"]
        assert.deepInclude(started.data, { id: call["id"], status: "queued", outcome: null, ended_at: null, to: busy })
        assert.deepInclude(ended.data, {
          id: call["id"],
          status: "failed",
          outcome: "busy",
          ended_at: call["ended_at"],
        })
        assert.notProperty(ended.data, "transcript")
        const deliveries = await untilDelivered(owner, id, (found) =>
          found.every(({ status }) => status === "succeeded"),
        )
        assert.deepStrictEqual(
          deliveries.map(({ attempts, event_id, event_type, last_status_code, next_attempt_at, seq }) => [
            ...[seq, event_type, event_id, attempts, last_status_code, next_attempt_at],
          ]),
          [
            [2, "call.ended", ended.id, 1, 200, null],
            [1, "call.started", started.id, 1, 200, null],
          ],
        )
        assert.strictEqual((await owner.get(`${path}/${id}`)).body.pending_deliveries, 0)
      }),
    )

    it.effect("it is told of its own types alone, and of nothing while it is disabled", () =>
      test(async ({ caller, endpoint, owner }) => {
        const chosen = await webhook(owner, endpoint.at("/ended"), { events: ["call.ended"] })
        const disabled = await webhook(owner, endpoint.at("/off"), { enabled: false })
        await webhook(owner, endpoint.at("/all"))
        await caller.through(busy)
        await endpoint.until("/all", 2)
        await untilDelivered(owner, chosen["id"], (found) => found.length === 1)
        made(await owner.put(`${path}/${disabled["id"]}`, { enabled: true }))
        await caller.through(busy)
        assert.deepStrictEqual((await endpoint.until("/off", 2)).map(({ event }) => event["seq"]).sort(), [3, 4])
        await endpoint.until("/ended", 2)
        const types = endpoint.received.filter((one) => one.path === "/ended").map(({ event }) => event["type"])
        assert.deepStrictEqual(types, ["call.ended", "call.ended"])
      }),
    )

    it.effect("a 500 is tried again by itself, with the same webhook-id; a redelivery is made at once", () =>
      test(async ({ caller, endpoint, owner }) => {
        const { id, secret } = await webhook(owner, endpoint.at("/a"), { events: ["call.ended"] })
        endpoint.answer("/a", 500)
        await caller.through(busy)
        const [waits] = await untilDelivered(owner, id, ([one]) => one?.["last_status_code"] === 500)
        assert.deepInclude(waits, { status: "pending", attempts: 1, last_error: "The endpoint answered 500" })
        assert.strictEqual(waits?.["response_excerpt"], "no: 500")
        const delay = Date.parse(waits?.["next_attempt_at"]) - Date.parse(waits?.["last_attempt_at"])
        assert.isAtMost(delay, 11_000)
        endpoint.answer("/a", 204)
        const [first, second] = await endpoint.until("/a", 2)
        assert.strictEqual(second?.headers["webhook-id"], first?.headers["webhook-id"])
        assert.strictEqual(second?.body, first?.body)
        const [done] = await untilDelivered(owner, id, ([one]) => one?.["status"] === "succeeded")
        assert.deepStrictEqual(
          done?.["attempt_log"].map(({ number, status_code }: Record<string, any>) => [number, status_code]),
          [
            [1, 500],
            [2, 204],
          ],
        )
        const again = await owner.post(`${path}/${id}/deliveries/${done?.["id"]}/redeliver`)
        assert.strictEqual(again.status, 200)
        assert.deepInclude(again.body, { id: done?.["id"], status: "pending" })
        const third = (await endpoint.until("/a", 3))[2]
        assert.strictEqual(third?.headers["webhook-id"], first?.headers["webhook-id"])
        if (third !== undefined) verified(third, secret)
        const missing = await owner.post(`${path}/${id}/deliveries/${id}/redeliver`)
        assert.strictEqual(missing.status, 404)
        await untilDelivered(owner, id, ([one]) => one?.["status"] === "succeeded" && one["attempts"] === 3)
        assert.deepStrictEqual(await deliveriesOf(owner, id, "status=failed"), [])
        assert.strictEqual((await deliveriesOf(owner, id, "status=succeeded&type=call.ended")).length, 1)
      }),
    )

    it.effect("an endpoint that does not answer times out, and delays no other one", () =>
      test(async ({ caller, endpoint, owner }) => {
        const slow = await webhook(owner, endpoint.at("/slow"))
        await webhook(owner, endpoint.at("/quick"))
        endpoint.answer("/slow", () => {})
        for (let calls = 0; calls < 5; calls++) await caller.through(busy)
        const before = Date.now()
        await endpoint.until("/quick", 10)
        assert.isBelow(Date.now() - before, 3_000)
        // Of ten that are due, no more than its share is tried at a time.
        assert.isAtMost(endpoint.received.filter((one) => one.path === "/slow").length, 8)
        const timedOut = await untilDelivered(owner, slow["id"], (found) =>
          found.some((one) => one["last_error"] !== null),
        )
        const one = timedOut.find(({ last_error }) => last_error !== null)
        assert.deepInclude(one, { last_status_code: null, last_error: "The endpoint gave no answer within 15 seconds" })
        assert.isAtLeast(one?.["last_duration_ms"], 14_900)
      }),
    )

    it.effect("410 disables it and gives the delivery up; it cannot be redelivered until it is enabled", () =>
      test(async ({ caller, endpoint, owner }) => {
        const { id } = await webhook(owner, endpoint.at("/a"), { events: ["call.ended"] })
        endpoint.answer("/a", 410)
        await caller.through(busy)
        const [gone] = await untilDelivered(owner, id, ([one]) => one?.["status"] === "failed")
        const read = (await owner.get(`${path}/${id}`)).body
        assert.deepInclude(read, { enabled: false, disabled_reason: "gone" })
        const again = () => owner.post(`${path}/${id}/deliveries/${gone?.["id"]}/redeliver`)
        const refused = await again()
        assert.deepStrictEqual([refused.status, refused.body.code], [409, "invalid_state"])
        endpoint.answer("/a", 200)
        const enabled = made(await owner.put(`${path}/${id}`, { enabled: true }))
        assert.strictEqual(enabled["disabled_reason"], null)
        assert.strictEqual((await again()).status, 200)
        await untilDelivered(owner, id, ([one]) => one?.["status"] === "succeeded")
      }),
    )

    it.effect("Retry-After is heeded, and no redirect is followed", () =>
      test(async ({ caller, endpoint, owner }) => {
        const waits = await webhook(owner, endpoint.at("/later"), { events: ["call.ended"] })
        const moved = await webhook(owner, endpoint.at("/moved"), { events: ["call.ended"] })
        endpoint.answer("/later", (response) => response.writeHead(503, { "retry-after": "120" }).end())
        endpoint.answer("/moved", (response) => response.writeHead(307, { location: endpoint.at("/target") }).end())
        await caller.through(busy)
        const [later] = await untilDelivered(owner, waits["id"], ([one]) => one?.["last_status_code"] === 503)
        const delay = Date.parse(later?.["next_attempt_at"]) - Date.parse(later?.["last_attempt_at"])
        assert.isAtLeast(delay, 120_000)
        assert.isBelow(delay, 122_000)
        const [one] = await untilDelivered(owner, moved["id"], ([one]) => one?.["last_status_code"] === 307)
        assert.strictEqual(one?.["last_error"], "The endpoint answered 307; redirects are not followed")
        assert.isFalse(endpoint.received.some((received) => received.path === "/target"))
      }),
    )

    it.effect("a new secret signs at once, and the one before signs beside it for a day", () =>
      test(async ({ caller, endpoint, owner }) => {
        const { id, secret } = await webhook(owner, endpoint.at("/a"), { events: ["call.ended"] })
        const next = `whsec_${randomBytes(24).toString("base64")}`
        const changed = made(await owner.put(`${path}/${id}`, { secret: next }))
        assert.strictEqual(changed["secret"], "********")
        await caller.through(busy)
        const [one] = await endpoint.until("/a", 1)
        assert.match(one?.headers["webhook-signature"] ?? "", /^v1,\S+ v1,\S+$/)
        if (one === undefined) throw new Error("Nothing was received")
        verified(one, next)
        verified(one, secret)
        const stranger = `whsec_${randomBytes(24).toString("base64")}`
        assert.throws(() => verified(one, stranger))
      }),
    )

    it.effect("a campaign tells its start, pause, resumption and end, each contact, and its counts", () =>
      test(async ({ caller, endpoint, owner }) => {
        await webhook(owner, endpoint.at("/a"))
        const form = new FormData()
        for (const [name, value] of Object.entries({
          name: "c",
          agent_id: caller.agent["id"],
          phone_number_id: caller.number["id"],
          max_concurrent_calls: "2",
        })) {
          form.append(name, value)
        }
        form.append("contacts", new Blob([`phone_number,first_name\n${talks},Ada\n${busy},Grace\n`]), "c.csv")
        const { id } = made(await owner.request("POST", "/api/v1/campaigns", { body: form }))
        const operate = async (operation: string) => made(await owner.post(`/api/v1/campaigns/${id}/${operation}`))
        await operate("start")
        await operate("pause")
        await operate("resume")
        const ofType = (type: string) => endpoint.until("/a", 1, ({ event }) => event["type"] === type)
        const [ended] = await ofType("campaign.completed")
        assert.deepInclude(ended?.event["data"], { id, status: "completed", end_reason: "finished", name: "c" })
        assert.deepInclude(ended?.event["data"].counts, {
          total: 2,
          pending: 0,
          in_progress: 0,
          completed: 1,
          failed: 1,
        })
        const starts = await endpoint.until("/a", 2, ({ event }) => event["type"] === "campaign.started")
        const previous = starts.map(({ event }) => event["data"].previous_status)
        assert.sameMembers(previous, ["draft", "paused"])
        await ofType("campaign.paused")
        const [completed] = await ofType("contact.completed")
        assert.deepInclude(completed?.event["data"], {
          ...{ campaign_id: id, phone_number: talks, status: "completed", outcome: "answered", attempts: 1 },
          custom_fields: { first_name: "Ada" },
        })
        const [failed] = await ofType("contact.failed")
        assert.deepInclude(failed?.event["data"], { phone_number: busy, status: "failed", outcome: "busy" })

        const log = made(await owner.get("/api/v1/events"))["items"] as ReadonlyArray<Record<string, any>>
        assert.deepStrictEqual(
          log.map(({ seq }) => seq),
          log.map((_, at) => at + 1),
        )
        assert.strictEqual(log.at(-1)?.["type"], "campaign.completed")
        const some = made(await owner.get("/api/v1/events?type=call.ended&limit=1"))
        assert.deepStrictEqual([some["items"].length, some["has_more"]], [1, true])
        const rest = made(await owner.get(`/api/v1/events?type=call.ended&after=${some["next_after"]}`))
        assert.deepStrictEqual([rest["items"].length, rest["next_after"], rest["has_more"]], [1, log.length, false])
      }),
    )

    it.effect("what a webhook may be", () =>
      test(async ({ endpoint, owner }) => {
        const url = endpoint.at("/a")
        const events = ["call.ended"]
        for (const body of [
          {},
          { url },
          { events },
          { url, events: [] },
          { url, events: ["call.exploded"] },
          { url, events: ["call.ended", "call.ended"] },
          { url: "", events },
          { url: "not a url", events },
          { url: "ftp://example.com/", events },
          { url: `${url}#part`, events },
          { url: "https://user:password@example.com/", events },
          { url: `https://example.com/${"x".repeat(2_000)}`, events },
          { url, events, secret: "********" },
          { url, events, secret: "plain" },
          { url, events, secret: `whsec_${randomBytes(16).toString("base64")}` },
          { url, events, secret: `whsec_${randomBytes(65).toString("base64")}` },
          { url, events, unknown: true },
        ]) {
          const refused = await owner.post(path, body)
          assert.strictEqual(refused.status, 400, JSON.stringify(body))
          assert.isNotEmpty(refused.body.errors)
        }
        const own = `whsec_${randomBytes(24).toString("base64")}`
        assert.strictEqual((await webhook(owner, url, { secret: own }))["secret"], own)
      }),
    )

    it.effect("an account has a hundred at most", () =>
      test(async ({ endpoint, owner }) => {
        const create = () => owner.post(path, { url: endpoint.at("/a"), events: ["*"] })
        for (let count = 0; count < 100; count++) made(await create())
        const refused = await create()
        assert.deepStrictEqual([refused.status, refused.body.code], [409, "invalid_state"])
      }),
    )

    it.effect("a URL into a private network is refused with the reason, on creation and on change", () =>
      test(async ({ endpoint, owner }) => {
        const { id } = await webhook(owner, endpoint.at("/a"))
        for (const host of ["10.0.0.1", "192.168.1.1", "169.254.169.254", "[fd00::1]", "0.0.0.0", "100.64.0.1"]) {
          const url = `https://${host}/hook`
          for (const refused of [
            await owner.post(path, { url, events: ["*"] }),
            await owner.put(`${path}/${id}`, { url }),
          ]) {
            assert.strictEqual(refused.status, 400, url)
            assert.strictEqual(refused.body.errors[0].pointer, "/url")
            assert.include(refused.body.errors[0].detail, "private")
          }
        }
        assert.strictEqual((await owner.get(`${path}/${id}`)).body.url, endpoint.at("/a"))
      }),
    )

    it.effect("an after beyond the last event is a 400", () =>
      test(async ({ owner }) => {
        const refused = await owner.get("/api/v1/events?after=5")
        assert.strictEqual(refused.status, 400)
        assert.strictEqual(refused.body.errors[0].pointer, "/query/after")
        for (const query of ["after=-1", "after=x", "limit=0", "limit=1001", "type=call"]) {
          assert.strictEqual((await owner.get(`/api/v1/events?${query}`)).status, 400, query)
        }
      }),
    )
  },
)

it.layer(Layer.fresh(TestServer.layer), options)("without PARLEY_HTTP_TOOL_ALLOW_LOOPBACK", (it) => {
  it.effect("no webhook leads to this machine", () =>
    test(async ({ endpoint, owner }) => {
      const url = endpoint.at("/a")
      for (const place of [url, url.replace("127.0.0.1", "localhost"), url.replace("127.0.0.1", "[::1]")]) {
        const refused = await owner.post(path, { url: place, events: ["*"] })
        assert.strictEqual(refused.status, 400, place)
        assert.strictEqual(refused.body.errors[0].pointer, "/url")
      }
    }),
  )
})
