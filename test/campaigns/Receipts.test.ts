/** Receipts of dials: what proves that nothing was changed, and what finds that something was. On a real database. */
import { assert, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Schedule, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import { readFileSync } from "node:fs"
import { Calls } from "../../src/calls/Calls.ts"
import * as Consents from "../../src/catalog/Consents.ts"
import * as RuleContents from "../../src/catalog/RuleContents.ts"
import * as Hashes from "../../src/campaigns/receipts/ReceiptHashes.ts"
import * as ReceiptSealer from "../../src/campaigns/receipts/ReceiptSealer.ts"
import * as Receipts from "../../src/campaigns/Receipts.ts"
import * as Invariants from "../../src/cli/Invariants.ts"
import { ReceiptLine } from "../../src/domain/Receipt.ts"
import { ReceiptCheck } from "../../src/domain/ReceiptCheck.ts"
import { replay } from "../../src/domain/ReceiptReplay.ts"
import { freeze, type RulePack } from "../../src/domain/RulePack.ts"
import * as CallRemoval from "../../src/erasure/CallRemoval.ts"
import type { CurrentTenant } from "../../src/tenancy/CurrentTenant.ts"
import { ownersPool } from "../../src/tenancy/DatabaseServer.ts"
import { DatabaseServers } from "../../src/tenancy/DatabaseServers.ts"
import { json } from "../../src/tenancy/Json.ts"
import { transaction } from "../../src/tenancy/Transaction.ts"
import * as CallsRoom from "../support/CallsRoom.ts"
import { campaign, numberOf, turn } from "../support/DialPasses.ts"
import { newAccount, within } from "../support/TestTenancy.ts"
import { runAll, keepRows, columns, chosen, changed, attacks, rewritings } from "./ReceiptTampering.ts"

const packs: ReadonlyArray<RulePack> = [JSON.parse(readFileSync("test/bench/rules/every-kind.json", "utf8"))]
const window = {
  days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
  start: "00:00",
  end: "24:00",
  time_zone: "contact",
}

const lines = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const read = Receipts.lines({ from: null, to: null }, Effect.provideService(SqlClient.SqlClient, sql))
  return [...(yield* Stream.runCollect(read))]
})

const check = (lines: ReadonlyArray<string>, noted?: string) => {
  const found = new ReceiptCheck({ ...Hashes, digestOf: RuleContents.digestOf }, noted)
  for (const line of lines) found.add(line)
  found.end()
  return found
}

/** What the lines and the rows of the account show, as `parley receipts verify --account` does. */
const verify = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = check(yield* lines)
  for (const { query, says } of Invariants.all.filter(({ promise }) => promise === "receipts")) {
    const rows = yield* sql.unsafe<{ evidence: string }>(query)
    found.faults.push(...rows.map(({ evidence }) => `${says}: ${evidence}`))
  }
  return found
})

/** Dials a campaign of every kind of decision that a record can have, and seals it. */
const dialAndSeal = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const kit = yield* CallsRoom.equip
  const consented = [1, 2, 3].map((position) => ({
    phone_number: numberOf(position),
    basis: "express" as const,
    at: "2026-01-01T00:00:00.000Z",
  }))
  yield* Consents.record(consented)
  const rules = packs.map(({ id, jurisdiction, rules, version }) => ({ id, jurisdiction, rules, version }))
  const first = yield* campaign(kit, 3, {
    required_consent: json({ basis: ["express"] }),
    calling_window: json(window),
    rules: json(rules),
  })
  yield* turn(first)
  yield* ReceiptSealer.seal()
  yield* sql`delete from live_calls`
  // The same numbers again: their earlier attempts count.
  const second = yield* campaign(kit, 2, { rules: json(rules), calling_window: json(window) })
  yield* turn(second)
  yield* ReceiptSealer.seal()
})

