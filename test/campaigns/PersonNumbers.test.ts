/** Contacts with several numbers of one person in dial passes (decision 0087). */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import { Calls } from "../../src/calls/Calls.ts"
import * as CallLog from "../../src/calls/ledger/CallLog.ts"
import { Preflight } from "../../src/campaigns/Preflight.ts"
import { RulePacks } from "../../src/catalog/RulePacks.ts"
import * as Suppressions from "../../src/catalog/Suppressions.ts"
import * as Invariants from "../../src/cli/Invariants.ts"
import { CallRecord } from "../../src/conversation/CallRecord.ts"
import { CallId } from "../../src/domain/Call.ts"
import type { CurrentTenant } from "../../src/tenancy/CurrentTenant.ts"
import { json } from "../../src/tenancy/Json.ts"
import * as CallsRoom from "../support/CallsRoom.ts"
import { campaign, numberOf, turn } from "../support/DialPasses.ts"
import { newAccount, within } from "../support/TestTenancy.ts"

/** Gives the contacts of the campaign these numbers, by position. */
const setNumbers = Effect.fnUntraced(function* (id: string, persons: ReadonlyArray<ReadonlyArray<number>>) {
  const sql = yield* SqlClient.SqlClient
  for (const [at, [first = 0, ...others]] of persons.entries()) {
    yield* sql`update contacts set phone_number = ${numberOf(first)},
      additional_numbers = ${others.length === 0 ? null : others.map(numberOf)}::text[]
      where campaign_id = ${id} and position = ${at + 1}`
  }
})

/** The called numbers of the campaign, in the order of their calls. */
const called = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ to_number: string }>`
    select to_number from calls where campaign_id = ${id} order by started_at, to_number`
  return rows.map(({ to_number }) => Number(to_number.slice(-4, -2)))
})

