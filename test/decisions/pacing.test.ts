import { assert, it } from "@effect/vitest"
import type { Campaign } from "../../src/domain/Campaign.ts"
import { follow, inAccountOfItsOwn, numbersOf } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { type Client, TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

/** Another number of the account with a pace of its own. */
const pacedNumber = async (client: Client, calls_per_second: unknown, digits = "21") =>
  client.post("/api/phone-numbers", {
    number: `+141555500${digits}`,
    carrier: "lab",
    carrier_config: { calls_per_second },
  })

/** Every call of the account, the earliest first, with the time at which it began. */
const callsOf = async (client: Client) => {
  const { items } = made(await client.get("/api/v1/calls?page_size=100"))
  return items.map((call) => ({ ...call, at: Date.parse(call.started_at) })).toSorted((a, b) => a.at - b.at)
}

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })(
  "the pace of calls (decisions §5)",
  (it) => {
    it.effect(
      "calls from one number are spaced, over its campaigns and direct calls, and its campaigns take turns",
      () =>
        inAccountOfItsOwn(async (own, owner) => {
          const { id: phone_number_id } = made(await pacedNumber(owner, 5))
          const fields = { phone_number_id, max_concurrent_calls: "20" }
          const one = await own.draft(numbersOf("70", 30), fields)
          const two = await own.draft(numbersOf("70", 30, 2_000), fields)
          await Promise.all([one, two].map(({ id }) => own.operate(id, "start")))
          const isDialling = ({ counts, status }: typeof Campaign.Encoded) =>
            status === "running" && counts.pending < 29
          // It dials as fast as its number allows, so it waits for nothing.
          assert.isNull((await own.until(one.id, isDialling)).waiting_for)
          const direct = { agent_id: own.line.agent_id, phone_number_id, to: numbersOf("70", 1, 3_000)[0] }
          assert.strictEqual((await owner.post("/api/v1/calls", direct)).status, 201)
          await own.ended(one.id)
          await own.ended(two.id)

          const calls = await callsOf(owner)
          assert.strictEqual(calls.length, 61)
          for (const [at, call] of calls.entries()) {
            const sameSecond = calls.filter((other) => other.at >= call.at && other.at < call.at + 999)
            assert.isAtMost(sameSecond.length, 5)
            if (at > 0) assert.isAtLeast(call.at - (calls[at - 1]?.at ?? 0), 199)
          }
          const bothFrom = Math.max(
            ...[one, two].map(({ id }) => calls.findIndex(({ campaign_id }) => campaign_id === id)),
          )
          const shared = calls.slice(bothFrom).filter(({ campaign_id }) => campaign_id !== null)
          const ofOne = shared.slice(0, 20).filter(({ campaign_id }) => campaign_id === one.id).length
          assert.isTrue(ofOne >= 8 && ofOne <= 12, `${ofOne} of twenty while both dial`)

          const [contact] = await own.contacts(one.id)
          const detail = made(await owner.get(`/api/v1/campaigns/${one.id}/contacts/${contact?.id}`))
          assert.deepInclude(detail.attempt_log[0]!.decision, { number_pace: { calls_per_second: 5 } })
        }),
    )

    it.effect("a direct call waits for its moment, or is a 429 when that is far", () =>
      inAccountOfItsOwn(async (own, owner) => {
        const slow = made(await pacedNumber(owner, 0.1, "31"))
        const place = (phone_number_id: string, from: number) =>
          owner.post("/api/v1/calls", {
            agent_id: own.line.agent_id,
            phone_number_id,
            to: numbersOf("70", 1, from)[0],
          })
        assert.strictEqual((await place(slow.id, 1)).status, 201)
        // The next may begin ten seconds later, and five of them are waited for: on a machine that stands still they pass.
        let from = 1
        const refused = await until(async () => {
          const answer = await place(slow.id, ++from)
          return answer.status !== 201 && answer
        })
        assert.deepStrictEqual([refused.status, refused.body.code], [429, "rate_limited"])
        assert.strictEqual(refused.body.calls_per_second, 0.1)
        const seconds = Number(refused.headers.get("retry-after"))
        assert.isTrue(seconds >= 1 && seconds <= 5, `${seconds}`)

        const quick = made(await pacedNumber(owner, 2, "32"))
        const answers = await Promise.all([503, 504, 505].map((from) => place(quick.id, from)))
        assert.deepStrictEqual(
          answers.map(({ status }) => status),
          [201, 201, 201],
        )
        const begun = (await callsOf(owner)).filter((call) => call.phone_number_id === quick.id)
        assert.isAtLeast((begun[1]?.at ?? 0) - (begun[0]?.at ?? 0), 499)
        assert.isAtLeast((begun[2]?.at ?? 0) - (begun[1]?.at ?? 0), 499)
      }),
    )

    it.effect("a pace beyond its range is refused with its pointer", () =>
      inAccountOfItsOwn(async (_, owner) => {
        for (const wrong of [0, 0.05, 101, "1", null]) {
          const { body, status } = await pacedNumber(owner, wrong)
          assert.deepStrictEqual([status, body.errors?.[0]?.pointer], [400, "/carrier_config/calls_per_second"])
        }
        const number = made(await pacedNumber(owner, 100))
        const change = { carrier_config: { calls_per_second: 1_000 } }
        assert.strictEqual((await owner.put(`/api/phone-numbers/${number.id}`, change)).status, 400)
      }),
    )

    it.effect("campaigns share what the account's calls a minute leave, in proportion to max_concurrent_calls", () =>
      inAccountOfItsOwn(
        async (own, owner, { account, admin }) => {
          // The only call of the first minute: no campaign begins before all of them wait.
          const [to] = numbersOf("70", 1, 9_000)
          made(await owner.post("/api/v1/calls", { ...own.line, to }))
          const half = await own.running(numbersOf("70", 30), { max_concurrent_calls: "40" })
          const quarter = await own.running(numbersOf("70", 30, 2_000), { max_concurrent_calls: "20" })
          const other = await own.running(numbersOf("70", 30, 3_000), { max_concurrent_calls: "20" })
          const all = [half, quarter, other]
          const wait = () => Promise.all(all.map(({ id }) => own.until(id, (now) => now.waiting_for !== null)))
          for (const { waiting_for } of await wait()) assert.strictEqual(waiting_for, "per_minute_cap")
          made(await admin.put(account, { calls_per_minute: 21 }))

          const calls = await until(async () => {
            const calls = await callsOf(owner)
            return calls.length >= 21 && calls
          })
          assert.strictEqual(calls.length, 21)
          for (const { waiting_for } of await wait()) assert.strictEqual(waiting_for, "per_minute_cap")
          const begun = all.map(({ id }) => calls.filter(({ campaign_id }) => campaign_id === id).length)
          assert.deepStrictEqual(begun, [10, 5, 5])
          for (const { id } of all) await own.operate(id, "stop")
        },
        { concurrent_max: 100, calls_per_minute: 1 },
      ),
    )

    it.effect("a list on which nothing else happens than carrier errors pauses its campaign; resume begins anew", () =>
      inAccountOfItsOwn(async (own, owner, { url }) => {
        const { id } = await own.draft([...numbersOf("00", 1), ...numbersOf("90", 90)], { max_concurrent_calls: "2" })
        const stream = await follow(url, owner, id)
        made(await own.operate(id, "start"))
        const last = await stream.next(({ data }) => data?.status === "paused")
        assert.strictEqual(last.data?.waiting_for, "carrier")
        await stream.close()

        const paused = await own.get(id)
        assert.deepStrictEqual([paused.status, paused.waiting_for], ["paused", "carrier"])
        assert.match(
          paused.waiting_detail!,
          /^The carrier failed \d+ of the last \d+ calls within 2 minutes, so the campaign was paused\./,
        )
        // The one that was answered may be among the twenty.
        assert.isAtLeast(paused.counts.failed, 19)
        assert.isAbove(paused.counts.pending, 30)
        // The calls that talk go on.
        await own.until(id, ({ counts }) => counts.completed === 1)

        const { items } = made(await owner.get("/api/v1/events?type=campaign.paused"))
        assert.deepStrictEqual(
          items.map(({ data }) => (data as { readonly waiting_for?: string }).waiting_for),
          ["carrier"],
        )

        const resumed = made(await own.operate(id, "resume"))
        assert.deepStrictEqual([resumed.status, resumed.waiting_for], ["running", null])
        assert.isNull(resumed.waiting_detail)
        const again = await own.until(id, ({ status }) => status === "paused")
        // A fresh window: so many have to fail again.
        assert.isAtLeast(again.counts.failed, paused.counts.failed + 19)
        const stopped = made(await own.operate(id, "stop"))
        assert.deepStrictEqual([stopped.end_reason, stopped.waiting_for], ["stopped", null])
      }),
    )

    it.effect("some carrier errors among other calls pause nothing", () =>
      inAccountOfItsOwn(async (own) => {
        const numbers = [...numbersOf("90", 4), ...numbersOf("70", 60)]
        const { id } = await own.running(numbers, { max_concurrent_calls: "10" })
        const ended = await own.ended(id)
        assert.deepStrictEqual([ended.status, ended.end_reason], ["completed", "finished"])
      }),
    )
  },
)
