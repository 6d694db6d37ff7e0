/** The cap on what an account spends in a day, beneath the dial passes (decision 0083). */
import { assert, it } from "@effect/vitest"
import { Effect, Random } from "effect"
import { SqlClient } from "effect/sql"
import type { Calls } from "../../src/calls/Calls.ts"
import { admit } from "../../src/calls/ledger/Admission.ts"
import * as CallLog from "../../src/calls/ledger/CallLog.ts"
import * as Campaigns from "../../src/campaigns/Campaigns.ts"
import { InstallationPrices } from "../../src/catalog/PriceFile.ts"
import { PhoneNumberId } from "../../src/domain/PhoneNumber.ts"
import type { CurrentTenant } from "../../src/tenancy/CurrentTenant.ts"
import { transaction } from "../../src/tenancy/Transaction.ts"
import * as CallsRoom from "../support/CallsRoom.ts"
import { dialled, numberOf, turn } from "../support/DialPasses.ts"
import { dose } from "../support/Dose.ts"
import {
  capDay,
  capped,
  cappedOf,
  refusal,
  day,
  direct,
  end,
  keepsI18,
  type Live,
  liveOf,
  minute,
  prices,
} from "../support/Spending.ts"
import { newAccount, within } from "../support/TestTenancy.ts"

