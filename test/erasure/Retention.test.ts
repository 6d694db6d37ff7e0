/** What an account no longer has when its days are over, on real databases. Rows are made older; the clock is real. */
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Metric } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import * as Campaigns from "../../src/campaigns/Campaigns.ts"
import * as Invariants from "../../src/cli/Invariants.ts"
import { Retention } from "../../src/erasure/Retention.ts"
import { ObjectStore } from "../../src/recording/ObjectStore.ts"
import { RecordingFolder } from "../../src/recording/RecordingFolder.ts"
import { RecordingSweep } from "../../src/recording/RecordingSweep.ts"
import { json } from "../../src/tenancy/Json.ts"
import { PlatformDatabase } from "../../src/tenancy/PlatformDatabase.ts"
import * as CallsRoom from "../support/CallsRoom.ts"
import { insertCampaign } from "../support/InsertCampaign.ts"
import { testConfig } from "../support/TestConfig.ts"
import { newAccount, within } from "../support/TestTenancy.ts"
import { until } from "../support/Until.ts"

const layer = Retention.layer.pipe(
  Layer.provideMerge(RecordingSweep.layer),
  Layer.provideMerge([RecordingFolder.layer, ObjectStore.layer]),
  Layer.provideMerge(CallsRoom.tenancy),
  Layer.provide(Layer.suspend(() => ConfigProvider.layer(testConfig({})))),
)

const words = json([{ role: "caller", text: "my name is Zacharias", started_ms: 0, ended_ms: 900 }])

/** A call that began this many days ago, of a campaign's contact if one is given. */
const called = Effect.fnUntraced(function* (days: number, of: { campaign_id?: string; contact_id?: string } = {}) {
  const sql = yield* SqlClient.SqlClient
  const id = uuidv7()
  const at = new Date(Date.now() - days * 86_400_000)
  const dial_record_id = uuidv7()
  yield* sql`insert into dial_records (id, record) values (${dial_record_id}, '{}')`
  yield* sql`insert into calls ${sql.insert({
    id,
    direction: "outbound",
    status: "completed",
    outcome: "answered",
    agent_id: uuidv7(),
    agent_name: "Rosa",
    to_number: `+1415${String(Math.random()).slice(2, 9)}`,
    transcript: words,
    tool_invocations: words,
    result: json({ suits: true }),
    node_id: uuidv7(),
    started_at: at,
    ended_at: at,
    dial_record_id,
    ...of,
    ...(of.contact_id === undefined ? {} : { attempt_number: 1 }),
  })}`
  return id
})

const idsOf = (table: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return (yield* sql<{ id: string }>`select id from ${sql(table)} order by id`).map(({ id }) => id)
  })

