import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import * as Deliveries from "../../src/events/Deliveries.ts"
import * as DeliveryLog from "../../src/events/DeliveryLog.ts"
import * as DeliveryResults from "../../src/events/DeliveryResults.ts"
import * as EventLog from "../../src/events/EventLog.ts"
import * as Webhooks from "../../src/events/Webhooks.ts"
import { AddressGuard } from "../../src/outbound/AddressGuard.ts"
import type { CurrentTenant } from "../../src/tenancy/CurrentTenant.ts"
import * as TestTenancy from "../support/TestTenancy.ts"

const guard = AddressGuard.layerWith(() => Effect.succeed(["93.184.215.14"])).pipe(
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ PARLEY_ENV: "production" }))),
)

const webhook = (fields: object = {}) =>
  Webhooks.create({ url: "https://receiver.test/", events: ["*"], ...fields }).pipe(Effect.provide(guard))

/** Makes this many events, by calls that end at once. */
const happen = Effect.fnUntraced(function* (count: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into calls (id, direction, status, agent_id, agent_name, variables, node_id, started_at)
    select gen_random_uuid(), 'web', 'in_progress', ${uuidv7()}::uuid, 'a', '{}', ${uuidv7()}::uuid, clock_timestamp()
    from generate_series(1, ${count}::int)`
})

/** The time between a claim and the write of its result, on a machine that stalls. */
const slackMs = 60_000

const claimed = (busy: ReadonlyMap<string, number> = new Map()) => Deliveries.claim(busy)

const cameTo = (
  claim: Deliveries.Claim,
  change: Partial<DeliveryResults.DeliveryResult> = {},
): DeliveryResults.DeliveryResult => ({
  claim,
  verdict: "failed",
  status_code: 500,
  error: "The endpoint answered 500",
  duration_ms: 3,
  excerpt: null,
  delay_ms: 60_000,
  ...change,
})

/** As if this much time had passed. */
const pass = Effect.fnUntraced(function* (interval: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update webhook_deliveries set next_attempt_at = next_attempt_at - ${interval}::interval,
      series_began_at = series_began_at - ${interval}::interval`
})

const first = Effect.fnUntraced(function* (id: string) {
  const { items } = yield* DeliveryLog.list(id, { page: 0, page_size: 100 })
  const oldest = items.at(-1)
  return oldest ?? (yield* Effect.die("no delivery"))
})

