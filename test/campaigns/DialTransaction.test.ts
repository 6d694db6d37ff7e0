/** One dial pass against the database: each rule that keeps a contact from being dialled, tested separately. */
import { assert, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Calls, type EndedCall } from "../../src/calls/Calls.ts"
import * as CallLog from "../../src/calls/ledger/CallLog.ts"
import * as DialQueue from "../../src/campaigns/dialling/DialQueue.ts"
import * as Suppressions from "../../src/catalog/Suppressions.ts"
import { CallRecord } from "../../src/conversation/CallRecord.ts"
import { CallId } from "../../src/domain/Call.ts"
import { batchOf } from "../../src/domain/DialPlan.ts"
import type { CurrentTenant } from "../../src/tenancy/CurrentTenant.ts"
import { json } from "../../src/tenancy/Json.ts"
import { transaction } from "../../src/tenancy/Transaction.ts"
import * as CallsRoom from "../support/CallsRoom.ts"
import { campaign, dialled, numberOf, turn } from "../support/DialPasses.ts"
import { zoneOfNoon } from "../support/Noon.ts"
import { newAccount, within } from "../support/TestTenancy.ts"

it.layer(CallsRoom.layer({ env: { LAB_SPEED: "1" } }), { timeout: "120 seconds", excludeTestServices: true })(
  "a pass of the dialler",
  (it) => {
    const test = <E>(
      name: string,
      body: Effect.Effect<void, E, Calls | CurrentTenant | SqlClient.SqlClient>,
      caps: object = { concurrent_max: 10 },
    ) =>
      it.effect(name, () =>
        Effect.gen(function* () {
          const account = yield* newAccount(`t${crypto.randomUUID().slice(0, 8)}`, caps)
          yield* body.pipe(within(account))
        }),
      )

    test(
      "leaves out a number on the do-not-call list for good, and no other (I12)",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const id = yield* campaign(kit, 3)
        yield* Suppressions.add({ phone_number: numberOf(2), source: "api" })
        yield* turn(id)
        assert.deepStrictEqual(yield* dialled(id), [1, 3])
        const sql = yield* SqlClient.SqlClient
        const skipped = yield* sql`select position, skip_reason from contacts where status = 'skipped'`
        assert.deepStrictEqual(skipped, [{ position: 2, skip_reason: "do_not_call" }])
      }),
    )

    test(
      "leaves alone whose retry is not due (I5)",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const id = yield* campaign(kit, 2)
        const sql = yield* SqlClient.SqlClient
        yield* sql`
        update contacts set attempts = 1, waits_for = 'retry_delay', due_at = clock_timestamp() + interval '1 hour'
        where position = 1`
        yield* turn(id)
        assert.deepStrictEqual(yield* dialled(id), [2])
      }),
    )

    test(
      "calls no contact outside of the window, or without a known zone (I11)",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const now = new Date()
        const start = (now.getUTCHours() + 5) % 24
        const at = (hour: number) => `${String(hour).padStart(2, "0")}:00`
        const later = { start: at(start), end: at(start + 1) }
        const always = { start: "00:00", end: "24:00" }
        const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
        const closed = yield* campaign(kit, 2, { calling_window: json({ days, ...later, time_zone: "UTC" }) })
        yield* turn(closed)
        assert.deepStrictEqual(yield* dialled(closed), [])
        const sql = yield* SqlClient.SqlClient
        const [{ waiting } = { waiting: 0 }] = yield* sql<{ waiting: number }>`
        select count(*)::int as waiting from contacts where waits_for = 'calling_window' and due_at > clock_timestamp()`
        assert.strictEqual(waiting, 2)
        const unknown = yield* campaign(kit, 1, { calling_window: json({ days, ...always, time_zone: "contact" }) })
        // A number of the whole world, in no zone.
        yield* sql`update contacts set phone_number = '+88216123456' where campaign_id = ${unknown}`
        yield* turn(unknown)
        assert.deepStrictEqual(yield* dialled(unknown), [])
      }),
    )

    test(
      "passes over a number that is in a call of anybody, and calls the others (I1)",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const id = yield* campaign(kit, 3)
        const calls = yield* Calls
        yield* calls.intend([kit.intentTo(numberOf(2))])
        yield* turn(id)
        assert.deepStrictEqual(yield* dialled(id), [1, 3])
      }),
    )

    test(
      "calls a number that stands twice on the list once at a time (I1)",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const id = yield* campaign(kit, 3)
        const sql = yield* SqlClient.SqlClient
        yield* sql`update contacts set phone_number = ${numberOf(1)} where position = 2`
        yield* turn(id)
        assert.deepStrictEqual(yield* dialled(id), [1, 3])
      }),
    )

    test(
      "claims no more than the campaign's own slots, also turn after turn (I2)",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const id = yield* campaign(kit, 6, { max_concurrent_calls: 2 })
        yield* turn(id)
        yield* turn(id)
        assert.deepStrictEqual(yield* dialled(id), [1, 2])
      }),
    )

    test(
      "claims no more than the account's slots, and concurrent passes run one after the other (I3)",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const ids = [yield* campaign(kit, 4, { max_concurrent_calls: 4 })]
        const sql = yield* SqlClient.SqlClient
        yield* sql`update contacts set phone_number = phone_number || '1'`
        ids.push(yield* campaign(kit, 4, { max_concurrent_calls: 4 }))
        yield* Effect.all(ids.map(turn), { concurrency: "unbounded" })
        const [{ live } = { live: 0 }] = yield* sql<{ live: number }>`
        select count(*)::int as live from calls where ended_at is null`
        assert.isAtMost(live, 5)
      }),
      { concurrent_max: 5 },
    )

    test(
      "lets who shares a number with a live call wait for its end, and then calls him before those behind him (I1, I13)",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const id = yield* campaign(kit, 5, { max_concurrent_calls: 2 })
        const sql = yield* SqlClient.SqlClient
        yield* sql`update contacts set phone_number = ${numberOf(1)} where position = 2`
        yield* turn(id)
        yield* turn(id)
        assert.deepStrictEqual(yield* dialled(id), [1, 3])
        yield* sql`update calls set status = 'failed', outcome = 'busy', ended_at = clock_timestamp()`
        yield* turn(id)
        assert.deepStrictEqual(yield* dialled(id), [1, 2, 3, 4])
      }),
    )

    const full = batchOf({ max_concurrent_calls: 1 })
    test(
      "goes on at once after a full batch, as long as a slot and a contact are left",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const id = yield* campaign(kit, full + 2, { max_concurrent_calls: full + 1 })
        assert.deepStrictEqual(yield* turn(id), { _tag: "Wait", milliseconds: 0, quiet: false })
        assert.strictEqual((yield* dialled(id)).length, full)
        const next = yield* turn(id)
        assert.strictEqual((yield* dialled(id)).length, full + 1)
        assert.isAbove(next._tag === "Wait" ? next.milliseconds : 0, 0)
      }),
      { concurrent_max: 2 * full, calls_per_minute: 10_000 },
    )

    test(
      "claims no more than a minute and a day have left (I9)",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const id = yield* campaign(kit, 5)
        yield* turn(id)
        assert.strictEqual((yield* dialled(id)).length, 3)
        const sql = yield* SqlClient.SqlClient
        yield* sql`update budget set calls_per_minute = 100, calls_per_day = 4`
        yield* turn(id)
        assert.strictEqual((yield* dialled(id)).length, 4)
      }),
      { concurrent_max: 10, calls_per_minute: 3, time_zone: zoneOfNoon() },
    )
  },
)

