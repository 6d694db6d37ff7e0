/** The guards beneath the code: what the schema refuses, and what happens when an agent or a number is gone. */
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Latch, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import { Calls } from "../../src/calls/Calls.ts"
import * as CampaignBudget from "../../src/campaigns/CampaignBudget.ts"
import * as Campaigns from "../../src/campaigns/Campaigns.ts"
import * as DialTransaction from "../../src/campaigns/dialling/DialTransaction.ts"
import * as CampaignRules from "../../src/catalog/CampaignRules.ts"
import { RulePacks } from "../../src/catalog/RulePacks.ts"
import * as Invariants from "../../src/cli/Invariants.ts"
import { startDue } from "../../src/campaigns/dialling/Schedule.ts"
import { lockBudget } from "../../src/tenancy/BudgetLock.ts"
import type { CurrentTenant } from "../../src/tenancy/CurrentTenant.ts"
import { json } from "../../src/tenancy/Json.ts"
import { transaction } from "../../src/tenancy/Transaction.ts"
import * as CallsRoom from "../support/CallsRoom.ts"
import { insertCampaign } from "../support/InsertCampaign.ts"
import { newAccount, within } from "../support/TestTenancy.ts"

/** `reserve` writes no report; a row that a client could see has one. */
const found = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const report = json({ rows: 0, accepted: 0, duplicates: 0, invalid: 0, errors: [] })
  yield* sql`update campaigns set import = ${report} where id = ${id}`
  return yield* Campaigns.find(id)
})

