/** Which entries of the do-not-call list forbid a call about a subject, and what a wish in a call writes (decision 0089). */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import type { Calls } from "../../src/calls/Calls.ts"
import * as CallLog from "../../src/calls/ledger/CallLog.ts"
import * as ErasedNumbers from "../../src/catalog/ErasedNumbers.ts"
import * as SubjectSuppressions from "../../src/catalog/SubjectSuppressions.ts"
import * as Suppressions from "../../src/catalog/Suppressions.ts"
import { CallRecord } from "../../src/conversation/CallRecord.ts"
import { CallId } from "../../src/domain/Call.ts"
import type { CurrentTenant } from "../../src/tenancy/CurrentTenant.ts"
import { transaction } from "../../src/tenancy/Transaction.ts"
import * as CallsRoom from "../support/CallsRoom.ts"
import { campaign, dialled, numberOf, turn } from "../support/DialPasses.ts"
import { newAccount, within } from "../support/TestTenancy.ts"

const number = numberOf(1)
const entry = fc.record({
  subject: fc.constantFrom(null, "Solar", "solar", "Wind"),
  ends: fc.constantFrom(null, "2020-01-01T00:00:00Z", "2090-01-01T00:00:00Z", "2095-01-01T00:00:00Z"),
})
type Entry = typeof entry extends fc.Arbitrary<infer A> ? A : never
const asked = fc.constantFrom(null, "SOLAR", "Wind", "Water")

/** When the last entry that forbids calls about the subject ends, by the words of docs/opt-out.md; 0 if none does. */
const forbiddenUntil = (entries: ReadonlyArray<Entry>, about: string | null): number => {
  // A later entry for the same subject replaces the earlier one.
  const kept = new Map(entries.map(({ ends, subject }) => [subject?.toLowerCase() ?? null, ends]))
  const ends = [...kept].flatMap(([subject, ends]) =>
    subject === null || about === null || subject === about.toLowerCase()
      ? [ends === null ? Infinity : Date.parse(ends)]
      : [],
  )
  return Math.max(0, ...ends.filter((end) => end > Date.now()))
}

