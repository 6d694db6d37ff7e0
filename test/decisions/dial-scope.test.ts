/** Whatever a call can follow from needs the scope `dial`, over REST and over the router (decisions §2, Keys). */
import { assert, it } from "@effect/vitest"
import { type Campaigner, type InAccount, inAccountOfItsOwn, numbersOf } from "../support/Campaigner.ts"
import { campaignForm, made } from "../support/Fixtures.ts"
import { headersOf, refusalOf, single } from "../support/RpcClient.ts"
import { type Client, TestServer } from "../support/TestServer.ts"

const past = "2020-01-01T00:00:00.000Z"
const future = "2099-01-01T00:00:00.000Z"

it.layer(TestServer.layerWith({ LAB_SPEED: "20" }), { timeout: "120 seconds", excludeTestServices: true })(
  "a key without the scope dial",
  (it) => {
    const test = (name: string, body: InAccount) => it.effect(name, () => inAccountOfItsOwn(body))
    const keyOf = async (owner: Client, scopes: ReadonlyArray<string>): Promise<string> =>
      made(await owner.post("/api/v1/api-keys", { name: scopes.join(" "), scopes })).key
    const create = (own: Campaigner, token: string, fields: Record<string, string>) =>
      own.client.request("POST", "/api/v1/campaigns", {
        token,
        body: campaignForm({ name: "key", ...own.line, ...fields }, "phone_number\n+14155550101\n"),
      })

    /** What came of a call of the router. */
    const codeOf = async (call: Promise<unknown>): Promise<unknown> =>
      call.then(
        () => "changed",
        async () => (await refusalOf(call)).code,
      )

    test("creates drafts, and schedules none", async (own, owner) => {
      const [write, both] = [await keyOf(owner, ["write"]), await keyOf(owner, ["write", "dial"])]
      assert.strictEqual((await create(own, write, {})).body.status, "draft")
      for (const scheduled_at of [past, future]) {
        const refused = await create(own, write, { scheduled_at })
        assert.deepInclude(refused.body, { status: 403, code: "missing_scope", required: "dial" })
        assert.strictEqual((await create(own, both, { scheduled_at })).status, 201)
      }
      const names = made(await owner.get("/api/v1/campaigns")).items.length
      assert.strictEqual(names, 3)
    })

    test("changes drafts, and neither schedules one nor gives a running one more calls", async (own, owner, {
      url,
    }) => {
      const [write, both] = [await keyOf(owner, ["read", "write"]), await keyOf(owner, ["write", "dial"])]
      const rest = async (id: string, change: object, token = write) => {
        const { body, status } = await owner.put(`/api/v1/campaigns/${id}`, change, { token })
        return status === 200 ? 200 : `${status} ${body.code} ${body.required}`
      }
      const routed = async (id: string, change: object, token = write) => {
        const router = single(url, headersOf({ account: owner.account, token }))
        const call = router.campaigns.update.mutate({ id, ...change })
        return call.then(
          () => 200,
          async () => {
            const { code, required, status } = await refusalOf(call)
            return `${status} ${code} ${String(required)}`
          },
        )
      }
      const refusal = "403 missing_scope dial"
      for (const change of [rest, routed]) {
        const { id } = await own.draft(numbersOf("01", 1))
        assert.strictEqual(await change(id, { name: "Renamed", max_concurrent_calls: 2 }), 200)
        assert.strictEqual(await change(id, { scheduled_at: past }), refusal)
        assert.strictEqual(await change(id, { scheduled_at: future }), refusal)
        assert.strictEqual((await own.get(id)).status, "draft")
        assert.strictEqual(await change(id, { scheduled_at: future }, both), 200)
        // What it read it may send back, and a schedule may be taken away.
        assert.strictEqual(await change(id, { scheduled_at: future, name: "Again" }), 200)
        assert.strictEqual(await change(id, { retries_per_contact: 3 }), refusal)
        assert.strictEqual(await change(id, { scheduled_at: null }), 200)

        const { id: running } = await own.running(numbersOf("75", 20), { max_concurrent_calls: "2" })
        assert.strictEqual(await change(running, { max_concurrent_calls: 3 }), refusal)
        assert.strictEqual(await change(running, { retries_per_contact: 1 }), refusal)
        assert.strictEqual(await change(running, { max_concurrent_calls: 1, name: "Slower" }), 200)
        assert.strictEqual(await change(running, { max_concurrent_calls: 3, retries_per_contact: 1 }, both), 200)
        await own.operate(running, "stop")
      }
    })

    test("tightens the limits of a number and rests it, and takes neither back", async (own, owner, { url }) => {
      const [write, both] = [await keyOf(owner, ["read", "write"]), await keyOf(owner, ["write", "dial"])]
      const { phone_number_id: id } = own.line
      const rest = async (change: object, token = write) =>
        (await owner.put(`/api/phone-numbers/${id}`, change, { token })).body.code ?? "changed"
      const routed = (change: object, token = write) =>
        codeOf(single(url, headersOf({ account: owner.account, token })).phoneNumbers.update.mutate({ id, ...change }))
      for (const change of [rest, routed]) {
        assert.strictEqual(await change({ max_calls_per_day: 5, min_seconds_between_calls: 30 }), "changed")
        assert.strictEqual(await change({ max_calls_per_day: 5, label: "Sent back" }), "changed")
        assert.strictEqual(await change({ max_calls_per_day: 6 }), "missing_scope")
        assert.strictEqual(await change({ min_seconds_between_calls: 29 }), "missing_scope")
        assert.strictEqual(await change({ max_calls_per_day: null, min_seconds_between_calls: null }), "missing_scope")
        const loose = { max_calls_per_day: null, min_seconds_between_calls: null }
        assert.strictEqual(await change(loose, both), "changed")
      }

      const restUntil = async (until: string | null, token = write) =>
        (await owner.post(`/api/v1/caller-numbers/${id}/rest`, { until }, { token })).body.code ?? "changed"
      const restedUntil = (until: string | null, token = write) =>
        codeOf(single(url, headersOf({ account: owner.account, token })).callerNumbers.rest.mutate({ id, until }))
      for (const until of [restUntil, restedUntil]) {
        assert.strictEqual(await until(future), "changed")
        assert.strictEqual(await until("2098-01-01T00:00:00.000Z"), "missing_scope")
        assert.strictEqual(await until(null), "changed")
        assert.strictEqual(await until(future), "missing_scope")
        assert.strictEqual(await until(future, both), "changed")
      }
    })

    test("starts and resumes nothing, places no call, and moves no callback", async (own, owner) => {
      const token = await keyOf(owner, ["read", "write"])
      const { id } = await own.draft(numbersOf("01", 1))
      const call = { agent_id: own.line.agent_id, phone_number_id: own.line.phone_number_id, to: "+14155550101" }
      const asked = [
        await owner.post(`/api/v1/campaigns/${id}/start`, undefined, { token }),
        await owner.post(`/api/v1/campaigns/${id}/resume`, undefined, { token }),
        await owner.post("/api/v1/calls", call, { token }),
        await owner.put(`/api/v1/campaigns/${id}/contacts/${crypto.randomUUID()}/callback`, { at: future }, { token }),
      ]
      for (const { body } of asked) assert.deepInclude(body, { status: 403, code: "missing_scope", required: "dial" })
    })
  },
)