it.layer(CallsRoom.layer({ env: { LAB_SPEED: "1" } }), { timeout: "120 seconds", excludeTestServices: true })(
  "an account with a daily_spend_cap",
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
      "shares the account's daily_spend_cap with the other campaigns, and says which cap it waits for (I18)",
      Effect.gen(function* () {
        yield* capDay("3.50")
        const first = yield* capped(2, "9")
        const second = { id: yield* cappedOf(first.kit, 5, { max_concurrent_calls: 5 }, "3") }
        yield* turn(first.id)
        yield* turn(second.id)
        assert.deepStrictEqual([yield* dialled(first.id), yield* dialled(second.id)], [[1, 2], [1]])
        assert.deepStrictEqual(yield* day, { spent: 0, reserved: 3 })
        const waits = yield* Campaigns.find(second.id)
        assert.strictEqual(waits.waiting_for, "spend_cap")
        assert.include(waits.waiting_detail, "daily_spend_cap")
        assert.isNull((yield* Campaigns.find(first.id)).waiting_for)
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(
          yield* sql`select distinct record -> 'daily_spend' as spend from dial_records order by 1`,
          [{ spend: { used: "0.00", limit: "3.50" } }, { spend: { used: "2.00", limit: "3.50" } }],
        )
        yield* end(first.id, (yield* liveOf(first.id))[0]!, 3 * minute)
        assert.deepStrictEqual(yield* day, { spent: 0.18, reserved: 2 })
        yield* turn(second.id)
        assert.deepStrictEqual(yield* dialled(second.id), [1, 2])
        yield* capDay("9")
        yield* turn(second.id)
        assert.strictEqual((yield* dialled(second.id)).length, 5)
        yield* keepsI18
      }),
    )

    test(
      "counts a call on the day on which it began, also if the call ends on the next",
      Effect.gen(function* () {
        yield* capDay("2.00")
        const { id } = yield* capped(5, null)
        yield* turn(id)
        const sql = yield* SqlClient.SqlClient
        const reading = Effect.map(transaction(admit(0)), ({ daily_spend }) => daily_spend)
        assert.deepStrictEqual(yield* reading, { limit: 2_000_000, spent: 0, reserved: 2_000_000 })
        yield* sql`update budget set day = day - 1`
        assert.deepStrictEqual(yield* reading, { limit: 2_000_000, spent: 0, reserved: 0 })
        const [first, second] = yield* liveOf(id)
        // No call has begun today, so the budget's figures are still those of yesterday.
        yield* end(id, first!, 5 * minute)
        assert.deepStrictEqual(yield* day, { spent: 0.3, reserved: 1 })
        yield* turn(id)
        assert.deepStrictEqual(yield* dialled(id), [1, 2, 3, 4])
        yield* end(id, second!, 5 * minute)
        assert.deepStrictEqual(yield* day, { spent: 0, reserved: 2 })
        yield* keepsI18
      }),
    )

    test(
      "is protected by the table against a dial beyond the account's cap or without a reservation, and takes incoming calls (I18)",
      Effect.gen(function* () {
        yield* capDay("1.50")
        const { intentTo } = yield* CallsRoom.equip
        const refused = (reserved: number | undefined) =>
          Effect.map(Effect.flip(direct(intentTo(numberOf(1)), reserved)), (error) =>
            assert.include(refusal(error), "daily_spend_cap exceeded"),
          )
        yield* refused(1_500_001)
        yield* refused(undefined)
        yield* direct(intentTo(numberOf(1)), 1_500_000)
        const { agent_id, agent_name, from_number, phone_number_id } = intentTo(numberOf(2))
        const caller = {
          phone_number_id: PhoneNumberId.make(phone_number_id),
          to_number: from_number,
          from_number: numberOf(2),
        }
        const agent = { agent_id, agent_name, agent_version: 1, variables: {} }
        const { node_id } = (yield* liveOf(null))[0]!
        const { id } = yield* CallLog.arrive(node_id, { direction: "inbound", ...agent, ...caller })
        yield* end(null, { id, node_id, contact_id: null }, 25 * minute)
        assert.deepStrictEqual(yield* day, { spent: 1.5, reserved: 1.5 })
        yield* keepsI18
      }),
    )

    test(
      "never spends or reserves more than the account's cap, however passes, direct calls, ends and deaths race (I18)",
      Effect.gen(function* () {
        const contacts = dose(16, 100, 10_000)
        const cap = contacts + 0.3
        yield* capDay(String(cap))
        const { id, kit } = yield* capped(contacts, null, 6)
        const others = [
          yield* cappedOf(kit, contacts, { max_concurrent_calls: 6, max_spend: "999999" }, "3"),
          yield* cappedOf(kit, contacts, { max_concurrent_calls: 6 }, "4"),
        ]
        const check = Effect.map(day, ({ reserved, spent }) =>
          assert.isAtMost(Math.round((spent + reserved) * 1_000_000), Math.round(cap * 1_000_000)),
        )
        const sql = yield* SqlClient.SqlClient
        const all = sql<Live & { readonly campaign_id: string | null }>`
          select id, node_id, contact_id, campaign_id from calls where ended_at is null order by id`
        const endOne = ({ campaign_id, ...call }: Effect.Success<typeof all>[number]) =>
          Effect.gen(function* () {
            const kind = yield* Random.nextIntBetween(0, 4)
            const talked = (yield* Random.nextIntBetween(0, 10)) * minute
            yield* end(campaign_id, call, talked, kind < 2, kind === 0 ? talked : null)
          })
        const begun = Effect.map(
          sql<{ count: number }>`select count(*)::int as count from calls`,
          ([row]) => row!.count,
        )
        let place = 0
        const call = Effect.suspend(() => {
          place += 1
          return Effect.option(direct(kit.intentTo(`+1415666${place}`), 1_000_000))
        })
        for (let live = yield* all, quiet = 0; quiet < 3; live = yield* all) {
          const before = yield* begun
          const passes = [id, ...others].flatMap((each) => [turn(each), turn(each)])
          const racing = [...passes, call, call, ...live.map(endOne), check]
          yield* Effect.all(racing, { concurrency: "unbounded", discard: true })
          yield* check
          quiet = live.length === 0 && (yield* begun) === before ? quiet + 1 : 0
        }
        const { reserved, spent } = yield* day
        assert.strictEqual(reserved, 0)
        assert.isAbove(spent, cap - 1)
        yield* keepsI18
      }),
    )
  },
)
