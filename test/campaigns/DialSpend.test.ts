/** A campaign's `max_spend` beneath its dial passes: what is reserved, spent and refused (decision 0079). */
import { assert, it } from "@effect/vitest"
import { Effect, Random, Result } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Calls } from "../../src/calls/Calls.ts"
import * as CallLog from "../../src/calls/ledger/CallLog.ts"
import * as Campaigns from "../../src/campaigns/Campaigns.ts"
import { InstallationPrices } from "../../src/catalog/PriceFile.ts"
import * as Invariants from "../../src/cli/Invariants.ts"
import { CallRecord } from "../../src/conversation/CallRecord.ts"
import { CallId } from "../../src/domain/Call.ts"
import { compile, type PriceList } from "../../src/domain/PriceList.ts"
import type { CurrentTenant } from "../../src/tenancy/CurrentTenant.ts"
import { json } from "../../src/tenancy/Json.ts"
import { transaction } from "../../src/tenancy/Transaction.ts"
import * as CallsRoom from "../support/CallsRoom.ts"
import { campaign, dialled, numberOf, turn } from "../support/DialPasses.ts"
import { dose } from "../support/Dose.ts"
import { newAccount, within } from "../support/TestTenancy.ts"

/** A call of the test's agent, of at most 9 minutes and a minute of grace, costs at most 1.00. */
const max_call_seconds = 540
const list: PriceList = {
  currency: "USD",
  carriers: [{ carrier: "lab", prefix: "+", from: "2026-01-01", per_minute: "0.06", increment_seconds: 60 }],
  agent_at_most: [{ from: "2026-01-01", per_minute: "0.04" }],
}
const prices = Result.getOrThrow(compile(list, new Set()))

const Progress = (id: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ readonly spent: number; readonly reserved: number; readonly live: number }>`
      select (cost + written_off)::float8 as spent, reserved::float8, active_calls as live
      from campaign_progress where campaign_id = ${id}`,
  ).pipe(Effect.map(([row]) => row ?? assert.fail("no progress")))

interface Live {
  readonly id: string
  readonly node_id: string
  readonly contact_id: string
}

const liveOf = (id: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql<Live>`select id, node_id, contact_id from calls where campaign_id = ${id} and ended_at is null order by id`,
  )

/** Ends a call that talked for this long. A killed process leaves no record of what the call cost. */
const end = (campaign_id: string, { contact_id, id, node_id }: Live, talked_ms: number, isKilled = false) => {
  const record = new CallRecord()
  record.answered_at = new Date()
  record.talked_ms = talked_ms
  record.words_in_row = isKilled
  record.tariff = prices.tariffOf({ carrier: "lab", direction: "outbound", to: null, at: new Date() })
  const call = {
    ...{ id: CallId.make(id), direction: "outbound" as const, campaign_id, contact_id },
    ...{ attempt_number: 1, to_number: null, from_number: null },
  }
  const outcome = { outcome: "answered", end_reason: isKilled ? "interrupted" : "agent_hung_up" } as const
  return transaction(CallLog.end(node_id, [{ call, end: outcome, ended_at: new Date(), record }]))
}

const minute = 60_000

