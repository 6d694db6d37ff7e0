import { assert, it } from "@effect/vitest"
import { ConfigProvider, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import * as Courier from "../../src/events/Courier.ts"
import * as DeliveryLog from "../../src/events/DeliveryLog.ts"
import { EventSignals } from "../../src/events/EventSignals.ts"
import * as WebhookTest from "../../src/events/WebhookTest.ts"
import * as Webhooks from "../../src/events/Webhooks.ts"
import { AddressGuard } from "../../src/outbound/AddressGuard.ts"
import { PlatformDatabase } from "../../src/tenancy/PlatformDatabase.ts"
import { TenantDatabases } from "../../src/tenancy/TenantDatabases.ts"
import { receiver } from "../support/Receiver.ts"
import * as TestTenancy from "../support/TestTenancy.ts"
import { until as untilTrue } from "../support/Until.ts"

const env = ConfigProvider.layer(ConfigProvider.fromEnvRecord({ PARLEY_HTTP_TOOL_ALLOW_LOOPBACK: "1" }))
const guard = AddressGuard.layer.pipe(Layer.provide(env))

const unreadable = "The stored secret of the webhook cannot be read, so nothing was sent. Store a new secret"

/** A courier, and whose databases it has opened. */
const courier = Effect.gen(function* () {
  const opened: Array<string> = []
  const counting = Layer.effect(
    TenantDatabases,
    Effect.map(TenantDatabases, (tenants) => ({
      ...tenants,
      open: (entry) => {
        opened.push(entry.account.slug)
        return tenants.open(entry)
      },
    })),
  )
  const context = yield* Layer.build(Layer.fresh(Courier.layer).pipe(Layer.provide(counting), Layer.provide(guard)))
  return { opened, signals: Context.get(context, EventSignals) }
})

const webhook = (url: string) => Webhooks.create({ url, events: ["*"] }).pipe(Effect.provide(Layer.merge(guard, env)))

const happen = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into calls (id, direction, status, agent_id, agent_name, variables, node_id, started_at)
    values (${uuidv7()}, 'web', 'in_progress', ${uuidv7()}, 'a', '{}', ${uuidv7()}, clock_timestamp())`
})

const endpoint = Effect.acquireRelease(
  Effect.promise(() => receiver()),
  ({ close }) => Effect.sync(close),
)

it.layer(TestTenancy.layer, { timeout: "120 seconds", excludeTestServices: true })("the courier", (it) => {
  it.effect("opens no account without webhooks, and one in which nothing happens once after a start", () =>
    Effect.gen(function* () {
      const [quiet, watched] = [yield* TestTenancy.newAccount("quiet"), yield* TestTenancy.newAccount("watched")]
      yield* webhook("https://receiver.invalid/").pipe(TestTenancy.within(watched))
      const platform = yield* PlatformDatabase
      yield* platform`insert into webhook_accounts (account_id, look_at) values (${watched.id}, now() + interval '1 day')`
      const { opened } = yield* courier
      yield* Effect.promise(() => untilTrue(() => opened.length > 0))
      // Three of its looks at what is due: it has only this time to be wrong in.
      yield* Effect.sleep("3 seconds")
      assert.deepStrictEqual(opened, [watched.account.slug])
      assert.notInclude(opened, quiet.account.slug)
    }),
  )

  it.effect("asks an account without webhooks once in a while, however much happens in it", () =>
    Effect.gen(function* () {
      const { account } = yield* TestTenancy.newAccount("busy")
      const { opened, signals } = yield* courier
      yield* signals.written(account.slug)
      yield* Effect.promise(() => untilTrue(() => opened.length > 0))
      yield* Effect.sleep("100 millis")
      for (let events = 0; events < 1_000; events++) yield* signals.written(account.slug)
      yield* Effect.sleep("100 millis")
      // One look that goes on while something happens is followed by one more.
      assert.isAtMost(opened.filter((slug) => slug === account.slug).length, 2)
      const platform = yield* PlatformDatabase
      const rows = yield* platform`select account_id from webhook_accounts w join accounts a on a.id = w.account_id
        where a.slug = ${account.slug}`
      assert.deepStrictEqual(rows, [])
    }),
  )

  it.effect("brings what was committed to each account's own webhooks alone", () =>
    Effect.gen(function* () {
      const { at, received, until } = yield* endpoint
      const { signals } = yield* courier
      const [left, right] = [yield* TestTenancy.newAccount("left"), yield* TestTenancy.newAccount("right")]
      for (const own of [left, right]) {
        yield* webhook(at(`/${own.account.slug}`)).pipe(TestTenancy.within(own))
        yield* happen.pipe(TestTenancy.within(own))
        yield* signals.webhooksChanged(own.account.slug)
      }
      const told = yield* Effect.promise(() => Promise.all([until("/left", 1), until("/right", 1)]))
      assert.strictEqual(received.length, 2)
      const [one, other] = told.flat()
      assert.deepStrictEqual([one?.event.seq, other?.event.seq], [1, 1])
      assert.notStrictEqual(one?.event.id, other?.event.id)
      assert.notStrictEqual(one?.event.data.id, other?.event.data.id)
    }),
  )

  it.effect("sends what it can sign at once, and says of a webhook whose secret is damaged why it waits", () =>
    Effect.gen(function* () {
      const { at, until } = yield* endpoint
      const own = yield* TestTenancy.newAccount("damaged")
      const { signals } = yield* courier
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        // The claims come in any order, so the damaged one is first for some of the sound ones.
        const broken = yield* webhook(at("/broken"))
        for (const path of ["/a", "/b", "/c"]) yield* webhook(at(path))
        yield* sql`update webhooks set secret = 'v1.damaged.value' where id = ${broken.id}`
        yield* happen
        yield* signals.webhooksChanged(own.account.slug)
        yield* Effect.promise(() => Promise.all(["/a", "/b", "/c"].map((path) => until(path, 1))))
        const delivery = Effect.map(DeliveryLog.list(broken.id, { page: 0, page_size: 1 }), ({ items }) => items[0])
        const failed = yield* Effect.repeat(delivery, {
          until: (row) => (row?.attempts ?? 0) > 0 && row?.last_error !== null,
        })
        assert.deepInclude(failed, { status: "pending", last_error: unreadable })
        assert.strictEqual((yield* WebhookTest.send(broken.id).pipe(Effect.provide(guard))).error, unreadable)
        yield* Webhooks.update(broken.id, { secret: `whsec_${"A".repeat(44)}` }, undefined).pipe(
          Effect.provide(Layer.merge(guard, env)),
        )
        yield* sql`update webhook_deliveries set next_attempt_at = now() where status = 'pending'`
        yield* signals.webhooksChanged(own.account.slug)
        yield* Effect.promise(() => until("/broken", 1))
      }).pipe(TestTenancy.within(own))
    }),
  )

  it.effect("sees within about a second what was committed without a word to it", () =>
    Effect.gen(function* () {
      const { at, until } = yield* endpoint
      const { opened, signals } = yield* courier
      const own = yield* TestTenancy.newAccount("untold")
      yield* webhook(at("/a")).pipe(TestTenancy.within(own))
      yield* signals.webhooksChanged(own.account.slug)
      // The first look was requested; the second is a scheduled one.
      const looks = () => opened.filter((slug) => slug === own.account.slug).length
      yield* Effect.promise(() => untilTrue(() => looks() >= 2))
      const before = performance.now()
      yield* happen.pipe(TestTenancy.within(own))
      yield* Effect.promise(() => until("/a", 1))
      // A courier that relied on a signal, or on its periodic look at the account, would take one to ten minutes.
      assert.isBelow(performance.now() - before, 30_000)
    }),
  )
})

it.layer(TestTenancy.layer, { timeout: "120 seconds", excludeTestServices: true })(
  "sixty endpoints of one account that do not answer",
  (it) => {
    it.effect("do not delay what another account's endpoint is told", () =>
      Effect.gen(function* () {
        const [flooding, other] = [yield* TestTenancy.newAccount("flooding"), yield* TestTenancy.newAccount("other")]
        const { at, answer, received, until } = yield* endpoint
        let ended = 0
        for (let slow = 0; slow < 60; slow++) {
          answer(`/slow/${slow}`, (response) => void response.on("close", () => ended++))
          yield* webhook(at(`/slow/${slow}`)).pipe(TestTenancy.within(flooding))
        }
        yield* webhook(at("/other")).pipe(TestTenancy.within(other))
        yield* Effect.repeat(happen, { times: 7 }).pipe(TestTenancy.within(flooding))
        const { signals } = yield* courier
        yield* signals.webhooksChanged(flooding.account.slug)
        // Eight attempts at each endpoint are more than the process makes at once.
        const claimed = Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const [row] = yield* sql<{ count: number }>`
            select count(*)::int from webhook_deliveries where attempts = 1`
          return row?.count === 480
        }).pipe(TestTenancy.within(flooding))
        const context = yield* Effect.context<Effect.Services<typeof claimed>>()
        yield* Effect.promise(() => untilTrue(() => Effect.runPromiseWith(context)(claimed)))
        yield* Effect.promise(() => untilTrue(() => received.length >= 128))
        yield* happen.pipe(TestTenancy.within(other))
        yield* signals.webhooksChanged(other.account.slug)
        yield* Effect.promise(() => until("/other", 1))
        assert.strictEqual(ended, 0)
      }),
    )
  },
)
