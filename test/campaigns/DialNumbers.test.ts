/** The numbers that a campaign calls from, beneath its dial passes (decision 0084). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import { Calls } from "../../src/calls/Calls.ts"
import * as CallLog from "../../src/calls/ledger/CallLog.ts"
import * as NumberRests from "../../src/catalog/NumberRests.ts"
import * as EventLog from "../../src/events/EventLog.ts"
import * as Campaigns from "../../src/campaigns/Campaigns.ts"
import { observe } from "../../src/campaigns/SnapshotQuery.ts"
import { CallRecord } from "../../src/conversation/CallRecord.ts"
import { CallId } from "../../src/domain/Call.ts"
import type { CurrentTenant } from "../../src/tenancy/CurrentTenant.ts"
import { json } from "../../src/tenancy/Json.ts"
import { transaction } from "../../src/tenancy/Transaction.ts"
import { uuids } from "../../src/tenancy/Columns.ts"
import * as CallsRoom from "../support/CallsRoom.ts"
import { campaign, turn } from "../support/DialPasses.ts"
import { dose } from "../support/Dose.ts"
import { newAccount, within } from "../support/TestTenancy.ts"

/** Adds a number of the account. */
const add = Effect.fnUntraced(function* (number: string, fields: object = {}) {
  const sql = yield* SqlClient.SqlClient
  const id = uuidv7()
  const own = { id, number, label: "", carrier: "lab", carrier_config: json({}) }
  yield* sql`insert into phone_numbers ${sql.insert({ ...own, ...fields })}`
  return id
})

const rest = (id: string, until: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`insert into number_rests (phone_number_id, since, until, reason)
      values (${id}, now() - interval '1 hour', ${until}::timestamptz, 'user')`,
  )

interface Dialled {
  readonly position: number
  readonly from: string
  readonly because: string | null
}

/** The calls of a campaign in the order of its list. */
const callsOf = (id: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<Dialled>`
      select c.position, l.from_number as "from", r.record #>> '{caller_number,because}' as because
      from calls l join contacts c on c.id = l.contact_id join dial_records r on r.id = l.dial_record_id
      where l.campaign_id = ${id} order by c.position, l.started_at`,
  )

const countFrom = (number: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ readonly count: number }>`select count(*)::int from calls where from_number = ${number}`,
  ).pipe(Effect.map(([row]) => row?.count))

/** Ends all live calls of the campaign with this outcome, without settling their contacts. */
const endAll = Effect.fnUntraced(function* (campaign_id: string, outcome: "answered" | "no_answer") {
  const sql = yield* SqlClient.SqlClient
  const live = yield* sql<{ readonly id: string; readonly node_id: string; readonly contact_id: string }>`
    select id, node_id, contact_id from calls where campaign_id = ${campaign_id} and ended_at is null`
  for (const { contact_id, id, node_id } of live) {
    const record = new CallRecord()
    if (outcome === "answered") record.answered_at = new Date()
    const parties = { attempt_number: 1, to_number: null, from_number: null }
    const call = { id: CallId.make(id), direction: "outbound" as const, campaign_id, contact_id, ...parties }
    const end = { outcome, end_reason: outcome === "answered" ? "agent_hung_up" : "not_answered" } as const
    yield* transaction(CallLog.end(node_id, [{ call, end, ended_at: new Date(), record }]))
  }
})

const second = "+14155550101"
const third = "+12125550102"
const main = "+14155550100"