it.layer(CallsRoom.layer({ env: { LAB_SPEED: "1" } }), { timeout: "120 seconds", excludeTestServices: true })(
  "a campaign with max_spend",
  (it) => {
    const test = <E>(
      name: string,
      body: Effect.Effect<void, E, Calls | CurrentTenant | SqlClient.SqlClient>,
      list: typeof prices | null = prices,
    ) =>
      it.effect(name, () =>
        Effect.gen(function* () {
          const account = yield* newAccount(`m${crypto.randomUUID().slice(0, 8)}`, CallsRoom.wide)
          yield* body.pipe(Effect.provideService(InstallationPrices, list), within(account))
        }),
      )

    /** A running campaign whose agent may talk for nine minutes. */
    const capped = Effect.fnUntraced(function* (
      contacts: number,
      max_spend: string | null,
      slots = contacts,
      fields: object = {},
    ) {
      const kit = yield* CallsRoom.equipWith({ max_call_seconds })
      const id = yield* campaign(kit, contacts, { max_concurrent_calls: slots, max_spend, ...fields })
      yield* Campaigns.markRunning(id)
      return { id, kit }
    })

    test(
      "dials in order as many contacts as their most expensive calls fit, and then waits for money (I18)",
      Effect.gen(function* () {
        const { id } = yield* capped(5, "2.50")
        yield* turn(id)
        assert.deepStrictEqual(yield* dialled(id), [1, 2])
        assert.deepStrictEqual(yield* Progress(id), { spent: 0, reserved: 2, live: 2 })
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(yield* sql`select distinct record -> 'spend' as spend from dial_records`, [
          { spend: { used: "0.00", limit: "2.50" } },
        ])
        assert.deepInclude(yield* Campaigns.find(id), { waiting_for: "spend_cap", max_spend: "2.50" })
        yield* turn(id)
        assert.strictEqual((yield* dialled(id)).length, 2)
      }),
    )

    test(
      "replaces a reservation by the cost when the call ends, and dials on with what is left",
      Effect.gen(function* () {
        const { id } = yield* capped(5, "2.50")
        yield* turn(id)
        const [first] = yield* liveOf(id)
        yield* end(id, first!, 1.5 * minute)
        assert.deepStrictEqual(yield* Progress(id), { spent: 0.12, reserved: 1, live: 1 })
        yield* turn(id)
        assert.deepStrictEqual(yield* dialled(id), [1, 2, 3])
      }),
    )

    test(
      "counts the whole reservation of a call whose process died, since what it cost is not known",
      Effect.gen(function* () {
        const { id } = yield* capped(3, "2.00")
        yield* turn(id)
        const [first, second] = yield* liveOf(id)
        yield* end(id, first!, 0, true)
        yield* end(id, second!, 0)
        assert.deepStrictEqual(yield* Progress(id), { spent: 1, reserved: 0, live: 0 })
        yield* turn(id)
        assert.deepStrictEqual(yield* dialled(id), [1, 2, 3])
      }),
    )

    test(
      "waits for money only if that is what is missing: with a calling window, more contacts are looked at than dialled",
      Effect.gen(function* () {
        const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
        const calling_window = json({ days, start: "00:00", end: "24:00", time_zone: "UTC" })
        const { id } = yield* capped(5, "2.50", 1, { calling_window })
        yield* turn(id)
        assert.deepStrictEqual(yield* dialled(id), [1])
        assert.isNull((yield* Campaigns.find(id)).waiting_for)
      }),
    )

    test(
      "dials no further once a call cost more than was reserved",
      Effect.gen(function* () {
        const { id } = yield* capped(3, "2.00", 1)
        yield* turn(id)
        yield* end(id, (yield* liveOf(id))[0]!, 40 * minute)
        assert.deepStrictEqual(yield* Progress(id), { spent: 2.4, reserved: 0, live: 0 })
        yield* turn(id)
        assert.deepStrictEqual(yield* dialled(id), [1])
      }),
    )

    test(
      "calls no one while the installation has no price list",
      Effect.gen(function* () {
        const { id } = yield* capped(2, "100.00")
        yield* turn(id)
        assert.deepStrictEqual(yield* dialled(id), [])
        assert.strictEqual((yield* Campaigns.find(id)).waiting_for, "spend_cap")
      }),
      null,
    )

    const refusal = (error: SqlError.SqlError) => String(error.reason.cause)
    test(
      "is protected by the table, which takes no call beyond max_spend or without a reservation (I18)",
      Effect.gen(function* () {
        const { id, kit } = yield* capped(2, "1.50")
        const calls = yield* Calls
        const intent = { ...kit.intentTo(numberOf(1)), campaign_id: id }
        const intents = (reserved: object) => Effect.flip(calls.intend([{ ...intent, ...reserved }]))
        assert.include(refusal(yield* intents({ reserved: 1_500_001 })), "max_spend exceeded")
        assert.include(refusal(yield* intents({})), "max_spend exceeded")
        assert.strictEqual((yield* calls.intend([{ ...intent, reserved: 1_500_000 }])).length, 1)
      }),
    )

    test(
      "frees what a call reserved that an administrator deletes, and counts it as spent",
      Effect.gen(function* () {
        const { id } = yield* capped(1, "1.00")
        yield* turn(id)
        const sql = yield* SqlClient.SqlClient
        yield* sql`delete from calls`
        assert.deepStrictEqual(yield* Progress(id), { spent: 1, reserved: 0, live: 0 })
      }),
    )

    test(
      "never spends or reserves more than that, however passes, ends and deaths race (I18)",
      Effect.gen(function* () {
        const contacts = dose(60, 200, 21_000)
        const cap = Math.floor(contacts / 4)
        const { id } = yield* capped(contacts, `${cap}.30`, 12)
        const check = Effect.map(Progress(id), ({ reserved, spent }) =>
          assert.isAtMost(Math.round((spent + reserved) * 1_000_000), (cap + 0.3) * 1_000_000),
        )
        const endOne = (call: Live) =>
          Effect.gen(function* () {
            const kind = yield* Random.nextIntBetween(0, 3)
            yield* end(id, call, (yield* Random.nextIntBetween(0, 10)) * minute, kind === 0)
          })
        for (let live = yield* liveOf(id), quiet = 0; quiet < 3; live = yield* liveOf(id)) {
          const before = (yield* dialled(id)).length
          const passes = [turn(id), turn(id), turn(id)]
          yield* Effect.all([...passes, ...live.map(endOne), check], { concurrency: "unbounded", discard: true })
          yield* check
          quiet = live.length === 0 && (yield* dialled(id)).length === before ? quiet + 1 : 0
        }
        const { live, reserved, spent } = yield* Progress(id)
        assert.deepStrictEqual([live, reserved], [0, 0])
        assert.isAbove(spent, cap + 0.3 - 1)
        assert.isBelow((yield* dialled(id)).length, contacts)
        const sql = yield* SqlClient.SqlClient
        const ours = Invariants.all.filter(({ promise }) => promise === "I18")
        for (const { query } of ours) assert.deepStrictEqual(yield* sql.unsafe(query), [])
      }),
    )
  },
)