it.layer(CallsRoom.layer({ env: { LAB_SPEED: "1" } }), { timeout: "120 seconds", excludeTestServices: true })(
  "beneath a turn",
  (it) => {
    const test = <E>(
      name: string,
      body: Effect.Effect<void, E, Calls | CurrentTenant | SqlClient.SqlClient>,
      caps: object = { concurrent_max: 3 },
    ) =>
      it.effect(name, () =>
        Effect.gen(function* () {
          const account = yield* newAccount(`b${crypto.randomUUID().slice(0, 8)}`, caps)
          yield* body.pipe(within(account))
        }),
      )
    const refusal = (error: SqlError.SqlError) => String(error.reason.cause)
    const toNumbers = (count: number) => Array.from({ length: count }, (_, at) => numberOf(at + 1))

    test(
      "the table takes no call beyond concurrent_max, even from code that does not check (I3)",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const calls = yield* Calls
        assert.include(
          refusal(yield* Effect.flip(calls.intend(toNumbers(4).map(kit.intentTo)))),
          "concurrent_max exceeded",
        )
        assert.strictEqual((yield* calls.intend(toNumbers(3).map(kit.intentTo))).length, 3)
      }),
    )

    test(
      "the table takes no call beyond calls_per_day (I9)",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const calls = yield* Calls
        assert.include(
          refusal(yield* Effect.flip(calls.intend(toNumbers(3).map(kit.intentTo)))),
          "calls_per_day exceeded",
        )
      }),
      { concurrent_max: 5, calls_per_day: 2, time_zone: zoneOfNoon() },
    )

    test(
      "a contact has each attempt once (I5)",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const sql = yield* SqlClient.SqlClient
        const calls = yield* Calls
        const id = yield* campaign(kit, 1)
        const [contact] = yield* sql<{ id: string }>`select id from contacts where campaign_id = ${id}`
        const attempt = { campaign_id: id, contact_id: contact?.id ?? "", attempt_number: 1 }
        yield* calls.intend([{ ...kit.intentTo(numberOf(1)), ...attempt }])
        yield* sql`update calls set status = 'failed', outcome = 'busy', ended_at = clock_timestamp()`
        const again = yield* Effect.flip(calls.intend([{ ...kit.intentTo(numberOf(1)), ...attempt }]))
        assert.strictEqual(again.reason._tag, "UniqueViolation")
      }),
    )

    test(
      "a batch with a contact that no longer waits is not claimed at all (I1)",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const sql = yield* SqlClient.SqlClient
        const calls = yield* Calls
        const id = yield* campaign(kit, 2)
        const contacts = yield* sql<{ id: string }>`select id from contacts where campaign_id = ${id} order by position`
        const intended = yield* calls.intend(
          contacts.map((contact, at) => ({
            ...kit.intentTo(numberOf(at + 1)),
            campaign_id: id,
            contact_id: contact.id,
            attempt_number: 1,
          })),
        )
        yield* sql`update contacts set status = 'completed' where campaign_id = ${id} and position = 2`
        assert.isTrue(Exit.isFailure(yield* Effect.exit(transaction(DialQueue.claim(id, [], intended, false)))))
        const after = yield* sql<{
          status: string
        }>`select status from contacts where campaign_id = ${id} order by position`
        assert.deepStrictEqual(
          after.map(({ status }) => status),
          ["pending", "completed"],
        )
      }),
    )

    test(
      "a call ends once, and gives its slot back once, whatever is reported again (I14)",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const calls = yield* Calls
        const [call] = yield* calls.intend([kit.intentTo(numberOf(1))])
        if (call === undefined) return assert.fail("no call")
        const settled: Array<EndedCall> = []
        const sql = yield* SqlClient.SqlClient
        const [{ node_id } = { node_id: "" }] = yield* sql<{ node_id: string }>`select node_id from calls`
        const report = Effect.fnUntraced(function* (outcome: "busy" | "answered") {
          const ended = yield* CallLog.end(node_id, [
            {
              call: { ...call, id: CallId.make(call.id) },
              end: { outcome, end_reason: "not_answered" },
              ended_at: new Date(),
              record: new CallRecord(),
            },
          ])
          settled.push(...ended)
        })
        yield* report("busy")
        yield* report("answered")
        assert.deepStrictEqual(
          settled.map(({ outcome }) => outcome),
          ["busy"],
        )
        assert.strictEqual(yield* CallsRoom.inUse, 0)
        assert.deepStrictEqual(
          (yield* CallsRoom.rows).map(({ outcome }) => outcome),
          ["busy"],
        )
      }),
    )
  },
)
