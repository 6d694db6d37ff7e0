/** The account's own figures, which only the router has: they add up, and they are of one moment. */
import { assert, it } from "@effect/vitest"
import { inAccountOfItsOwn, numbersOf } from "../support/Campaigner.ts"
import { headersOf, single } from "../support/RpcClient.ts"
import { TestServer } from "../support/TestServer.ts"

const lab = TestServer.layerWith({ LAB_SPEED: "60" })

it.layer(lab, { timeout: "120 seconds", excludeTestServices: true })("an account's overview", (it) => {
  it.effect("counts campaigns by their state, slots, calls and what came of the contacts", () =>
    inAccountOfItsOwn(async (own, owner, { url }) => {
      const rpc = single(url, headersOf(owner))
      const draft = await own.draft(numbersOf("00", 3))
      const ended = await own.running([...numbersOf("00", 2), ...numbersOf("70", 3)], { max_concurrent_calls: "5" })
      await own.ended(ended.id)
      // Busy, and tried again in an hour: it has no call now, and keeps its slots.
      const waits = await own.running(numbersOf("70", 2, 2_000), {
        max_concurrent_calls: "4",
        retries_per_contact: "1",
      })
      await own.until(waits.id, ({ counts, waiting_for }) => waiting_for === "retry_delay" && counts.in_progress === 0)

      const pulse = await rpc.account.pulse.query()
      assert.deepStrictEqual(pulse.campaigns, { draft: 1, running: 1, completed: 1 })
      assert.deepStrictEqual(pulse.slots, { limit: 100, campaign: 0, other: 0, reserved: 4, left: 96 })
      assert.deepStrictEqual([pulse.per_day.used, pulse.per_day.limit], [7, 100_000])
      assert.strictEqual(pulse.account.slug, owner.account)

      const running = await rpc.account.running.query()
      assert.deepStrictEqual(
        running.map(({ campaign_id, counts }) => [campaign_id, counts.pending]),
        [[waits.id, 2]],
      )

      const activity = await rpc.account.activity.query()
      const { cost, ...counted } = activity.today
      assert.deepStrictEqual(counted, { calls: 7, ended: 7, answered: 2 })
      const { brain = 0, telephony = 0 } = cost.parts ?? {}
      assert.isAtLeast(telephony, 2 * 0.014)
      assert.closeTo(cost.amount, brain + telephony, 1e-6)
      const outcomes = activity.minutes.flatMap((minute) => Object.entries(minute.outcomes))
      const answered = outcomes.filter(([outcome]) => outcome === "answered")
      assert.strictEqual(
        answered.reduce((sum, [, count]) => sum + count, 0),
        2,
      )
      assert.isAtLeast(activity.first_word_ms ?? -1, 0)

      const ids = [draft.id, ended.id, waits.id]
      const tallies = await rpc.account.tallies.query({ campaign_ids: ids })
      const none = {
        not_called: 0,
        to_be_retried: 0,
        in_progress: 0,
        completed: 0,
        failed: 0,
        skipped: 0,
        outcomes: {},
      }
      assert.sameDeepMembers(
        [...tallies],
        [
          { ...none, campaign_id: ids[0], total: 3, not_called: 3 },
          { ...none, campaign_id: ids[1], total: 5, completed: 2, failed: 3, outcomes: { answered: 2, busy: 3 } },
          { ...none, campaign_id: ids[2], total: 2, to_be_retried: 2 },
        ],
      )
    }),
  )

  it.effect("says when a full minute leaves room for the next call", () =>
    inAccountOfItsOwn(
      async (own, owner, { url }) => {
        const rpc = single(url, headersOf(owner))
        assert.isNull((await rpc.account.pulse.query()).minute_frees_at)
        const { id } = await own.running(numbersOf("00", 4), { max_concurrent_calls: "4" })
        await own.until(id, ({ waiting_for }) => waiting_for === "per_minute_cap")
        const { at, minute_frees_at, per_minute } = await rpc.account.pulse.query()
        assert.deepStrictEqual(per_minute, { used: 2, limit: 2 })
        const seconds = (Date.parse(minute_frees_at ?? "") - Date.parse(at)) / 1000
        assert.isTrue(seconds > 0 && seconds <= 60, `room in ${seconds} s`)
      },
      { calls_per_minute: 2 },
    ),
  )
})