/** Ends all live calls, and makes their contacts due again. */
const endAll = Effect.fnUntraced(function* (outcome: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update calls set status = 'failed', outcome = ${outcome}, ended_at = clock_timestamp() where ended_at is null`
  yield* sql`
    update contacts set status = 'pending', waits_for = 'retry_delay', due_at = now() - interval '1 s'
    where status = 'in_progress'`
})

it.layer(CallsRoom.layer({ env: { LAB_SPEED: "1" } }), { timeout: "120 seconds", excludeTestServices: true })(
  "a person with several numbers",
  (it) => {
    const test = <E>(name: string, body: Effect.Effect<void, E, Calls | CurrentTenant | SqlClient.SqlClient>) =>
      it.effect(name, () =>
        Effect.flatMap(newAccount(`p${crypto.randomUUID().slice(0, 8)}`, { concurrent_max: 10 }), (account) =>
          within(account)(body),
        ),
      )

    test(
      "is called on the next number at each attempt, and on the first again after the last",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const id = yield* campaign(yield* CallsRoom.equip, 1, { retries_per_contact: 5 })
        yield* setNumbers(id, [[11, 12, 13]])
        for (let attempt = 0; attempt < 4; attempt++) {
          yield* turn(id)
          yield* endAll("no_answer")
        }
        assert.deepStrictEqual(yield* called(id), [11, 12, 13, 11])
        yield* sql`update contacts set callback_at = due_at where campaign_id = ${id}`
        yield* turn(id)
        assert.deepStrictEqual(
          yield* called(id),
          [11, 12, 13, 11, 11],
          "a callback is on the phone of the person who asked",
        )
        const [record] = yield* sql<{ number: object }>`
          select r.record -> 'number' as number from calls c join dial_records r on r.id = c.dial_record_id
          order by c.started_at offset 2 limit 1`
        assert.deepStrictEqual(record, { number: { position: 3, of: 3, passed_over: [] } })
      }),
    )

    test(
      "is not called on a number that may not be called, and skipped only without any other",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const required_consent = json({ basis: ["express"] })
        const id = yield* campaign(yield* CallsRoom.equip, 3, { required_consent })
        yield* setNumbers(id, [
          [11, 12, 13],
          [21, 22],
          [31, 32],
        ])
        for (const number of [12, 13, 21, 31, 32]) {
          yield* sql`insert into consents ${sql.insert({
            ...{ id: crypto.randomUUID(), kind: "consent", phone_number: numberOf(number), channel: "any_call" },
            ...{ basis: "express", source: "a form", at: new Date("2026-01-01") },
          })}`
        }
        for (const number of [12, 31, 32]) yield* Suppressions.add({ phone_number: numberOf(number), source: "api" })
        yield* turn(id)
        assert.deepStrictEqual((yield* called(id)).sort(), [13, 21])
        const records = yield* sql`
          select r.record -> 'number' as number from calls c join dial_records r on r.id = c.dial_record_id
          where c.to_number = ${numberOf(13)}`
        assert.deepStrictEqual(records, [{ number: { position: 3, of: 3, passed_over: [1, 2] } }])
        const skipped = yield* sql`select position, skip_reason from contacts where status = 'skipped'`
        assert.deepStrictEqual(skipped, [{ position: 3, skip_reason: "do_not_call" }])
      }),
    )

    test(
      "is called on the next number where the calling window never opens for the first one (I11)",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
        const calling_window = json({ days, start: "00:00", end: "24:00", time_zone: "contact" })
        const id = yield* campaign(yield* CallsRoom.equip, 1, { calling_window })
        yield* setNumbers(id, [[11, 12]])
        // A number of the whole world, in no zone.
        yield* sql`update contacts set phone_number = '+88216123456' where campaign_id = ${id}`
        yield* turn(id)
        assert.deepStrictEqual(yield* called(id), [12])
      }),
    )

    test(
      "has one quiet period and one frequency limit over all of the numbers",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const kit = yield* CallsRoom.equip
        const first = yield* campaign(kit, 1)
        yield* setNumbers(first, [[12]])
        yield* turn(first)
        yield* sql`update calls set status = 'completed', outcome = 'answered', answered_at = started_at,
          ended_at = clock_timestamp()`
        const rule = { id: "once", title: "Once a day", source: "a test", status: "unverified", checked: true }
        const once = { ...rule, kind: "frequency", attempts: 1, hours: 24, per: "person" }
        const pack = { id: "test", version: "1", jurisdiction: { country: "US", state: null }, rules: [once] }
        for (const [waits_for, fields] of [
          ["quiet_period", { quiet_after_answer_seconds: 3_600 }],
          ["rule", { rules: json([pack]) }],
        ] as const) {
          const id = yield* campaign(kit, 1, fields)
          yield* setNumbers(id, [[11, 12]])
          yield* turn(id)
          assert.deepStrictEqual(yield* sql`select waits_for from contacts where campaign_id = ${id}`, [{ waits_for }])
        }
      }),
    )

    test(
      "is skipped or called as its preflight foresaw, whatever forbids its numbers",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const kit = yield* CallsRoom.equip
        const size = 12
        const person = fc.array(fc.record({ listed: fc.boolean(), agreed: fc.boolean() }), {
          minLength: 1,
          maxLength: 4,
        })
        const people =
          fc.sample(fc.array(person, { minLength: size, maxLength: size }), { numRuns: 1, seed: 92 })[0] ?? []
        const fields = { required_consent: json({ basis: ["express"] }), max_concurrent_calls: size }
        const id = yield* campaign(kit, size, fields)
        const numbers = people.map((own, at) => own.map((_, place) => at * 4 + place))
        yield* setNumbers(id, numbers)
        for (const [at, own] of people.entries()) {
          for (const [place, { agreed, listed }] of own.entries()) {
            const phone_number = numberOf(numbers[at]?.[place] ?? 0)
            if (listed) yield* Suppressions.add({ phone_number, source: "api" })
            const consent = { id: crypto.randomUUID(), kind: "consent", phone_number, channel: "any_call" }
            const ground = { basis: "express", source: "a form", at: new Date("2026-01-01") }
            if (agreed) yield* sql`insert into consents ${sql.insert({ ...consent, ...ground })}`
          }
        }
        const report = yield* Preflight.use(({ run }) => run(id, { answer_rate: 1 })).pipe(
          Effect.provide(Layer.provide(Preflight.layer, RulePacks.layer)),
        )
        yield* sql`update budget set concurrent_max = ${size}`
        yield* turn(id)
        yield* turn(id)
        const skipped = yield* sql`
          select position, skip_reason as reason from contacts where status = 'skipped' order by position`
        const foreseen = report.skipped.first.map(({ position, reason }) => ({ position, reason }))
        assert.deepStrictEqual<unknown>(
          foreseen.toSorted((one, other) => one.position - other.position),
          skipped,
        )
        assert.strictEqual((yield* called(id)).length, report.attempts)
        assert.isAbove(skipped.length, 0)
        assert.isAbove(report.attempts, 0)
      }).pipe(Effect.orDie),
    )

    test(
      "goes on with the next number at once after one that does not exist, and does not call that one again",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const id = yield* campaign(yield* CallsRoom.equip, 1, { retries_per_contact: 5 })
        yield* setNumbers(id, [[11, 12, 13]])
        const others: Array<boolean> = []
        for (const outcome of ["invalid_number", "no_answer", "invalid_number", "invalid_number"] as const) {
          yield* turn(id)
          const [call] = yield* sql<any>`
            select id, node_id, campaign_id, contact_id, attempt_number, to_number, from_number, direction
            from calls where ended_at is null`
          const end = { outcome, end_reason: "not_answered" as const }
          const report = {
            call: { ...call, id: CallId.make(call.id) },
            end,
            ended_at: new Date(),
            record: new CallRecord(),
          }
          for (const { has_other_number } of yield* CallLog.end(call.node_id, [report])) others.push(has_other_number)
          yield* endAll(outcome)
        }
        assert.deepStrictEqual(yield* called(id), [11, 12, 13, 12])
        assert.deepStrictEqual(others, [true, false, true, false])
      }),
    )

    test(
      "is in one call at a time: the table refuses another number of the person to campaigns and to direct calls (I1)",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const calls = yield* Calls
        const id = yield* campaign(kit, 1)
        yield* setNumbers(id, [[11, 12]])
        yield* turn(id)
        const refused = yield* Effect.flip(calls.intend([kit.intentTo(numberOf(12))]))
        assert.strictEqual(refused.reason._tag, "UniqueViolation")
        yield* endAll("no_answer")
        yield* calls.intend([kit.intentTo(numberOf(12))])
        yield* turn(id)
        assert.deepStrictEqual(yield* called(id), [11], "the person is in a call that the campaign did not place")
      }),
    )

    test(
      "is never in two calls, whichever campaigns dial at once and whichever numbers they share (I1)",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const kit = yield* CallsRoom.equip
        const person = fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 4 })
        const list = fc.array(person, { minLength: 3, maxLength: 3 })
        const cases = fc.sample(fc.tuple(list, list), { numRuns: 8, seed: 87 })
        const checks = Invariants.all.filter(({ promise }) => promise === "I1")
        let begun = 0
        for (const lists of cases) {
          const ids = [yield* campaign(kit, 3), yield* campaign(kit, 3)]
          for (const [at, id] of ids.entries()) yield* setNumbers(id, lists[at] ?? [])
          for (let round = 0; round < 3; round++) {
            yield* Effect.all(ids.map(turn), { concurrency: "unbounded" })
            const live = yield* sql<{ id: string; lines: ReadonlyArray<string> }>`
              select c.id, k.phone_number || coalesce(k.additional_numbers, '{}') as lines
              from calls c join contacts k on k.id = c.contact_id where c.ended_at is null`
            const lines = live.flatMap((call) => call.lines)
            assert.strictEqual(new Set(lines).size, lines.length, JSON.stringify({ lists, live }))
            for (const { query, says } of checks) assert.deepStrictEqual(yield* sql`${sql.literal(query)}`, [], says)
            begun += live.length
            yield* sql`update calls set status = 'failed', outcome = 'busy', ended_at = clock_timestamp() where ended_at is null`
            yield* sql`update contacts set status = 'failed', outcome = 'busy' where status = 'in_progress'`
          }
          assert.deepStrictEqual(yield* sql`select line from held_lines`, [])
        }
        assert.isAbove(begun, 2 * cases.length)
      }),
    )
  },
)
