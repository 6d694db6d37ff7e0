/** Caps on spending beneath the dial passes: what is reserved, spent and refused (decisions 0079 and 0083). */
import { assert, it } from "@effect/vitest"
import { Effect, Logger, Random, References } from "effect"
import { SqlClient } from "effect/sql"
import { Calls } from "../../src/calls/Calls.ts"
import * as HandoverLeg from "../../src/calls/live/HandoverLeg.ts"
import * as AccountOverview from "../../src/campaigns/AccountOverview.ts"
import * as Campaigns from "../../src/campaigns/Campaigns.ts"
import * as SnapshotQuery from "../../src/campaigns/SnapshotQuery.ts"
import { InstallationPrices } from "../../src/catalog/PriceFile.ts"
import { PhoneNumberId } from "../../src/domain/PhoneNumber.ts"
import type { CurrentTenant } from "../../src/tenancy/CurrentTenant.ts"
import { json } from "../../src/tenancy/Json.ts"
import * as CallsRoom from "../support/CallsRoom.ts"
import { dialled, numberOf, turn } from "../support/DialPasses.ts"
import { dose } from "../support/Dose.ts"
import {
  capDay,
  capped,
  refusal,
  day,
  direct,
  end,
  keepsI18,
  type Live,
  liveOf,
  max_call_seconds,
  minute,
  prices,
  Progress,
  withoutAgent,
} from "../support/Spending.ts"
import { newAccount, within } from "../support/TestTenancy.ts"

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
      "counts a lost call with the most that it may have cost by the length that its carrier gives, and releases the rest",
      Effect.gen(function* () {
        const { id } = yield* capped(3, "1.50")
        yield* turn(id)
        yield* end(id, (yield* liveOf(id))[0]!, 0, true, 90_000)
        assert.deepStrictEqual(yield* Progress(id), { spent: 0.18, reserved: 0, live: 0 })
        const sql = yield* SqlClient.SqlClient
        const parts = yield* sql`
          select c.cost, c.written_off::float8, p.cost_parts from calls c, campaign_progress p`
        const cost = { amount: 0.12, currency: "USD", parts: { telephony: 0.12 } }
        assert.deepStrictEqual<unknown>(parts, [{ cost, written_off: 0.06, cost_parts: { parts: cost.parts } }])
        yield* turn(id)
        assert.deepStrictEqual(yield* dialled(id), [1, 2])
        yield* keepsI18
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
      "calls no one while the installation has no price list, and says so once, until it has one",
      Effect.gen(function* () {
        const { id } = yield* capped(2, "1.50")
        const logged: Array<unknown> = []
        const logger = Logger.make(({ fiber, message }) => {
          if (!String(message).includes("a price is missing")) return
          logged.push(fiber.getRef(References.CurrentLogAnnotations))
        })
        const missing =
          "The campaign's max_spend cannot be kept: this installation has no price list. Set PARLEY_PRICES_FILE (docs/costs.md) and restart Parley, or leave out max_spend."
        yield* Effect.repeat(turn(id), { times: 1 }).pipe(
          Effect.provide(Logger.layer([logger])),
          Effect.provideService(References.MinimumLogLevel, "Warn"),
        )
        assert.deepStrictEqual(yield* dialled(id), [])
        assert.deepInclude(yield* Campaigns.find(id), { waiting_for: "spend_cap", waiting_detail: missing })
        const waits = (yield* SnapshotQuery.observe(id)).snapshot
        assert.deepInclude(waits, { waiting_for: "spend_cap", missing_price: missing })
        const needy = (yield* AccountOverview.needy()).find((campaign) => campaign.id === id)
        assert.deepInclude(needy, { waiting_for: "spend_cap", missing_price: missing })
        assert.deepInclude(logged, { campaign: id, cap: "max_spend", why: missing })
        assert.strictEqual(logged.length, 1)
        yield* Effect.provideService(turn(id), InstallationPrices, prices)
        assert.deepStrictEqual(yield* dialled(id), [1])
        const { snapshot } = yield* SnapshotQuery.observe(id)
        assert.deepInclude(snapshot, { waiting_for: "spend_cap" })
        assert.notProperty(snapshot, "missing_price")
        assert.include((yield* Campaigns.find(id)).waiting_detail, "does not cover the next call")
      }),
      null,
    )

    test(
      "names the price that today's list lacks for the account's daily_spend_cap",
      Effect.gen(function* () {
        yield* capDay("9")
        const { id } = yield* capped(1, null)
        yield* turn(id)
        const { waiting_detail, waiting_for } = yield* Campaigns.find(id)
        assert.strictEqual(waiting_for, "spend_cap")
        assert.include(waiting_detail, "The account's daily_spend_cap cannot be kept: in today's price list")
        assert.include(waiting_detail, "agent_at_most has no price")
      }),
      withoutAgent,
    )

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
        yield* keepsI18
      }),
    )

    test(
      "refuses the second call of a warm transfer with a reason for each cap, which the agent is told",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { intentTo } = yield* CallsRoom.equip
        const [first] = yield* direct(intentTo(numberOf(1)), undefined)
        const number = {
          id: PhoneNumberId.make(first!.phone_number_id!),
          number: "+14155550100",
          carrier: "lab" as const,
          carrier_config: {},
          min_seconds_between_calls: null,
        }
        const handed = { call: first!, kit: { agent: { max_call_seconds } }, number }
        const { node_id } = (yield* liveOf(null))[0]!
        const transfer = (list: typeof prices | null) => HandoverLeg.intend(node_id, list, handed, numberOf(2))
        yield* capDay("0.99")
        assert.strictEqual(yield* transfer(prices), "spend_cap")
        assert.strictEqual(yield* transfer(null), "no_price")
        const under = (caps: object) =>
          Effect.andThen(sql`update budget set ${sql.update({ ...CallsRoom.wide, ...caps })}`, transfer(prices))
        assert.strictEqual(yield* under({ calls_per_day: 1 }), "daily_cap")
        assert.strictEqual(yield* under({ calls_per_minute: 1 }), "per_minute_cap")
        assert.strictEqual(yield* under({ concurrent_max: 1 }), "no_slot")
        assert.strictEqual((yield* liveOf(null)).length, 1)
        yield* capDay("1")
        assert.deepInclude(yield* under({}), { to_number: numberOf(2) })
        assert.deepStrictEqual(yield* day, { spent: 0, reserved: 1 })
      }),
    )
  },
)