const isDueAgain = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update retention set swept_at = '-infinity'`
})

/** The account's role may not read what records the schema. */
const ofRows = Invariants.all.filter(({ promise }) => promise !== "schema")

const violations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = yield* Effect.forEach(ofRows, ({ query, says }) =>
    Effect.map(sql.unsafe(query), (rows) => (rows.length > 0 ? [says] : [])),
  )
  return found.flat()
})

it.layer(layer, { timeout: "120 seconds", excludeTestServices: true })("data whose days are over", (it) => {
  it.effect(
    "is kept for ever by an account that says nothing, except answers for an Idempotency-Key and counts of old days",
    () =>
      Effect.gen(function* () {
        const entry = yield* newAccount(`a-${uuidv7()}`)
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const call = yield* called(4_000)
          const answer = { scope: "POST /x", fingerprint: "f", status: 201, headers: json({}), body: Buffer.from("b") }
          for (let at = 0; at < 450; at++)
            yield* sql`insert into idempotency ${sql.insert({ ...answer, key: `old${at}` })}`
          yield* sql`update idempotency set created_at = now() - interval '25 hours'`
          yield* sql`insert into idempotency ${sql.insert({ ...answer, key: "new" })}`
          yield* sql`insert into part_days (day, part) values (current_date - 95, 'morning'), (current_date - 96, 'evening')`
          yield* (yield* Retention).sweep(entry)
          assert.deepStrictEqual(yield* sql`select part from part_days`, [{ part: "morning" }])
          assert.deepStrictEqual(yield* idsOf("calls"), [call])
          assert.deepStrictEqual(yield* sql`select key from idempotency`, [{ key: "new" }])
          assert.deepStrictEqual(
            yield* sql`select from calls where transcript::text like '%Zacharias%' and tool_invocations <> '[]'`,
            [{}],
          )
        }).pipe(within(entry))
      }),
  )

  it.effect("loses its words and notes after their days, and only those calls; a live call keeps its words", () =>
    Effect.gen(function* () {
      const entry = yield* newAccount(`a-${uuidv7()}`, { transcript_days: 7 })
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { sweep } = yield* Retention
        const spoken = sql<{
          id: string
        }>`select id from calls where transcript <> '[]' or tool_invocations <> '[]' order by id`
        // More than a transaction takes, many of one moment.
        for (let at = 0; at < 410; at++) yield* called(8 + (at % 3))
        const young = yield* called(6)
        const live = yield* called(9)
        const old = yield* called(9)
        const write = (call_id: string) =>
          sql`insert into call_notes (id, call_id, written_by, text) values (${uuidv7()}, ${call_id}, '{}', 'a note')`
        for (const call_id of [young, old]) yield* write(call_id)
        yield* sql`update calls set status = 'in_progress', ended_at = null where id = ${live}`
        yield* sql`insert into live_calls values ('a line', ${live}, null)`
        yield* sql`update calls set started_at = now() - interval '8 days 1 hour' where started_at < now() - interval '8 days' and id <> ${live}`
        yield* sweep(entry)
        const kept = (yield* spoken).map(({ id }) => id)
        assert.include(kept, young)
        assert.isAtMost(kept.length, 2)
        assert.deepStrictEqual(yield* sql`select call_id from call_notes`, [{ call_id: young }])
        assert.deepStrictEqual(yield* sql`select count(*)::int as n from calls where result is not null`, [{ n: 413 }])
        // The call ended meanwhile, with its words: the next sweep finds it.
        yield* sql`delete from live_calls`
        yield* sql`update calls set status = 'completed', ended_at = now(), transcript = ${words} where id = ${live}`
        yield* sweep(entry)
        assert.include(
          (yield* spoken).map(({ id }) => id),
          live,
          "swept again within the hour",
        )
        yield* isDueAgain
        yield* sweep(entry)
        assert.deepStrictEqual(
          (yield* spoken).map(({ id }) => id),
          [young],
        )
        // A note on a call whose words the sweeps before have deleted.
        yield* write(live)
        yield* isDueAgain
        yield* sweep(entry)
        assert.deepStrictEqual(yield* sql`select call_id from call_notes`, [{ call_id: young }])
      }).pipe(within(entry))
    }),
  )

  it.effect("is deleted: calls and the contacts of ended campaigns, whose counts and promises remain", () =>
    Effect.gen(function* () {
      const entry = yield* newAccount(`a-${uuidv7()}`, { call_days: 30 })
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [ended, open] = [yield* insertCampaign({}, 450), yield* insertCampaign({}, 2)]
        for (const campaign_id of [ended, open]) {
          const [contact] = yield* sql<{
            id: string
          }>`select id from contacts where campaign_id = ${campaign_id} and position = 1`
          const id = yield* called(40, { campaign_id, contact_id: contact!.id })
          yield* sql`update contacts set status = 'completed', outcome = 'answered', attempts = 1, last_call_id = ${id} where id = ${contact!.id}`
        }
        yield* sql`update campaigns set import = jsonb_build_object('accepted', (select total from campaign_progress p where p.campaign_id = campaigns.id))`
        // A trigger counted the calls as live, since they were written as ended.
        yield* sql`update campaign_progress set active_calls = 0`
        yield* Campaigns.end(ended, "stopped")
        yield* sql`update campaigns set ended_at = now() - interval '31 days' where id = ${ended}`
        const young = yield* called(29)
        yield* called(31)
        const counts = sql`select total, pending, completed, skipped from campaign_progress order by campaign_id`
        const [before, live] = [yield* counts, yield* sql`select * from live_calls`]
        assert.deepStrictEqual(yield* violations, [])
        yield* (yield* Retention).sweep(entry)
        const left = yield* sql<{
          id: string
          campaign_id: string | null
        }>`select id, campaign_id from calls order by started_at`
        assert.deepStrictEqual(
          left.map(({ campaign_id }) => campaign_id),
          [open, null],
        )
        assert.strictEqual(left[1]?.id, young)
        assert.strictEqual((yield* idsOf("dial_records")).length, 2)
        assert.deepStrictEqual(
          yield* sql`select campaign_id, count(*)::int as n from contacts where phone_number <> '' group by 1`,
          [{ campaign_id: open, n: 2 }],
        )
        assert.deepStrictEqual(
          yield* sql`select attempts, deleted_calls, last_call_id from contacts where campaign_id = ${ended} and position = 1`,
          [{ attempts: 1, deleted_calls: 1, last_call_id: null }],
        )
        assert.deepStrictEqual([yield* counts, yield* sql`select * from live_calls`], [before, live])
        assert.deepStrictEqual(yield* violations, [])
      }).pipe(within(entry))
    }),
  )

  it.effect("follows the account's own days for events and recordings", () =>
    Effect.gen(function* () {
      const entry = yield* newAccount(`a-${uuidv7()}`, { event_days: 2, recording_days: 3 })
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [old, young] = [yield* called(0), yield* called(0)]
        for (const [id, days] of [
          [old, 4],
          [young, 2],
        ] as const) {
          yield* sql`insert into recordings (id, call_id, host, started_at) values (${id}, ${id}, 'elsewhere', now() - make_interval(days => ${days}))`
        }
        yield* sql`update event_batches set created_at = now() - interval '3 days' where first_seq = 1`
        yield* (yield* Retention).sweep(entry)
        assert.deepStrictEqual(yield* sql`select id from recordings where call_id is not null`, [{ id: young }])
        const [log] = yield* sql<{ pruned_seq: bigint }>`select pruned_seq from event_log`
        assert.strictEqual(Number(log?.pruned_seq), 1)
      }).pipe(within(entry))
    }),
  )

  it.effect("of the platform is deleted too, and all of it is counted", () =>
    Effect.gen(function* () {
      const platform = yield* PlatformDatabase
      const answer = {
        scope: "POST /x",
        key: "k",
        fingerprint: "f",
        status: 201,
        headers: json({}),
        body: Buffer.from("b"),
      }
      yield* platform`insert into idempotency ${platform.insert({ ...answer, created_at: new Date(Date.now() - 90_000_000) })}`
      // More than one statement deletes.
      yield* platform`
        insert into audit_entries (id, at, actor_type, action, object_kind, object_name)
        select gen_random_uuid(), now() - make_interval(years => case when n = 0 then 0 else 20 end),
          'command_line', 'account.update', 'account', 'swept' from generate_series(0, 2500) n`
      yield* (yield* Retention).sweepPlatform
      assert.deepStrictEqual(yield* platform`select from idempotency`, [])
      const kept =
        yield* platform`select at > now() - interval '1 day' as is_new from audit_entries where object_name = 'swept'`
      assert.deepStrictEqual(kept, [{ is_new: true }])
      const ids = (yield* Metric.snapshot).map(({ id }) => id)
      assert.include(ids, "parley_retention_deleted_total")
    }),
  )

  it.effect("a fault in the platform's own data does not keep the accounts' data from being swept", () =>
    Effect.gen(function* () {
      const { account } = yield* newAccount(`r${crypto.randomUUID().slice(0, 8)}`)
      const swept: Array<string> = []
      const broken = Layer.succeed(Retention, {
        sweep: (entry) => Effect.sync(() => void swept.push(entry.account.slug)),
        sweepPlatform: Effect.die("the platform's audit log is locked"),
      })
      yield* Layer.build(Retention.layerHourly.pipe(Layer.provide(broken)))
      yield* Effect.promise(() => until(async () => swept.includes(account.slug)))
    }),
  )
})