it.layer(TestTenancy.layer, { timeout: "120 seconds", excludeTestServices: true })("deliveries", (it) => {
  const test = <A, E>(name: string, body: Effect.Effect<A, E, CurrentTenant | SqlClient.SqlClient>) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const settings = { concurrent_max: 10_000, calls_per_day: 100_000 }
        const account = yield* TestTenancy.newAccount(`d${crypto.randomUUID().slice(0, 8)}`, settings)
        yield* body.pipe(TestTenancy.within(account))
      }),
    )

  test(
    "every event after its creation gets one delivery a webhook, however many fan out at once",
    Effect.gen(function* () {
      yield* happen(3)
      const { id } = yield* webhook()
      const { id: other } = yield* webhook({ events: ["call.ended"] })
      yield* happen(2_500)
      const fanOut = Effect.repeat(Deliveries.fanOut(), { until: (more) => !more })
      yield* Effect.all([fanOut, fanOut, fanOut], { concurrency: "unbounded" })
      while (yield* Deliveries.fanOut());
      const sql = yield* SqlClient.SqlClient
      const made = yield* sql`
        select webhook_id, count(*)::int as count, min(seq)::int as first, max(seq)::int as last
        from webhook_deliveries group by 1`
      assert.deepStrictEqual(made, [{ webhook_id: id, count: 2_500, first: 4, last: 2_503 }])
      assert.deepStrictEqual((yield* DeliveryLog.list(other, { page: 0, page_size: 1 })).total, 0)
    }),
  )

  test(
    "a process holds 64 deliveries of an endpoint, the oldest first; of one that fails a single one",
    Effect.gen(function* () {
      const { id } = yield* webhook()
      yield* happen(200)
      yield* Deliveries.fanOut()
      const claims = yield* claimed()
      assert.deepStrictEqual(
        claims.map(({ seq }) => seq).sort((a, b) => a - b),
        Array.from({ length: 64 }, (_, at) => at + 1),
      )
      assert.deepStrictEqual(yield* claimed(new Map([[id, 64]])), [])
      assert.strictEqual((yield* claimed(new Map([[id, 60]]))).length, 4)
      yield* DeliveryResults.record(claims.map((claim) => cameTo(claim)))
      const [one, ...others] = yield* claimed()
      assert.deepStrictEqual([one?.seq, others], [69, []])
      assert.deepStrictEqual(yield* claimed(new Map([[id, 1]])), [])
      yield* DeliveryResults.record([cameTo(one ?? assert.fail(), { verdict: "succeeded" })])
      assert.strictEqual((yield* claimed()).length, 64)
    }),
  )

  test(
    "a claim that its process never finishes is due again after its lease, and its late result changes nothing",
    Effect.gen(function* () {
      const { id } = yield* webhook()
      yield* happen(1)
      yield* Deliveries.fanOut()
      const [lost] = yield* claimed()
      assert.deepStrictEqual(yield* claimed(), [])
      yield* pass(`${Deliveries.leaseSeconds} seconds`)
      const [again] = yield* claimed()
      assert.deepStrictEqual([lost?.attempts, again?.attempts], [1, 2])
      yield* DeliveryResults.record([cameTo(lost ?? assert.fail(), { verdict: "gone" })])
      assert.deepInclude(yield* first(id), { status: "pending", last_status_code: null })
      yield* DeliveryResults.record([
        cameTo(again ?? assert.fail(), { verdict: "succeeded", status_code: 200, error: null }),
      ])
      assert.deepInclude(yield* first(id), { status: "succeeded", attempts: 2, last_status_code: 200 })
    }),
  )

  test(
    "after 24 hours of attempts it is given up; a redelivery begins anew",
    Effect.gen(function* () {
      const { id } = yield* webhook()
      yield* happen(1)
      yield* Deliveries.fanOut()
      const fail = Effect.gen(function* () {
        const [claim] = yield* claimed()
        yield* DeliveryResults.record([cameTo(claim ?? assert.fail(), { delay_ms: 6 * 3_600_000 })])
      })
      yield* fail
      const waits = yield* first(id)
      const after = Number(waits.next_attempt_at) - Number(waits.last_attempt_at)
      assert.closeTo(after, 6 * 3_600_000, slackMs)

      yield* pass("23 hours")
      yield* fail
      // The next one would be six hours later: it is made when the 24 hours are over, and is the last.
      const last = yield* first(id)
      assert.closeTo(Number(last.next_attempt_at) - Number(last.last_attempt_at), 3_600_000, slackMs)
      yield* pass("1 hour")
      yield* fail
      const dead = yield* first(id)
      assert.deepInclude(dead, { status: "failed", attempts: 3, next_attempt_at: null })
      assert.deepStrictEqual(
        dead.attempt_log.map(({ number }) => number),
        [1, 2, 3],
      )
      yield* pass("1 hour")
      assert.deepStrictEqual(yield* claimed(), [])

      yield* DeliveryLog.redeliver(id, dead.id)
      yield* fail
      assert.deepInclude(yield* first(id), { status: "pending", attempts: 4 })
    }),
  )

  test(
    "a redelivery is made at once, however an attempt ends that was in flight when it was requested",
    Effect.gen(function* () {
      const { id } = yield* webhook()
      yield* happen(1)
      yield* Deliveries.fanOut()
      const inFlight = [
        { verdict: "succeeded", status_code: 200, error: null },
        { delay_ms: 6 * 3_600_000 },
        { verdict: "released" },
      ] as const
      for (const result of inFlight) {
        const [claim] = yield* claimed()
        const { id: delivery } = yield* DeliveryLog.redeliver(id, (yield* first(id)).id)
        yield* DeliveryResults.record([cameTo(claim ?? assert.fail(), result)])
        const [again] = yield* claimed()
        assert.deepInclude(again, { id: delivery, series_attempts: 1 })
        yield* DeliveryResults.record([cameTo(again ?? assert.fail(), { delay_ms: 0 })])
      }
      const { attempt_log } = yield* first(id)
      assert.deepStrictEqual(
        attempt_log.map(({ number, status_code }) => [number, status_code]),
        [
          [1, 200],
          [2, 500],
          [3, 500],
          [4, 500],
          [5, 500],
        ],
      )
    }),
  )

  test(
    "a disabled webhook is not asked; what waits goes on when it is enabled, what happened meanwhile does not come",
    Effect.gen(function* () {
      const { id } = yield* webhook()
      yield* happen(1)
      yield* Deliveries.fanOut()
      yield* Webhooks.update(id, { enabled: false }, undefined).pipe(Effect.provide(guard))
      yield* happen(2)
      yield* Deliveries.fanOut()
      assert.deepStrictEqual(yield* claimed(), [])
      yield* Webhooks.update(id, { enabled: true }, undefined).pipe(Effect.provide(guard))
      yield* happen(1)
      yield* Deliveries.fanOut()
      assert.deepStrictEqual((yield* claimed()).map(({ seq }) => seq).sort(), [1, 4])
    }),
  )

  test(
    "one that waited for longer than an int has milliseconds is due, and does not end the look ahead",
    Effect.gen(function* () {
      yield* webhook()
      yield* happen(1)
      yield* Deliveries.fanOut()
      yield* pass("25 days")
      const { in_ms, webhooks } = yield* Deliveries.lookAhead()
      assert.strictEqual(webhooks, 1)
      assert.isBelow(in_ms ?? 0, 0)
    }),
  )

  test(
    "one that got no turn has not been tried; deliveries go with their events",
    Effect.gen(function* () {
      const { id } = yield* webhook()
      yield* happen(1)
      yield* Deliveries.fanOut()
      const [claim] = yield* claimed()
      yield* DeliveryResults.record([cameTo(claim ?? assert.fail(), { verdict: "released" })])
      assert.deepInclude(yield* first(id), { status: "pending", attempts: 0, attempt_log: [] })
      assert.strictEqual((yield* claimed()).length, 1)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update event_batches set created_at = now() - interval '31 days'`
      yield* EventLog.prune(30)
      assert.strictEqual((yield* DeliveryLog.list(id, { page: 0, page_size: 1 })).total, 0)
    }),
  )

  test(
    "secrets are sealed at rest, each to its webhook; the one before signs for a day",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const made = yield* webhook()
      const next = `whsec_${Buffer.alloc(24, 7).toString("base64")}`
      yield* Webhooks.update(made.id, { secret: next }, undefined).pipe(Effect.provide(guard))
      yield* happen(1)
      yield* Deliveries.fanOut()
      const [row] = yield* sql<{ secret: string }>`select secret, previous_secret from webhooks`
      assert.notInclude(JSON.stringify(row), made.secret.slice(6))
      assert.match(row?.secret ?? "", /^v1\./)
      const [claim] = yield* claimed()
      assert.deepStrictEqual(yield* Webhooks.openSecrets(made.id, claim ?? assert.fail()), [next, made.secret])
      yield* sql`update webhooks set previous_secret_until = now()`
      yield* pass(`${Deliveries.leaseSeconds} seconds`)
      const [later] = yield* claimed()
      assert.deepStrictEqual(yield* Webhooks.openSecrets(made.id, later ?? assert.fail()), [next])
      // Moved to another webhook, it does not open.
      assert.isTrue((yield* Effect.exit(Webhooks.openSecrets(uuidv7(), later ?? assert.fail())))._tag === "Failure")
    }),
  )
})
