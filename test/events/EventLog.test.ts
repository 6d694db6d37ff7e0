import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import * as Campaigns from "../../src/campaigns/Campaigns.ts"
import * as EventLog from "../../src/events/EventLog.ts"
import { CurrentTenant } from "../../src/tenancy/CurrentTenant.ts"
import { transaction } from "../../src/tenancy/Transaction.ts"
import { insertCampaign } from "../support/InsertCampaign.ts"
import * as TestTenancy from "../support/TestTenancy.ts"

const settleSome = Effect.fnUntraced(function* (campaign: string, from: number, count: number, status = "completed") {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update contacts set status = ${status}, outcome = 'answered'
    where campaign_id = ${campaign} and position between ${from}::int and ${from + count - 1}::int`
})

const all = EventLog.listAfter({ limit: 1_000 })

it.layer(TestTenancy.layer, { timeout: "120 seconds", excludeTestServices: true })("the event log", (it) => {
  const test = <A, E>(name: string, body: Effect.Effect<A, E, CurrentTenant | SqlClient.SqlClient>) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const account = yield* TestTenancy.newAccount(`l${crypto.randomUUID().slice(0, 8)}`)
        yield* body.pipe(TestTenancy.within(account))
      }),
    )

  test(
    "a reader never misses an event that commits later, whatever is written at the same time or rolled back",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rounds = 60
      let committed = 0
      const writer = (campaign: string, seed: number) =>
        Effect.gen(function* () {
          for (let round = 0; round < rounds; round++) {
            const rollsBack = (round + seed) % 4 === 0
            const count = 1 + ((round + seed) % 3)
            yield* transaction(
              Effect.gen(function* () {
                yield* settleSome(campaign, 1 + round * 3, count)
                yield* sql`select pg_sleep(${((round * 7 + seed) % 5) / 500})`
                if (rollsBack) return yield* Effect.fail("rolled back" as const)
              }),
            ).pipe(
              Effect.tap(() => Effect.sync(() => (committed += count))),
              Effect.catchIf(
                (error) => error === "rolled back",
                () => Effect.void,
              ),
            )
          }
        })
      const campaigns = yield* Effect.forEach([0, 1, 2], () => insertCampaign({}, rounds * 3))
      const writing = yield* Effect.forEach(campaigns, writer, { concurrency: "unbounded", discard: true }).pipe(
        Effect.forkChild({ startImmediately: true }),
      )
      const seen: Array<number> = []
      let looks = 0
      for (let over = false, after = 0; !over || seen.length < committed; looks++) {
        over = writing.pollUnsafe() !== undefined
        const page = yield* EventLog.listAfter({ after, limit: 7 })
        for (const { seq } of page.items) {
          assert.strictEqual(seq, (seen.at(-1) ?? 0) + 1)
          seen.push(seq)
        }
        after = page.next_after
        assert.strictEqual(after, seen.length)
        yield* sql`select pg_sleep(0.001)`
      }
      yield* Fiber.join(writing)
      assert.strictEqual(seen.length, committed)
      assert.isAbove(committed, 200)
      assert.isAbove(looks, 20)
    }),
  )

  test(
    "what is rolled back leaves no event and no gap; a savepoint takes its own along",
    Effect.gen(function* () {
      const campaign = yield* insertCampaign({}, 6)
      yield* transaction(
        Effect.gen(function* () {
          yield* settleSome(campaign, 1, 1)
          yield* transaction(Effect.andThen(settleSome(campaign, 2, 2), Effect.fail("no"))).pipe(Effect.ignore)
          yield* settleSome(campaign, 4, 1, "failed")
        }),
      )
      const { items, next_after } = yield* all
      assert.deepStrictEqual(
        items.map(({ seq, type }) => [seq, type]),
        [
          [1, "contact.completed"],
          [2, "contact.failed"],
        ],
      )
      assert.strictEqual(next_after, 2)
      assert.deepInclude(items[1]?.data, { position: 4, status: "failed", custom_fields: { place: "4" } })
    }),
  )

  test(
    "a status that stays as it was, a skipped contact and a claim are no events",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const campaign = yield* insertCampaign({}, 2)
      yield* settleSome(campaign, 1, 1, "in_progress")
      yield* sql`update contacts set status = 'skipped', skip_reason = 'stopped' where position = 2`
      yield* sql`update campaigns set name = 'renamed', status = 'draft'`
      yield* settleSome(campaign, 1, 1)
      yield* settleSome(campaign, 1, 1)
      assert.deepStrictEqual(
        (yield* all).items.map(({ type }) => type),
        ["contact.completed"],
      )
    }),
  )

  test(
    "a campaign's event has its counts at the commit, however its transaction went about it",
    Effect.gen(function* () {
      const campaign = yield* insertCampaign({}, 3)
      yield* transaction(Campaigns.markRunning(campaign))
      yield* transaction(Campaigns.end(campaign, "stopped"))
      const events = (yield* all).items
      assert.deepStrictEqual(
        events.map(({ type }) => type),
        ["campaign.started", "campaign.completed"],
      )
      assert.deepInclude(events[1]?.data, { previous_status: "running", end_reason: "stopped" })
      const ended = events[1]?.data as { readonly counts?: object } | undefined
      assert.deepInclude(ended?.counts, { total: 3, pending: 0, skipped: 3 })
    }),
  )

  test(
    "an event's id is the same whenever it is read, and another in another account",
    Effect.gen(function* () {
      const { id } = yield* CurrentTenant
      yield* settleSome(yield* insertCampaign({}, 2), 1, 2)
      const [first, again] = [yield* all, yield* all]
      assert.deepStrictEqual(first, again)
      const [one, two] = first.items
      assert.match(one?.id ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      assert.notStrictEqual(one?.id, two?.id)
      const at = one?.created_at ?? new Date(0)
      assert.strictEqual(EventLog.eventId(id, 1, at), one?.id)
      assert.notStrictEqual(EventLog.eventId(uuidv7(), 1, at), one?.id)
    }),
  )

  test(
    "what is older than the retention goes, and a reader from before is told so instead of skipping it",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const campaign = yield* insertCampaign({}, 5)
      yield* settleSome(campaign, 1, 3)
      yield* settleSome(campaign, 4, 2)
      yield* sql`update event_batches set created_at = now() - interval '30 days 1 minute' where first_seq <= 3`
      yield* EventLog.prune(30)
      const numbers = (page: { readonly items: ReadonlyArray<{ readonly seq: number }> }) =>
        page.items.map(({ seq }) => seq)
      assert.deepStrictEqual(numbers(yield* all), [4, 5])
      const refused = yield* Effect.flip(EventLog.listAfter({ after: 2, limit: 10 }))
      assert.deepInclude(refused, { _tag: "EventsPruned", after: 2, oldest_seq: 4 })
      assert.deepStrictEqual(numbers(yield* EventLog.listAfter({ after: 3, limit: 10 })), [4, 5])
      yield* sql`update event_batches set created_at = now() - interval '31 days'`
      yield* EventLog.prune(30)
      const empty = yield* all
      assert.deepStrictEqual(empty, { items: [], next_after: 5, has_more: false })
      assert.strictEqual((yield* Effect.flip(EventLog.listAfter({ after: 6, limit: 1 })))._tag, "Invalid")
    }),
  )

  test(
    "a page begins and ends where it is asked to, also between events that came about together",
    Effect.gen(function* () {
      yield* settleSome(yield* insertCampaign({}, 9), 1, 9)
      const whole = (yield* all).items
      assert.deepStrictEqual(
        whole.map(({ seq }) => seq),
        [1, 2, 3, 4, 5, 6, 7, 8, 9],
      )
      for (const [after, limit] of [
        [0, 9],
        [0, 4],
        [4, 4],
        [8, 4],
        [9, 4],
      ] as const) {
        const page = yield* EventLog.listAfter({ after, limit })
        assert.deepStrictEqual(page.items, whole.slice(after, after + limit))
        assert.strictEqual(page.next_after, Math.min(9, after + limit))
      }
      const some = yield* EventLog.listSome([9, 1, 5, 10])
      assert.deepStrictEqual([...some.values()].map(({ seq }) => seq).toSorted(), [1, 5, 9])
      assert.deepStrictEqual(some.get(5), whole[4])
    }),
  )

  test(
    "a page of one type says how far it has looked",
    Effect.gen(function* () {
      const campaign = yield* insertCampaign({}, 12)
      yield* settleSome(campaign, 1, 5)
      yield* settleSome(campaign, 6, 1, "failed")
      yield* settleSome(campaign, 7, 6)
      const failed = (after: number) => EventLog.listAfter({ after, limit: 1, type: "contact.failed" })
      const page = yield* failed(0)
      assert.deepStrictEqual([page.items.map(({ seq }) => seq), page.next_after, page.has_more], [[6], 6, true])
      assert.deepStrictEqual(yield* failed(6), { items: [], next_after: 12, has_more: false })
    }),
  )
  test(
    "a page ends early if its events are long, and the next one goes on behind it",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const id = uuidv7()
      yield* sql`
        insert into calls (id, direction, status, outcome, agent_id, agent_name, agent_version, variables, node_id, started_at,
                           ended_at, transcript, result, cost)
        values (${id}, 'web', 'completed', 'answered', ${uuidv7()}, 'a', 1, '{}', ${uuidv7()}, now(), now(), '[]',
                jsonb_build_object('text', repeat('x', 3000000)), '{}')`
      yield* sql`select events_append('call.ended', array_fill(${id}::uuid, array[5]))`
      const first = yield* all
      assert.deepStrictEqual(
        first.items.map(({ seq }) => seq),
        [1, 2, 3, 4],
      )
      assert.deepInclude(first, { next_after: 4, has_more: true })
      const { has_more, items } = yield* EventLog.listAfter({ after: first.next_after, limit: 1_000 })
      assert.deepStrictEqual([items.map(({ seq }) => seq), has_more], [[5, 6, 7], false])
      assert.strictEqual((yield* EventLog.listSome([1, 2, 3, 4, 5, 6, 7])).size, 7)
    }),
  )
})