it.layer(CallsRoom.layer(), { timeout: "120 seconds", excludeTestServices: true })("the guards of dialling", (it) => {
  const test = <E>(name: string, body: Effect.Effect<void, E, Calls | CurrentTenant | SqlClient.SqlClient>) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const account = yield* newAccount(`g${crypto.randomUUID().slice(0, 8)}`, { concurrent_max: 10 })
        yield* body.pipe(within(account))
      }),
    )

  test(
    "of two claims at once that do not both fit, exactly one wins (I4)",
    Effect.gen(function* () {
      const ids = [
        yield* insertCampaign({ max_concurrent_calls: 6 }),
        yield* insertCampaign({ max_concurrent_calls: 6 }),
      ]
      // Neither claims before both have begun: a connection that has to be opened first would tell them apart.
      const both = yield* Latch.make()
      let begun = 0
      const together = Effect.suspend(() => (++begun === ids.length ? both.open : both.await))
      const exits = yield* Effect.all(
        ids.map((id) => Effect.exit(transaction(Effect.andThen(together, CampaignBudget.claim(id, 6))))),
        { concurrency: "unbounded" },
      )
      assert.strictEqual(exits.filter(Exit.isSuccess).length, 1)
      const sql = yield* SqlClient.SqlClient
      assert.strictEqual((yield* sql`select from campaigns where status = 'running'`).length, 1)
    }),
  )

  test(
    "a second live call of a contact, or to a number, does not enter the table (I1)",
    Effect.gen(function* () {
      const { agent_id, intentTo, phone_number_id } = yield* CallsRoom.equip
      const campaign_id = yield* insertCampaign({ agent_id, phone_number_id }, 2)
      const sql = yield* SqlClient.SqlClient
      const [contact] = yield* sql<{ id: string }>`select id from contacts where campaign_id = ${campaign_id} limit 1`
      const calls = yield* Calls
      const ofContact = { campaign_id, contact_id: contact?.id ?? "", attempt_number: 1 }
      const violated = (error: SqlError.SqlError) => error.reason._tag
      yield* calls.intend([{ ...intentTo("+14155551001"), ...ofContact }])
      const again = calls.intend([{ ...intentTo("+14155551002"), ...ofContact, attempt_number: 2 }])
      assert.strictEqual(violated(yield* Effect.flip(again)), "UniqueViolation")
      assert.strictEqual(violated(yield* Effect.flip(calls.intend([intentTo("+14155551001")]))), "UniqueViolation")
    }),
  )

  test(
    "a live call that an administrator's SQL deletes frees its slot, and its contact has failed (I3, I6)",
    Effect.gen(function* () {
      const { agent_id, intentTo, phone_number_id } = yield* CallsRoom.equip
      const campaign_id = yield* insertCampaign({ agent_id, phone_number_id }, 1)
      const sql = yield* SqlClient.SqlClient
      const [contact] = yield* sql<{ id: string }>`select id from contacts where campaign_id = ${campaign_id}`
      const calls = yield* Calls
      const ofContact = { campaign_id, contact_id: contact?.id ?? "", attempt_number: 1 }
      const [call] = yield* calls.intend([{ ...intentTo("+14155551001"), ...ofContact }])
      yield* calls.intend([intentTo("+14155551002")])
      yield* sql`
        update contacts set status = 'in_progress', attempts = 1, last_call_id = ${call?.id ?? ""}
        where campaign_id = ${campaign_id}`
      yield* sql`delete from calls`
      assert.strictEqual(yield* CallsRoom.inUse, 0)
      assert.deepInclude((yield* found(campaign_id)).counts, { in_progress: 0, failed: 1 })
      const broken = Invariants.all.filter(({ promise }) => ["I1", "I2", "I3", "I5", "I6"].includes(promise))
      for (const { query, says } of broken) assert.deepStrictEqual(yield* sql.unsafe(query), [], says)
    }),
  )

  test(
    "a draft freezes its rule packs as the installation has them when it starts, and keeps them",
    Effect.gen(function* () {
      const jurisdiction = { country: "US", state: null }
      const of = (id: string, version: string) => ({ id, version, jurisdiction, rules: [] })
      const installed = (version: string) =>
        Layer.succeed(RulePacks, new Map([["a", { ...of("a", version), name: "A", notice: "-" }]]))
      const id = yield* insertCampaign({
        scheduled_at: new Date(Date.now() - 1_000),
        rule_packs: ["a", "taken-out"],
        rules: json([of("a", "1"), of("taken-out", "1")]),
      })
      yield* transaction(startDue()).pipe(Effect.provide(installed("2")))
      assert.deepInclude(yield* found(id), { status: "running", rule_pack_versions: { a: "2", "taken-out": "1" } })
      yield* transaction(CampaignRules.freezeAll([id])).pipe(Effect.provide(installed("3")))
      assert.deepInclude(yield* found(id), { rule_pack_versions: { a: "2", "taken-out": "1" } })
    }),
  )

  test(
    "a due draft that can never fit blocks no other, and no draft overtakes one that can",
    Effect.gen(function* () {
      const at = (seconds: number) => new Date(Date.now() - seconds * 1_000)
      yield* insertCampaign({ status: "running", max_concurrent_calls: 5 })
      const never = yield* insertCampaign({ scheduled_at: at(40), max_concurrent_calls: 11 })
      const fits = yield* insertCampaign({ scheduled_at: at(30), max_concurrent_calls: 3 })
      const waits = yield* insertCampaign({ scheduled_at: at(20), max_concurrent_calls: 4 })
      const behind = yield* insertCampaign({ scheduled_at: at(10), max_concurrent_calls: 1 })
      assert.deepStrictEqual(yield* transaction(startDue()).pipe(Effect.provide(RulePacks.layer)), {
        started: [fits],
        waiting: 3,
      })
      for (const id of [never, waits, behind]) assert.strictEqual((yield* found(id)).waiting_for, "budget")
    }),
  )

  test(
    "without its agent, its number or a carrier a campaign fails, and its contacts are skipped",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { agent_id, phone_number_id } = yield* CallsRoom.equip
      const nobody = uuidv7()
      const failing = { status: "running", max_concurrent_calls: 1 }
      const without = {
        agent_missing: yield* insertCampaign({ ...failing, agent_id: nobody, phone_number_id }, 2),
        phone_number_missing: yield* insertCampaign({ ...failing, agent_id, phone_number_id: nobody }, 2),
      }
      for (const [reason, id] of Object.entries(without)) {
        yield* found(id)
        assert.strictEqual((yield* Effect.orDie(DialTransaction.runPass(id, 0)))._tag, "Over")
        const { counts, end_reason, status } = yield* found(id)
        assert.deepStrictEqual([status, end_reason], ["failed", reason])
        assert.deepInclude(counts, { skipped: 2, pending: 0 })
        const ends =
          yield* sql`select type, data ->> 'status' as status from event_batches where ${id} = any(subject_ids)
          and type <> 'campaign.started' order by first_seq`
        assert.deepStrictEqual(ends, [
          { type: "campaign.completed", status: "failed" },
          { type: "campaign.failed", status: "failed" },
        ])
      }
      yield* sql`update phone_numbers set carrier = 'twilio' where id = ${phone_number_id}`
      const rejected = yield* insertCampaign({ ...failing, agent_id, phone_number_id }, 1)
      yield* found(rejected)
      yield* Effect.orDie(DialTransaction.runPass(rejected, 0))
      assert.strictEqual((yield* found(rejected)).end_reason, "carrier_rejected")
    }),
  )

  test(
    "after a pause or a stop commits, no intent commits (I7, I8)",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { agent_id, phone_number_id } = yield* CallsRoom.equip
      const id = yield* insertCampaign({ status: "running", max_concurrent_calls: 5, agent_id, phone_number_id }, 5)
      yield* found(id)
      yield* transaction(Effect.andThen(lockBudget(), Campaigns.markPaused(id)))
      assert.strictEqual((yield* Effect.orDie(DialTransaction.runPass(id, 0)))._tag, "Paused")
      yield* transaction(Effect.andThen(lockBudget(), Campaigns.end(id, "stopped")))
      assert.strictEqual((yield* Effect.orDie(DialTransaction.runPass(id, 0)))._tag, "Over")
      assert.deepStrictEqual(yield* sql`select id from calls`, [])
    }),
  )

  test(
    "a dialler whose epoch is out of date writes nothing, and ends no campaign",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { agent_id, phone_number_id } = yield* CallsRoom.equip
      const running = { status: "running", max_concurrent_calls: 5, agent_id, phone_number_id }
      const id = yield* insertCampaign(running, 5)
      const finished = yield* insertCampaign(running, 0)
      yield* sql`update campaigns set epoch = 2`
      for (const each of [id, finished]) {
        yield* found(each)
        assert.strictEqual((yield* Effect.orDie(DialTransaction.runPass(each, 1)))._tag, "Lost")
        assert.strictEqual((yield* found(each)).status, "running")
      }
      assert.deepStrictEqual(yield* sql`select id from calls`, [])
      assert.strictEqual((yield* Effect.orDie(DialTransaction.runPass(id, 2)))._tag, "Wait")
      assert.strictEqual((yield* sql`select id from calls`).length, 5)
    }),
  )
})
