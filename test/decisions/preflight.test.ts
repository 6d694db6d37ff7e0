/** A preflight: the dialler's rules in virtual time, over a campaign's real contacts. */
import { assert, it } from "@effect/vitest"
import { wide } from "../support/Callers.ts"
import { type InAccount, inAccountOfItsOwn, numbersOf } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { type Client, TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const everyDay = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
/** A Monday, at ten in Berlin. */
const monday = "2027-03-01T09:00:00.000Z"
const always = { answer_rate: 1, average_call_seconds: 60, ring_seconds: 0, starting_at: monday }

it.layer(TestServer.layerWith({ LAB_SPEED: "60" }), { timeout: "120 seconds", excludeTestServices: true })(
  "a preflight",
  (it) => {
    const test = (name: string, body: InAccount, settings: object = {}) =>
      it.effect(name, () => inAccountOfItsOwn(body, settings))
    const ask = (owner: Client, id: string, assumptions: object, options: object = {}) =>
      owner.post(`/api/v1/campaigns/${id}/preflight`, assumptions, options)
    const foresee = async (owner: Client, id: string, assumptions: object = {}) =>
      made(await ask(owner, id, assumptions))

    test("says when it would end, how many slots it would use and what becomes of the contacts", async (own, owner) => {
      const { id } = await own.draft(numbersOf("01", 100), { max_concurrent_calls: "10" })
      const report = await foresee(owner, id, always)
      assert.deepInclude(report, { campaign_id: id, status: "draft", starting_at: monday, attempts: 100 })
      assert.deepStrictEqual(report.contacts, { considered: 100, completed: 100, failed: 0, skipped: 0, pending: 0 })
      assert.deepStrictEqual(report.outcomes, { answered: 100 })
      assert.deepInclude(report.slots, { limit: 10, peak: 10 })
      // A hundred minutes of talk on ten lines: ten minutes, and the last calls' ends.
      assert.approximately(report.duration_seconds!, 600, 60)
      assert.strictEqual(Date.parse(report.ends_at!) - Date.parse(monday), report.duration_seconds! * 1_000)
      assert.deepStrictEqual(report.calls_per_hour, [{ at: monday, calls: 100 }])
      assert.strictEqual(report.waiting.most, "slots")
      assert.deepInclude(report.budget, {
        requested: 10,
        in_use: 0,
        concurrent_max: wide.concurrent_max,
        fits: true,
      })
      // Nothing was dialled, and nothing changed.
      assert.deepStrictEqual((await own.get(id)).counts, {
        total: 100,
        pending: 100,
        in_progress: 0,
        completed: 0,
        failed: 0,
        skipped: 0,
      })
    })

    test("gives the same answer for the same seed, and another for another", async (own, owner) => {
      const { id } = await own.draft(numbersOf("01", 200), { max_concurrent_calls: "7", retries_per_contact: "2" })
      const assumptions = { answer_rate: 0.4, voicemail_rate: 0.2, busy_rate: 0.1, starting_at: monday, seed: 5 }
      const first = await foresee(owner, id, assumptions)
      assert.deepStrictEqual(await foresee(owner, id, assumptions), first)
      assert.approximately(first.assumptions.no_answer_rate, 0.3, 1e-9)
      assert.notStrictEqual((await foresee(owner, id, { ...assumptions, seed: 6 })).ends_at, first.ends_at)
    })

    test("retries as the campaign does, and no oftener", async (own, owner) => {
      const { id } = await own.draft(numbersOf("01", 50), {
        max_concurrent_calls: "50",
        retries_per_contact: "3",
        retry_delay_seconds: "3600",
      })
      const report = await foresee(owner, id, { answer_rate: 0, busy_rate: 1, starting_at: monday })
      assert.deepInclude(report, { attempts: 200, outcomes: { busy: 200 } })
      assert.deepInclude(report.contacts, { completed: 0, failed: 50 })
      assert.approximately(report.duration_seconds!, 3 * 3_600, 60)
      assert.strictEqual(report.waiting.most, "retry_delay")
      const declined = await foresee(owner, id, { answer_rate: 0, rejected_rate: 1, starting_at: monday })
      assert.deepInclude(declined, { attempts: 50, outcomes: { rejected: 50 } })
      const retries = { retries_per_contact: "1", retry_delay_seconds: "60", retry_time_of_day: "best" }
      const moved = await own.draft(numbersOf("02", 2), retries)
      const later = await foresee(owner, moved.id, { answer_rate: 0, busy_rate: 1, starting_at: monday })
      assert.strictEqual(later.attempts, 4)
      assert.strictEqual(later.waiting.most, "time_of_day")
    })

    test(
      "keeps the caps: so many a minute, and no more on a day of the account's zone",
      async (own, owner) => {
        const { id } = await own.draft(numbersOf("01", 100), { max_concurrent_calls: "100" })
        const short = { ...always, average_call_seconds: 1 }
        const report = await foresee(owner, id, short)
        // Ten at once, ten more a minute later and the third ten after that; then it is the next day at midnight in Berlin.
        assert.deepStrictEqual(report.calls_per_hour, [
          { at: monday, calls: 30 },
          { at: "2027-03-01T23:00:00.000Z", calls: 30 },
          { at: "2027-03-02T23:00:00.000Z", calls: 30 },
          { at: "2027-03-03T23:00:00.000Z", calls: 10 },
        ])
        assert.strictEqual(report.waiting.most, "daily_cap")
        const own_cap = await own.draft(numbersOf("01", 30, 3_000), {
          max_calls_per_minute: "1",
          max_concurrent_calls: "5",
        })
        const slow = await foresee(owner, own_cap.id, short)
        assert.approximately(slow.duration_seconds!, 29 * 60, 5)
        assert.strictEqual(slow.waiting.most, "per_minute_cap")
      },
      { calls_per_minute: 10, calls_per_day: 30, time_zone: "Europe/Berlin" },
    )

    test("keeps the pace of the phone number", async (own, owner) => {
      made(
        await owner.put(`/api/phone-numbers/${own.line.phone_number_id}`, {
          carrier_config: { calls_per_second: 0.5 },
        }),
      )
      const { id } = await own.draft(numbersOf("01", 61), { max_concurrent_calls: "61" })
      const report = await foresee(owner, id, { ...always, average_call_seconds: 1 })
      assert.approximately(report.duration_seconds!, 120, 5)
      assert.strictEqual(report.waiting.most, "number_pace")
    })

    test(
      "keeps the limits per day of the campaign's numbers, if each has one",
      async (own, owner) => {
        const path = `/api/phone-numbers/${own.line.phone_number_id}` as const
        const second = made(await owner.post("/api/phone-numbers", { number: "+14155550111", carrier: "lab" }))
        made(await owner.put(path, { max_calls_per_day: 5 }))
        const caller_numbers = JSON.stringify([second.id])
        const { id } = await own.draft(numbersOf("01", 16), { max_concurrent_calls: "20", caller_numbers })
        assert.deepStrictEqual((await foresee(owner, id, always)).calls_per_hour, [{ at: monday, calls: 16 }])
        made(await owner.put(`/api/phone-numbers/${second.id}`, { max_calls_per_day: 2 }))
        const report = await foresee(owner, id, always)
        assert.deepStrictEqual(report.calls_per_hour, [
          { at: monday, calls: 7 },
          { at: "2027-03-01T23:00:00.000Z", calls: 7 },
          { at: "2027-03-02T23:00:00.000Z", calls: 2 },
        ])
        assert.strictEqual(report.waiting.most, "caller_number")
        const { id: before } = await own.running(numbersOf("01", 1, 2_000), { max_concurrent_calls: "1" })
        await own.ended(before)
        const [today] = (await foresee(owner, id, { ...always, starting_at: undefined })).calls_per_hour
        assert.strictEqual(today?.calls, 6)
      },
      { time_zone: "Europe/Berlin" },
    )

    test("dials no contact outside its hours, and lists the contacts that would be skipped, and why", async (own, owner, {
      admin,
      account,
    }) => {
      const calling_window = { days: everyDay, start: "09:00", end: "11:00", time_zone: "contact" }
      made(await admin.put(account, { calling_window }))
      const [listed = "", expired = ""] = numbersOf("05", 2, 9_000)
      const soon = "2027-03-01T08:00:00Z"
      made(await owner.post("/api/v1/suppressions", { phone_number: listed }))
      made(await owner.post("/api/v1/suppressions", { phone_number: expired, expires_at: soon }))
      const rows = [
        ...numbersOf("01", 3).map((number) => `${number},Europe/Berlin`),
        ...numbersOf("02", 3, 2_000).map((number) => `${number},America/New_York`),
        `${numbersOf("03", 1)[0]},Mars/Olympus`,
        "+18005550101,",
        `${listed},Europe/Berlin`,
        `${expired},Europe/Berlin`,
      ]
      const { id } = made(
        await own.upload(`phone_number,time_zone\n${rows.join("\n")}\n`, { max_concurrent_calls: "10" }),
      )
      const report = await foresee(owner, id, always)
      // At ten in Berlin it is four in New York.
      assert.deepStrictEqual(report.calls_per_hour, [
        { at: monday, calls: 4 },
        { at: "2027-03-01T14:00:00.000Z", calls: 3 },
      ])
      assert.strictEqual(report.waiting.most, "calling_window")
      assert.deepInclude(report.contacts, { completed: 7, skipped: 3 })
      const { first, ...counts } = report.skipped
      assert.deepStrictEqual(counts, { do_not_call: 1, no_consent: 0, outside_window: 2, rule: 0 })
      assert.deepStrictEqual(first.map(({ position, reason }: Record<string, unknown>) => [position, reason]).sort(), [
        [7, "outside_window"],
        [8, "outside_window"],
        [9, "do_not_call"],
      ])
      assert.include(
        first.find(({ position }: { position: number }) => position === 7)!.detail,
        "The time zone of the number is unknown",
      )
      assert.include(first.find(({ position }: { position: number }) => position === 8)!.detail, "Pacific/Guam")
    })

    test(
      "says so of a campaign that does not end in a year",
      async (own, owner) => {
        const { id } = await own.draft(numbersOf("01", 400))
        const report = await foresee(owner, id, always)
        assert.deepInclude(report, { ends_at: null, duration_seconds: null })
        assert.approximately(report.contacts.pending, 400 - 366, 1)
      },
      { calls_per_day: 1 },
    )

    test("of a paused campaign foresees what remains; an ended one has nothing left", async (own, owner) => {
      const { id } = await own.running(numbersOf("01", 20), { max_calls_per_minute: "5", max_concurrent_calls: "5" })
      await own.until(id, ({ counts }) => counts.completed === 5)
      made(await own.operate(id, "pause"))
      const report = await foresee(owner, id, { ...always, starting_at: undefined })
      assert.deepInclude(report, { status: "paused", attempts: 15 })
      assert.strictEqual(report.contacts.considered, 15)
      await own.operate(id, "stop")
      const refused = await ask(owner, id, {})
      assert.deepInclude(refused.body, { status: 409, code: "invalid_state", state: "completed" })
    })

    test(
      "begins at a draft's scheduled time, and says when the budget has no room now",
      async (own, owner) => {
        const scheduled_at = new Date(Date.now() + 86_400_000).toISOString()
        const { id } = await own.draft(numbersOf("01", 1), { scheduled_at, max_concurrent_calls: "2" })
        assert.strictEqual((await foresee(owner, id)).starting_at, scheduled_at)
        // Busy, and tried again in an hour: its slots are taken all the while.
        const retries = { retries_per_contact: "1", retry_delay_seconds: "3600" }
        const other = await own.running(numbersOf("70", 1), { ...retries, max_concurrent_calls: "4" })
        assert.deepStrictEqual((await foresee(owner, id)).budget, {
          requested: 2,
          in_use: 4,
          concurrent_max: 5,
          fits: false,
        })
        await own.operate(other.id, "stop")
      },
      { concurrent_max: 5 },
    )

    test("is run once at a time for an account: one more is told when to come back", async (own, owner) => {
      const { id } = await own.draft(numbersOf("01", 5_000), { retries_per_contact: "10", retry_delay_seconds: "0" })
      const atOnce = [1, 2, 3].map(() => ({ answer_rate: 0, starting_at: monday }))
      // Again where the machine is so slow that one was through before the others had come.
      const refused = await until(async () => {
        const answers = await Promise.all(atOnce.map((assumptions) => ask(owner, id, assumptions)))
        const refused = answers.filter(({ status }) => status !== 200)
        assert.isBelow(refused.length, answers.length)
        return refused.length === 2 && refused
      })
      for (const { body, headers } of refused) {
        assert.deepInclude(body, { status: 429, code: "rate_limited", limit: 2 })
        assert.isAtLeast(Number(headers.get("retry-after")), 1)
      }
      assert.strictEqual((await ask(owner, id, {})).status, 200)
    })

    test("refuses impossible assumptions, and needs only the right to read", async (own, owner) => {
      const { id } = await own.draft(numbersOf("01", 1))
      for (const [pointer, wrong] of [
        ["/answer_rate", { answer_rate: 1.1 }],
        ["/answer_rate", { answer_rate: 0.7, voicemail_rate: 0.4 }],
        ["/no_answer_rate", { answer_rate: 0.5, no_answer_rate: 0.4 }],
        ["/average_call_seconds", { average_call_seconds: -1 }],
        ["/starting_at", { starting_at: "tomorrow" }],
        ["/nonsense", { nonsense: 1 }],
      ] as const) {
        const { body, status } = await ask(owner, id, wrong)
        assert.strictEqual(status, 400, JSON.stringify(wrong))
        assert.deepInclude(
          body.errors!.map(({ pointer }: { pointer: string }) => pointer),
          pointer,
        )
      }
      const { key } = made(await owner.post("/api/v1/api-keys", { name: "reads", scopes: ["read"] }))
      assert.strictEqual((await ask(owner, id, {}, { token: key })).status, 200)
      assert.strictEqual((await ask(owner, crypto.randomUUID(), {})).status, 404)
    })
  },
)

it.layer(TestServer.layerWith({ LAB_SPEED: "20" }), { timeout: "120 seconds", excludeTestServices: true })(
  "a preflight beside the real campaign",
  (it) => {
    it.effect("agrees with it within a quarter, when the lab does what was assumed", () =>
      inAccountOfItsOwn(async (own) => {
        // Six of the ten numbers answer, two are busy, and two ring out.
        const digits = ["01", "02", "03", "04", "05", "06", "70", "71", "75", "76"]
        const numbers = digits.flatMap((last, at) => numbersOf(last, 10, 1_000 + 100 * at))
        const { id } = await own.running(numbers, { max_concurrent_calls: "10" })
        const { ended_at, started_at } = await own.ended(id)
        const calls = made(await own.client.get(`/api/v1/calls?campaign_id=${id}&page_size=100`)).items
        type Moment = "started_at" | "answered_at" | "ended_at"
        const times = (name: Moment) => calls.map((call) => Date.parse(call[name]!)).toSorted((a, b) => a - b)
        const ends = times("ended_at")
        /** What a slot waits for its next call, which is the machine's and not the rules': a part of every call. */
        const gaps = times("started_at")
          .slice(10)
          .map((start, at) => (start - (ends[at] ?? start)) / 1_000)
        const gap = gaps.reduce((sum, seconds) => sum + seconds, 0) / gaps.length
        /** Calls last as long as the lab makes them, at twenty times the pace of phones. */
        const mean = (outcome: string, from: Moment, to: Moment) => {
          const those = calls.filter((call) => call.outcome === outcome)
          return (
            those.reduce((sum, call) => sum + Date.parse(call[to]!) - Date.parse(call[from]!), 0) / those.length / 1_000
          )
        }
        const again = await own.draft(numbers, { max_concurrent_calls: "10" })
        const report = made(
          await own.client.post(`/api/v1/campaigns/${again.id}/preflight`, {
            answer_rate: 0.6,
            busy_rate: 0.2,
            average_call_seconds: mean("answered", "answered_at", "ended_at"),
            ring_seconds: gap + mean("answered", "started_at", "answered_at"),
            no_answer_seconds: gap + mean("no_answer", "started_at", "ended_at"),
            refused_seconds: gap + mean("busy", "started_at", "ended_at"),
          }),
        )
        const took = (Date.parse(ended_at!) - Date.parse(started_at!)) / 1_000
        assert.strictEqual(report.attempts, calls.length)
        assert.approximately(report.duration_seconds!, took, took / 4)
      }),
    )
  },
)
