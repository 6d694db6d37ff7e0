/** Limits of campaigns (spec §8), counted as they happen. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { CallSummary } from "../../src/domain/Call.ts"
import { wide } from "../support/Callers.ts"
import { type Campaigner, campaigner, numbersOf } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { type Client, sideBySide, TestServer } from "../support/TestServer.ts"

it.layer(TestServer.layerWith({ LAB_SPEED: "60" }), sideBySide)("limits (spec §8)", (it) => {
  const test = (name: string, settings: object, body: (own: Campaigner, owner: Client) => Promise<void>) =>
    it.effect(name, () =>
      Effect.flatMap(TestServer, (server) =>
        Effect.promise(async () => {
          const owner = await server.ownerOf(`l${crypto.randomUUID().slice(0, 8)}`, settings)
          await body(await campaigner(owner), owner)
        }),
      ),
    )

  /** The most calls that lived at one moment, from their begins and ends. */
  const mostAtOnce = async (owner: Client, of: string) => {
    const calls: Array<typeof CallSummary.Encoded> = []
    for (let page = 0; ; page++) {
      const { items } = made(await owner.get(`/api/v1/calls?page=${page}&page_size=100${of}`))
      calls.push(...items)
      if (items.length < 100) break
    }
    const moments = calls.flatMap(({ ended_at, started_at }) => [
      { at: Date.parse(started_at), by: 1 },
      { at: Date.parse(ended_at!), by: -1 },
    ])
    let most = 0
    moments
      .sort((a, b) => a.at - b.at || a.by - b.by)
      .reduce((now, { by }) => {
        most = Math.max(most, now + by)
        return now + by
      }, 0)
    return { most, calls: calls.length }
  }

  test("a campaign has at most max_concurrent_calls calls at a time, and uses them (I2)", wide, async (own, owner) => {
    const { id } = await own.running(numbersOf("01", 24), { max_concurrent_calls: "4" })
    await own.ended(id)
    assert.deepStrictEqual(await mostAtOnce(owner, `&campaign_id=${id}`), { most: 4, calls: 24 })
  })

  test(
    "campaigns together have at most the account's concurrent_max (I3)",
    { ...wide, concurrent_max: 6 },
    async (own, owner) => {
      const campaigns = [
        await own.running(numbersOf("01", 12), { max_concurrent_calls: "3" }),
        await own.running(numbersOf("01", 12, 2_000), { max_concurrent_calls: "3" }),
      ]
      await Promise.all(campaigns.map(({ id }) => own.ended(id)))
      const { calls, most } = await mostAtOnce(owner, "")
      assert.strictEqual(calls, 24)
      assert.isAtMost(most, 6)
    },
  )

  test(
    "over calls_per_minute a campaign waits and says so, and a direct call is a 429",
    { ...wide, calls_per_minute: 5 },
    async (own, owner) => {
      const { id } = await own.running(numbersOf("01", 9), { max_concurrent_calls: "9" })
      const waiting = await own.until(id, ({ waiting_for }) => waiting_for !== null)
      assert.strictEqual(waiting.waiting_for, "per_minute_cap")
      const { counts } = await own.until(id, ({ counts }) => counts.in_progress === 0)
      assert.deepInclude(counts, { completed: 5, pending: 4 })
      const refused = await owner.post("/api/v1/calls", { ...own.line, to: "+14155559901" })
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(refused.body.code, "per_minute_cap")
      await own.operate(id, "stop")
    },
  )

  test("over calls_per_day a campaign waits for tomorrow", { ...wide, calls_per_day: 3 }, async (own) => {
    const { id } = await own.running(numbersOf("01", 5), { max_concurrent_calls: "5" })
    const waiting = await own.until(id, ({ counts, waiting_for }) => waiting_for !== null && counts.in_progress === 0)
    assert.strictEqual(waiting.waiting_for, "daily_cap")
    assert.deepInclude(waiting.counts, { completed: 3, pending: 2 })
    await own.operate(id, "stop")
  })

  test("a campaign keeps to its own max_calls_per_minute", wide, async (own) => {
    const { id } = await own.running(numbersOf("01", 6), { max_concurrent_calls: "6", max_calls_per_minute: "2" })
    const waiting = await own.until(id, ({ counts, waiting_for }) => waiting_for !== null && counts.in_progress === 0)
    assert.strictEqual(waiting.waiting_for, "per_minute_cap")
    assert.deepInclude(waiting.counts, { completed: 2, pending: 4 })
    await own.operate(id, "stop")
  })

  test("a contact list of 10 MB is taken, one byte more is a 413", wide, async (own) => {
    const size = 10 * 1_048_576
    const bytes = Buffer.alloc(size + 1, "\n")
    bytes.write("phone_number\n+14155550101\n")
    assert.strictEqual((await own.upload(bytes.subarray(0, size))).status, 201)
    const refused = await own.upload(bytes)
    assert.strictEqual(refused.status, 413)
    assert.strictEqual(refused.body.code, "body_too_large")
    assert.strictEqual(made(await own.client.get("/api/v1/campaigns")).total, 1)
  })

  test("contacts come in pages of 100 at most, in file order", wide, async (own, owner) => {
    const numbers = numbersOf("01", 230)
    const { id } = await own.draft(numbers)
    const pages = await Promise.all([0, 1, 2, 3].map((page) => own.contacts(id, `page=${page}`)))
    assert.deepStrictEqual(
      pages.map(({ length }) => length),
      [100, 100, 30, 0],
    )
    assert.deepStrictEqual(
      pages.flat().map((contact) => contact.phone_number),
      [...numbers],
    )
    for (const query of ["page_size=101", "page_size=0", "page=-1", "page=x", "status=nobody", "outcome=nothing"]) {
      const refused = await owner.get(`/api/v1/campaigns/${id}/contacts?${query}`)
      assert.strictEqual(refused.status, 400, query)
    }
  })
})