it.layer(CallsRoom.layer({ env: { LAB_SPEED: "1" } }), { timeout: "120 seconds", excludeTestServices: true })(
  "an entry of the do-not-call list for one subject",
  (it) => {
    const test = <E>(name: string, body: Effect.Effect<void, E, Calls | CurrentTenant | SqlClient.SqlClient>) =>
      it.effect(name, () =>
        Effect.gen(function* () {
          const account = yield* newAccount(`o${crypto.randomUUID().slice(0, 8)}`, { concurrent_max: 10 })
          yield* body.pipe(within(account))
        }),
      )

    test(
      "forbids calls about it and about anything, whatever else the list has, and erasure loosens nothing",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const column = sql`${number}::text`
        const isForbidden = Effect.fnUntraced(function* (subject: string | null) {
          const condition = yield* SubjectSuppressions.isForbidden(column, sql`${subject}::text`)
          return (yield* sql`select where ${condition}`).length > 0
        })
        const cases = fc.sample(fc.tuple(fc.array(entry, { maxLength: 4 }), asked), { numRuns: 60, seed: 7 })
        let forbidden = 0
        for (const [entries, about] of cases) {
          yield* Effect.ignore(
            transaction(
              Effect.gen(function* () {
                for (const { ends, subject } of entries) {
                  const expires_at = ends === null ? null : new Date(ends)
                  yield* Suppressions.add({ phone_number: number, source: "api", subject, expires_at })
                }
                const until = forbiddenUntil(entries, about)
                const says = JSON.stringify({ entries, about })
                assert.strictEqual(yield* isForbidden(about), until > 0, says)
                const [named] = yield* sql<{ expires_at: Date | null }>`
                  select expires_at from ${yield* SubjectSuppressions.entryFor(column, sql`${about}::text`)}`
                if (until > 0) {
                  forbidden++
                  assert.strictEqual(named?.expires_at?.getTime() ?? Infinity, until, says)
                }
                yield* ErasedNumbers.erase(number)
                assert.strictEqual(yield* isForbidden(about), forbiddenUntil(entries, null) > 0, `erased ${says}`)
                return yield* Effect.fail("roll back")
              }),
            ),
          )
        }
        assert.isAbove(forbidden, 8)
      }),
    )

    test(
      "decides with the transaction that commits first: the wish before the dial, or the dial (I12)",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const sql = yield* SqlClient.SqlClient
        const add = (position: number) =>
          Suppressions.add({ phone_number: numberOf(position), source: "api", subject: "Solar" })
        const [isWritten, mayCommit] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const adding = yield* Effect.forkChild(
          transaction(
            Effect.gen(function* () {
              yield* add(1)
              yield* Deferred.succeed(isWritten, undefined)
              yield* Deferred.await(mayCommit)
            }),
          ),
        )
        yield* Deferred.await(isWritten)
        yield* add(2)
        const solar = yield* campaign(kit, 3, { subject: "solar" })
        yield* turn(solar)
        assert.deepStrictEqual(yield* dialled(solar), [1, 3])
        yield* Deferred.succeed(mayCommit, undefined)
        yield* Fiber.join(adding)
        yield* sql`delete from live_calls`
        const [wind, any, again] = [
          yield* campaign(kit, 2, { subject: "Wind" }),
          yield* campaign(kit, 2),
          yield* campaign(kit, 2, { subject: "SOLAR" }),
        ]
        yield* turn(again)
        yield* turn(any)
        assert.deepStrictEqual([yield* dialled(again), yield* dialled(any)], [[], []])
        yield* turn(wind)
        assert.deepStrictEqual(yield* dialled(wind), [1, 2])
      }),
    )

    test(
      "is written with the end of the call if it was not before, for the subject of the call's campaign",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const sql = yield* SqlClient.SqlClient
        const ids = [
          yield* campaign(kit, 1, { subject: "Solar", opt_out_scope: "subject" }),
          yield* campaign(kit, 1, { opt_out_scope: "subject" }),
        ]
        yield* Suppressions.add({
          phone_number: number,
          source: "api",
          reason: "by letter",
          subject: "SOLAR",
          expires_at: new Date("2020-01-01T00:00:00Z"),
        })
        // An entry for a subject forbids calls without one, so the second campaign calls another number.
        const other = numberOf(2)
        yield* sql`update contacts set phone_number = ${other} where campaign_id = ${ids[1]}`
        // The wish is for all numbers of the person.
        yield* sql`update contacts set additional_numbers = array[${numberOf(3)}] where campaign_id = ${ids[0]}`
        for (const [at, id] of ids.entries()) {
          yield* turn(id)
          const [row] = yield* sql<{ id: string; node_id: string; started_at: Date; contact_id: string }>`
            select id, node_id, started_at, contact_id from calls where campaign_id = ${id}`
          if (row === undefined) return assert.fail("no call")
          const call = {
            ...kit.intentTo(at === 0 ? number : other),
            ...row,
            id: CallId.make(row.id),
            direction: "outbound" as const,
          }
          const record = new CallRecord()
          record.wantsNoCalls({ by: "words", at: new Date(), at_ms: 0 })
          const report = {
            call,
            end: { outcome: "answered" as const, end_reason: "opted_out" as const },
            ended_at: new Date(),
            record,
          }
          // A second report of the same call writes the same.
          yield* transaction(Effect.andThen(CallLog.end(row.node_id, [report]), CallLog.end(row.node_id, [report])))
        }
        const entries = yield* sql`
          select e.phone_number, e.subject, e.source, e.reason, e.expires_at, c.campaign_id
          from ${sql.literal(SubjectSuppressions.everyEntry)} join calls c on c.id = e.call_id
          order by c.started_at, e.phone_number`
        const said = { source: "call", expires_at: null }
        assert.deepStrictEqual(entries, [
          { ...said, phone_number: number, subject: "SOLAR", reason: "by letter", campaign_id: ids[0] },
          {
            ...{ ...said, phone_number: numberOf(3), subject: "Solar", campaign_id: ids[0] },
            reason: "asked for in a call to another number of the person",
          },
          { ...said, phone_number: other, subject: null, reason: "asked for in a call", campaign_id: ids[1] },
        ])
      }),
    )
  },
)
