/** Campaigns of one account that want more than its caps leave, turn by turn in the database. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import * as Campaigns from "../../src/campaigns/Campaigns.ts"
import * as DialTransaction from "../../src/campaigns/dialling/DialTransaction.ts"
import { json } from "../../src/tenancy/Json.ts"
import * as CallsRoom from "../support/CallsRoom.ts"
import { newAccount, within } from "../support/TestTenancy.ts"

const report = json({ rows: 0, accepted: 0, duplicates: 0, invalid: 0, errors: [] })

/** A running campaign over twenty numbers of its own. */
const running = Effect.fnUntraced(function* (fields: Record<string, unknown>, prefix: string) {
  const sql = yield* SqlClient.SqlClient
  const id = uuidv7()
  yield* Campaigns.reserve(id)
  yield* sql`update campaigns set ${sql.update({ name: "c", import: report, ...fields })} where id = ${id}`
  yield* sql`
    insert into contacts (id, campaign_id, position, phone_number, custom_fields)
    select gen_random_uuid(), ${id}, n, ${prefix} || (1000 + n)::text || '75', '{}' from generate_series(1, 20) n`
  yield* Campaigns.markRunning(id)
  return id
})

/** Two campaigns on the same number, each with `max_concurrent_calls` slots. */
const twoRunning = Effect.fnUntraced(function* (max_concurrent_calls: number) {
  const { agent_id, intentTo, phone_number_id } = yield* CallsRoom.equip
  const line = { agent_id, phone_number_id, max_concurrent_calls }
  return { intentTo, line, one: yield* running(line, "+1415555"), two: yield* running(line, "+1415556") }
})

/** Keeps every dialler that has asked counted, even if the machine stalls between two passes. */
const stillAsking = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`update campaign_progress set asked_at = clock_timestamp() + interval '1 hour' where isfinite(asked_at)`,
)

/** The number of calls that its dialler's next pass begins, after `others` has run. */
const turnOf = Effect.fnUntraced(function* (id: string, others: typeof stillAsking = stillAsking) {
  const sql = yield* SqlClient.SqlClient
  yield* others
  const count = Effect.map(
    sql<{ calls: number }>`select count(*)::int as calls from calls where campaign_id = ${id}`,
    ([row]) => row?.calls ?? 0,
  )
  const before = yield* count
  yield* Effect.orDie(DialTransaction.runPass(id, 0))
  return (yield* count) - before
})

const endCallsOfCampaigns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update calls set status = 'failed', outcome = 'no_answer', ended_at = clock_timestamp()
    where campaign_id is not null and ended_at is null`
})

it.layer(CallsRoom.layer({ env: { LAB_SPEED: "1" } }), { timeout: "120 seconds", excludeTestServices: true })(
  "campaigns that want more than there is",
  (it) => {
    it.effect("take turns at the one slot that direct calls leave", () =>
      Effect.gen(function* () {
        const account = yield* newAccount("turns", { ...CallsRoom.wide, concurrent_max: 4 })
        yield* Effect.gen(function* () {
          const { intentTo, one, two } = yield* twoRunning(2)
          yield* CallsRoom.intended(["+14155559001", "+14155559002", "+14155559003"].map(intentTo))

          const first: Array<string> = []
          for (let round = 0; round < 6; round++) {
            const begun = [yield* turnOf(one), yield* turnOf(two)]
            // A campaign that was passed over gets its turn in the same round, since no slot is left for the other.
            assert.strictEqual((begun[0] ?? 0) + (begun[1] ?? 0), 1)
            first.push(begun[0] === 1 ? "one" : "two")
            yield* endCallsOfCampaigns
          }
          assert.deepStrictEqual(first, ["one", "two", "one", "two", "one", "two"])
        }).pipe(within(account))
      }),
    )

    it.effect("leave nothing to one whose dialler is gone", () =>
      Effect.gen(function* () {
        const account = yield* newAccount("gone", { ...CallsRoom.wide, calls_per_minute: 10, concurrent_max: 40 })
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const { one, two } = yield* twoRunning(20)
          assert.strictEqual(yield* turnOf(one), 5)
          assert.strictEqual(yield* turnOf(one), 0)
          const gone = sql`
            update campaign_progress set asked_at = clock_timestamp() - interval '4 seconds' where campaign_id = ${two}`
          assert.strictEqual(yield* turnOf(one, gone), 5)
        }).pipe(within(account))
      }),
    )

    it.effect("keep no slot for one that is paused, or has no contact left to call", () =>
      Effect.gen(function* () {
        const account = yield* newAccount("paused", { ...CallsRoom.wide, calls_per_minute: 12, concurrent_max: 60 })
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const { line, one, two } = yield* twoRunning(20)
          const three = yield* running(line, "+1415557")
          assert.strictEqual(yield* turnOf(one), 4)
          yield* Campaigns.markPaused(two)
          assert.strictEqual(yield* turnOf(one), 2)
          yield* sql`update contacts set due_at = 'infinity' where campaign_id = ${three}`
          assert.strictEqual(yield* turnOf(three), 0)
          assert.strictEqual(yield* turnOf(one), 6)
        }).pipe(within(account))
      }),
    )
  },
)