it.layer(CallsRoom.layer({ env: { LAB_SPEED: "1" } }), { timeout: "120 seconds", excludeTestServices: true })(
  "the receipts of dials",
  (it) => {
    const test = <E>(
      name: string,
      body: (owner: SqlClient.SqlClient) => Effect.Effect<void, E, Calls | CurrentTenant | SqlClient.SqlClient>,
    ) =>
      it.effect(name, () =>
        Effect.gen(function* () {
          const account = yield* newAccount(`c${crypto.randomUUID().slice(0, 8)}`, { concurrent_max: 50 })
          const url = yield* DatabaseServers.use(({ urlOf }) => urlOf(account))
          const asOwner = ownersPool({ url, name: "parley:test", maxConnections: 1 })
          yield* Effect.gen(function* () {
            const owner = Context.get(yield* Layer.build(asOwner), SqlClient.SqlClient)
            yield* body(owner).pipe(within(account))
          }).pipe(Effect.scoped)
        }),
      )

    test("show each decision once, in an unbroken chain, and each is made again with the same result", () =>
      Effect.gen(function* () {
        yield* dialAndSeal
        const found = yield* verify
        assert.deepStrictEqual(found.faults, [])
        assert.deepInclude(found, { seals: 2, receipts: 5, replayed: 5, notReplayable: 0, late: 0 })
        assert.deepStrictEqual(found.head, { seal: 2, hash: (yield* Receipts.head()).hash })
      }))

    test("cover a direct call that was judged, whose decision is made again from its facts", () =>
      Effect.gen(function* () {
        const { agent_id, phone_number_id } = yield* CallsRoom.equip
        const to = numberOf(1)
        yield* Consents.record([{ phone_number: to, basis: "express", at: "2026-01-01T00:00:00.000Z" }])
        const request = {
          agent_id,
          phone_number_id,
          to,
          subject: "Roofs",
          required_consent: { basis: ["express"] },
        } as const
        const rules = packs.map(freeze)
        yield* Calls.use(({ place }) => place(request, rules))
        yield* ReceiptSealer.seal()
        const found = yield* verify
        assert.deepStrictEqual(found.faults, [])
        assert.deepInclude(found, { seals: 1, receipts: 1, replayed: 1, notReplayable: 0 })
        const line = (yield* lines).find((line) => line.includes(to)) ?? assert.fail("no receipt")
        const { receipt } = Schema.decodeUnknownSync(Schema.fromJsonString(ReceiptLine))(line)
        const { decision, ...call } = receipt ?? assert.fail("no receipt")
        const again = (change: Schema.JsonObject) =>
          replay({ ...call, decision: { ...decision, ...change } }, () => rules)
        assert.deepStrictEqual(again({}), { _tag: "Same" })
        const full = { concurrent_cap: { used: 3, limit: 3 } }
        for (const change of [
          { rule: "first_attempt" },
          { attempt: 2 },
          { consent: null },
          { do_not_call: true },
          { caps: full },
        ]) {
          assert.strictEqual(again(change)._tag, "Differs", JSON.stringify(change))
        }
        assert.strictEqual(replay({ ...call, campaign_id: agent_id, decision }, () => rules)._tag, "Differs")
      }))

    test("show any change of any column of a decision, a receipt, a seal or a rule pack", (owner) =>
      Effect.gen(function* () {
        yield* dialAndSeal
        const restore = yield* keepRows(owner)
        let changes = 0
        for (const { column, kind, table } of yield* columns(owner)) {
          const rows = yield* owner.unsafe<{ value: string | null }>(
            `select ${column}::text as value from ${table} where ${chosen(table)}`,
          )
          const numRuns = kind === "jsonb" || kind === "bytea" ? 2 : 1
          const places = fc.sample(fc.tuple(fc.nat(), fc.constantFrom(...rows)), { numRuns, seed: 7 })
          for (const [seed, { value: before }] of places) {
            const value = changed(before, kind, seed)
            const where = before === null ? `${column} is null` : `${column}::text = $2`
            yield* owner.unsafe(
              `update ${table} set ${column} = $1::text::${kind}
               where ctid = (select ctid from ${table} where ${chosen(table)} and ${where} limit 1)`,
              before === null ? [value] : [value, before],
            )
            const { faults } = yield* verify
            assert.isNotEmpty(faults, `${table}.${column}: ${before} became ${value}`)
            yield* restore
            changes++
          }
        }
        assert.isAbove(changes, 35)
        assert.deepStrictEqual((yield* verify).faults, [])
      }))

    test("show rows that were deleted, added or exchanged", (owner) =>
      Effect.gen(function* () {
        yield* dialAndSeal
        const restore = yield* keepRows(owner)
        const noted = (yield* Receipts.head()).hash
        for (const attack of attacks) {
          yield* runAll(owner, attack)
          assert.isNotEmpty((yield* verify).faults, attack)
          yield* restore
        }
        for (const rewriting of rewritings) {
          yield* runAll(owner, rewriting)
          yield* ReceiptSealer.seal()
          assert.deepStrictEqual((yield* verify).faults, [], rewriting)
          assert.match(check(yield* lines, noted).faults.join(), /no seal has the noted hash/, rewriting)
          yield* restore
        }
        assert.deepStrictEqual(check(yield* lines, noted).faults, [])
      }))

    test("show any changed byte of the file", () =>
      Effect.gen(function* () {
        yield* dialAndSeal
        const whole = yield* lines
        assert.deepStrictEqual(check(whole).faults, [])
        const places = fc.sample(fc.tuple(fc.nat(whole.length - 1), fc.nat(), fc.constantFrom("0", "x", '"', "}")), 80)
        for (const [line, at, letter] of places) {
          const text = whole[line] ?? ""
          const place = at % text.length
          if (text[place] === letter) continue
          const broken = whole.with(line, text.slice(0, place) + letter + text.slice(place + 1))
          assert.isNotEmpty(check(broken).faults, broken[line])
        }
        for (const [line, text] of whole.entries()) {
          assert.isNotEmpty(check(whole.toSpliced(line, 1)).faults, text)
        }
      }))

    test("are given to each committed decision once, whatever runs beside the sealers and however they are killed", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const kit = yield* CallsRoom.equip
        const ids = yield* Effect.forEach([0, 1, 2, 3, 4, 5], () => campaign(kit, 4))
        const dial = (id: string) => Effect.andThen(sql`delete from live_calls`, turn(id))
        const erase = Effect.gen(function* () {
          const calls = yield* sql<{ id: string }>`
            update calls set status = 'completed', ended_at = clock_timestamp()
            where id in (select id from calls where ended_at is null limit 1) returning id`
          yield* transaction(CallRemoval.remove({ ids: calls.map(({ id }) => id), seqs: [] }))
        })
        const sealers = fc
          .sample(fc.integer({ min: 1, max: 12 }), { numRuns: 12, seed: 3 })
          .map((milliseconds) => ReceiptSealer.seal().pipe(Effect.timeoutOption(milliseconds)))
        const erasures = Array.from({ length: 4 }, () => erase)
        yield* Effect.all([...ids.map(dial), ...sealers, ...erasures], { concurrency: 8, discard: true })
        yield* ReceiptSealer.seal()
        const found = yield* verify
        assert.deepStrictEqual(found.faults, [])
        const [sealed] = yield* sql`
          select count(*)::int as calls, count(distinct r.seq)::int as receipts
          from calls c join receipts r on r.call_id = c.id`
        const [calls] = yield* sql<{ count: number }>`select count(*)::int from calls`
        assert.deepStrictEqual(sealed, { calls: calls?.count, receipts: calls?.count })
      }))

    test("are sealed a few at first, so that a sealer without the time for all of them seals some", (owner) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`
          insert into dial_records (id, record)
          select uuid_at(now() + n * interval '1 s'), jsonb_build_object('decided_at', now()) from generate_series(1, 60) n`
        const [locked, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const holder = yield* owner`
          select from dial_records where id = (select id from dial_records order by id offset 29 limit 1) for update`.pipe(
          Effect.andThen(Deferred.succeed(locked, undefined)),
          Effect.andThen(Deferred.await(release)),
          owner.withTransaction,
          Effect.forkChild,
        )
        yield* Deferred.await(locked)
        const sealed = sql<{ count: number }>`select count(*)::int from dial_records where sealed`.pipe(
          Effect.map(([row]) => row?.count),
        )
        const sealer = yield* Effect.forkChild(ReceiptSealer.seal())
        yield* Effect.repeat(sealed, { schedule: Schedule.spaced("20 millis"), until: (count) => count === 20 })
        yield* Deferred.succeed(release, undefined)
        yield* Fiber.join(holder)
        yield* Fiber.join(sealer)
        assert.strictEqual(yield* sealed, 60)
      }))

    test("keep the hash of an erased decision and nothing of its content", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* dialAndSeal
        const before = yield* Receipts.head()
        const ended = yield* sql<{ id: string }>`
          update calls set status = 'completed', ended_at = clock_timestamp()
          where campaign_id = (select campaign_id from calls order by id limit 1) returning id`
        const ids = ended.map(({ id }) => id)
        const remove = (ids: ReadonlyArray<string>) => transaction(CallRemoval.remove({ ids, seqs: [] }))
        yield* remove(ids.slice(0, 1))
        const one = yield* verify
        assert.deepStrictEqual(one.faults, [])
        assert.deepInclude(one, { receipts: 5, replayed: 4, erased: 1, pruned: 0 })
        assert.notInclude((yield* lines).join(), String(ids[0]))
        // All of the seal is deleted: its leaves go, and its hash stays in the chain.
        yield* remove(ids.slice(1))
        assert.deepStrictEqual(yield* sql`select prune_receipts(200) as seals`, [{ seals: 1 }])
        const later = yield* verify
        assert.deepStrictEqual(later.faults, [])
        assert.deepInclude(later, { seals: 2, receipts: 2, replayed: 2, erased: 0, pruned: 3 })
        assert.deepStrictEqual(yield* Receipts.head(), before)
        assert.deepStrictEqual(check(yield* lines, before.hash).faults, [])
      }))

    test("cannot be changed by the account's role, and a deleted campaign takes its decisions along", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* dialAndSeal
        for (const change of [
          ...["update receipts set nonce = decode(repeat('00', 16), 'hex')", "update receipts set seq = seq + 100"],
          ...["delete from receipts", "update receipt_seals set count = 1", "delete from receipt_seals"],
          ...["delete from rule_contents", "update rule_contents set packs = '[]'"],
          ...["update dial_records set record = '{}'", "update dial_records set sealed = false"],
        ]) {
          assert.isTrue(Exit.isFailure(yield* Effect.exit(sql.unsafe(change))), change)
        }
        yield* sql`update calls set status = 'completed', ended_at = clock_timestamp()`
        yield* sql`delete from campaigns`
        const found = yield* verify
        assert.deepStrictEqual(found.faults, [])
        assert.deepInclude(found, { receipts: 5, replayed: 0, erased: 5 })
      }))

    test("of decisions of an earlier release are counted as not replayable", (owner) =>
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        yield* turn(yield* campaign(kit, 1))
        yield* owner`delete from live_calls`
        yield* owner`update dial_records set record = record - 'data'`
        yield* turn(yield* campaign(kit, 1))
        yield* runAll(
          owner,
          "alter table dial_records disable trigger user; update dial_records set record = record - array['data', 'decided_at'] where record ? 'data'",
        )
        yield* ReceiptSealer.seal()
        const found = yield* verify
        assert.deepStrictEqual(found.faults, [])
        assert.deepInclude(found, { receipts: 2, replayed: 0, notReplayable: 2 })
      }))
  },
)