it.layer(CallsRoom.layer({ env: { LAB_SPEED: "1" } }), { timeout: "120 seconds", excludeTestServices: true })(
  "a campaign with several numbers",
  (it) => {
    const test = <E>(name: string, body: Effect.Effect<void, E, Calls | CurrentTenant | SqlClient.SqlClient>) =>
      it.effect(name, () =>
        Effect.flatMap(newAccount(`n${crypto.randomUUID().slice(0, 8)}`, CallsRoom.wide), (account) =>
          within(account)(body),
        ),
      )

    test(
      "calls from the number whose last call is the longest ago, and records which and why",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const caller_numbers = [yield* add(second), yield* add(third)]
        const id = yield* campaign(kit, 5, { caller_numbers: uuids(caller_numbers) })
        yield* turn(id)
        const calls = yield* callsOf(id)
        assert.deepStrictEqual(
          calls.map(({ from }) => from),
          [main, second, third, main, second],
        )
        assert.isTrue(calls.every(({ because }) => because === "least_recently_used"))
        const sql = yield* SqlClient.SqlClient
        const [record] = yield* sql`select record -> 'caller_number' as chosen from dial_records order by id limit 1`
        assert.deepInclude(record, {
          chosen: {
            ...{ id: kit.phone_number_id, number: main, because: "least_recently_used" },
            pool: { numbers: 3, resting: 0, at_daily_limit: 0 },
          },
        })
        // The next campaign goes on with the third.
        const other = yield* campaign(kit, 1, { caller_numbers: uuids(caller_numbers) })
        yield* sql`update contacts set phone_number = '+14155559975' where campaign_id = ${other}`
        yield* turn(other)
        assert.strictEqual((yield* callsOf(other))[0]?.from, third)
      }),
    )

    test(
      "calls a person again from the number that called first, and from another if that one may not call",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const numbers = [yield* add(second), yield* add(third)]
        const id = yield* campaign(kit, 3, { caller_numbers: uuids(numbers), retries_per_contact: 3 })
        const sql = yield* SqlClient.SqlClient
        const again = Effect.gen(function* () {
          yield* endAll(id, "no_answer")
          yield* sql`update contacts set status = 'pending', due_at = now() - interval '1 s' where campaign_id = ${id}`
          yield* turn(id)
        })
        yield* turn(id)
        yield* again
        assert.deepStrictEqual(
          (yield* callsOf(id)).map(({ because, from }) => `${from} ${because}`),
          [main, second, third].flatMap((from) => [`${from} least_recently_used`, `${from} same_person`]),
        )
        yield* rest(numbers[0] ?? "", "infinity")
        yield* again
        const last = (yield* callsOf(id)).filter((_, at) => at % 3 === 2)
        assert.deepStrictEqual(
          last.map(({ because, from, position }) => [position, from, because]),
          [
            [1, main, "same_person"],
            [2, third, "least_recently_used"],
            [3, third, "same_person"],
          ],
        )
      }),
    )

    test(
      "prefers with local presence a number of the person's state, then of the country, and falls back to the others",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const caller_numbers = [yield* add(third), yield* add("+442079460001")]
        const id = yield* campaign(kit, 4, { caller_numbers: uuids(caller_numbers), local_presence: true })
        const sql = yield* SqlClient.SqlClient
        for (const [position, number] of [
          "+12125550175",
          "+12025550175",
          "+442079460175",
          "+4930901820075",
        ].entries()) {
          yield* sql`update contacts set phone_number = ${number} where campaign_id = ${id} and position = ${position + 1}`
        }
        yield* turn(id)
        assert.deepStrictEqual(
          (yield* callsOf(id)).map(({ because, from }) => `${from} ${because}`),
          [
            `${third} local_presence`,
            `${main} local_presence`,
            "+442079460001 local_presence",
            `${third} least_recently_used`,
          ],
        )
      }),
    )

    test(
      "waits when each number rests or has had its calls of the day, says until when, and calls from no other number",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        yield* add("+14155550109")
        const resting = yield* add(second)
        const id = yield* campaign(kit, 4, { caller_numbers: uuids([resting]) })
        const sql = yield* SqlClient.SqlClient
        yield* sql`update phone_numbers set max_calls_per_day = 2 where id = ${kit.phone_number_id}`
        yield* rest(resting, "2200-01-01")
        yield* turn(id)
        yield* turn(id)
        assert.deepStrictEqual(
          (yield* callsOf(id)).map(({ from }) => from),
          [main, main],
        )
        assert.strictEqual((yield* Campaigns.find(id)).waiting_for, "caller_number")
        const { snapshot } = yield* observe(id)
        const midnight = new Date(new Date(snapshot.at).setUTCHours(24, 0, 0, 0))
        assert.deepStrictEqual(snapshot.caller_numbers, {
          ...{ total: 2, free: 0, resting: 1, at_daily_limit: 1, next_at: midnight },
        })
        yield* sql`update number_rests set until = clock_timestamp()`
        yield* turn(id)
        assert.strictEqual((yield* callsOf(id)).filter(({ from }) => from === second).length, 2)
        assert.isNull((yield* Campaigns.find(id)).waiting_for)
      }),
    )

    test(
      "holds a single number to its limit per day, its rest and its seconds between calls too",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const sql = yield* SqlClient.SqlClient
        yield* sql`update phone_numbers set min_seconds_between_calls = 600`
        const id = yield* campaign(kit, 3)
        yield* turn(id)
        yield* turn(id)
        assert.strictEqual((yield* callsOf(id)).length, 1)
        yield* sql`delete from number_paces`
        yield* rest(kit.phone_number_id, "infinity")
        yield* turn(id)
        assert.strictEqual((yield* Campaigns.find(id)).waiting_for, "caller_number")
        const { snapshot } = yield* observe(id)
        assert.deepInclude(snapshot.caller_numbers, { total: 1, free: 0, resting: 1, next_at: null })
        yield* sql`delete from number_rests`
        yield* turn(id)
        assert.strictEqual((yield* callsOf(id)).length, 2)
      }),
    )

    test(
      "lets a person wait up to a minute for the number that called first, while others are called from free numbers",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const sql = yield* SqlClient.SqlClient
        const caller_numbers = [yield* add(second)]
        yield* sql`update phone_numbers set min_seconds_between_calls = 30 where id = ${kit.phone_number_id}`
        const id = yield* campaign(kit, 4, { caller_numbers: uuids(caller_numbers), retries_per_contact: 1 })
        yield* turn(id)
        yield* endAll(id, "no_answer")
        yield* sql`update contacts set status = 'pending', due_at = now() - interval '1 s' where campaign_id = ${id}`
        yield* turn(id)
        const calls = yield* callsOf(id)
        assert.deepStrictEqual(
          calls.map(({ position, from }) => [position, from]),
          [
            [1, main],
            ...[2, 3, 4].flatMap((position) => [
              [position, second],
              [position, second],
            ]),
          ],
        )
        yield* sql`update number_paces set free_at = clock_timestamp()`
        yield* turn(id)
        assert.strictEqual((yield* callsOf(id))[1]?.from, main)
      }),
    )

    test(
      "rests a number that far fewer people answer than the others, sends an event, and compares it anew after the rest",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const sql = yield* SqlClient.SqlClient
        const bad = yield* add(second)
        const number_rest = json({ rest_hours: 2 })
        const id = yield* campaign(kit, 6, { caller_numbers: uuids([bad]), max_concurrent_calls: 2, number_rest })
        const counted = (number: string, answered: number) => sql`
          insert into number_days (phone_number_id, day, campaign_id, rang, answered)
          values (${number}, (now() at time zone 'UTC')::date - 1, ${id}, 200, ${answered})`
        yield* counted(kit.phone_number_id, 80)
        yield* counted(bad, 10)
        yield* turn(id)
        yield* endAll(id, "answered")
        yield* turn(id)
        assert.deepStrictEqual(
          (yield* callsOf(id)).map(({ from }) => from),
          [main, second, main, main],
        )
        const [rested] = yield* sql`
          select reason, campaign_id, detail, extract(epoch from until - since)::int as seconds from number_rests`
        assert.deepInclude(rested, { reason: "answer_rate", campaign_id: id, seconds: 7_200 })
        assert.include(rested?.["detail"], "5.0 % of its 200 calls")
        const { items } = yield* EventLog.listAfter({ limit: 100, type: "phone_number.rested" })
        assert.deepInclude<object>(items[0]?.data ?? {}, { id: bad, number: second, own: { rang: 200, answered: 10 } })
        assert.strictEqual(items.length, 1)
        yield* NumberRests.end(bad)
        yield* endAll(id, "answered")
        yield* turn(id)
        yield* turn(id)
        assert.deepStrictEqual((yield* callsOf(id)).map(({ from }) => from).slice(4), [second, main])
        assert.deepStrictEqual(
          yield* sql`select sum(rang)::int as rang from number_days where day >= (now() at time zone 'UTC')::date`,
          [{ rang: 4 }],
        )
      }),
    )

    const refusal = (error: SqlError.SqlError) => String(error.reason.cause)
    test(
      "is protected by the table, which takes no call beyond a number's max_calls_per_day",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const sql = yield* SqlClient.SqlClient
        yield* sql`update phone_numbers set max_calls_per_day = 1`
        const calls = yield* Calls
        const both = ["+14155551175", "+14155551275"].map(kit.intentTo)
        assert.include(refusal(yield* Effect.flip(calls.intend(both))), "max_calls_per_day exceeded")
        assert.strictEqual((yield* calls.intend(both.slice(1))).length, 1)
        assert.include(refusal(yield* Effect.flip(calls.intend(both.slice(0, 1)))), "max_calls_per_day exceeded")
      }),
    )

    test(
      "never begins more calls from a number than its limit, however the passes of campaigns that share it race",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const sql = yield* SqlClient.SqlClient
        const limits = { [main]: 7, [second]: 5, [third]: 11 }
        const caller_numbers = [yield* add(second), yield* add(third)]
        for (const [number, limit] of Object.entries(limits)) {
          yield* sql`update phone_numbers set max_calls_per_day = ${limit} where number = ${number}`
        }
        const many = dose(12, 40, 200)
        const ids: Array<string> = []
        for (const pool of [caller_numbers, caller_numbers.slice(0, 1), [], caller_numbers]) {
          const id = yield* campaign(kit, many, { caller_numbers: uuids(pool), max_concurrent_calls: 3 })
          const other = ids.length * 1_000
          yield* sql`
            update contacts set phone_number = '+1415' || (5000000 + ${other}::int + position)::text where campaign_id = ${id}`
          ids.push(id)
        }
        const round = Effect.all(
          ids.flatMap((id) => [turn(id), turn(id), endAll(id, "no_answer")]),
          { concurrency: "unbounded", discard: true },
        )
        for (let turns = 0; turns < 8; turns++) yield* round
        for (const [number, limit] of Object.entries(limits)) assert.strictEqual(yield* countFrom(number), limit)
        for (const id of ids) yield* turn(id)
        for (const id of ids) assert.strictEqual((yield* Campaigns.find(id)).waiting_for, "caller_number")
      }),
    )
  },
)
