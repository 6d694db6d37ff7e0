/** Which entry of the consent ledger permits a dial, and what happens to entries later, against the database. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import type { Calls } from "../../src/calls/Calls.ts"
import { groundFor } from "../../src/catalog/ConsentGround.ts"
import * as Consents from "../../src/catalog/Consents.ts"
import type { RequiredConsent } from "../../src/domain/Consent.ts"
import type { CurrentTenant } from "../../src/tenancy/CurrentTenant.ts"
import { json } from "../../src/tenancy/Json.ts"
import { transaction } from "../../src/tenancy/Transaction.ts"
import * as CallsRoom from "../support/CallsRoom.ts"
import { campaign, dialled, numberOf, turn } from "../support/DialPasses.ts"
import { newAccount, within } from "../support/TestTenancy.ts"

const number = numberOf(1)
const day = (at: number) => `2026-01-${String(at).padStart(2, "0")}T00:00:00.000Z`
const scope = fc.constantFrom(null, "Solar", "solar", "Wind")
const channel = fc.constantFrom("automated_call" as const, "live_call" as const, "any_call" as const)
const basis = fc.constantFrom("express" as const, "legitimate_interest" as const)
/** Times are unique, because two entries of one moment have no order but that a revocation goes first. */
const entry = (at: number) =>
  fc.record({
    at: fc.constant(at),
    basis: fc.option(basis),
    subject: scope,
    seller: scope,
    channel,
    lasts: fc.option(fc.integer({ min: 1, max: 12 })),
  })
type Entry = typeof entry extends (at: number) => fc.Arbitrary<infer A> ? A : never
const history = fc.tuple(...[2, 4, 6, 8, 10, 12].map(entry))
const required = fc.record(
  {
    basis: fc.constantFrom(["express"] as const, ["express", "legitimate_interest"] as const),
    subject: fc.constantFrom("SOLAR", "Wind"),
    seller: fc.constantFrom("SOLAR", "Wind"),
  },
  { requiredKeys: ["basis"] },
)
/** The account's `consent_days`. */
const days = fc.option(fc.integer({ min: 1, max: 12 }))
const now = 9

/** The day of the consent that permits the dial, by the words of docs/consent.md; null if there is none. */
const permits = (
  entries: ReadonlyArray<Entry>,
  { basis: bases, ...names }: RequiredConsent,
  consent_days: number | null,
): number | null => {
  const is = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()
  const concerns = (one: Entry): boolean =>
    (["subject", "seller"] as const).every((name) => {
      const [own, asked] = [one[name], names[name]]
      if (own === null) return true
      return asked === undefined ? one.basis === null : is(own, asked)
    }) &&
    (one.basis === null || bases.includes(one.basis)) &&
    one.channel !== "live_call"
  const last = entries
    .filter((one) => one.at <= now && (one.basis === null || one.at + (one.lasts ?? consent_days ?? now) > now))
    .filter(concerns)
    .at(-1)
  return last === undefined || last.basis === null ? null : last.at
}

it.layer(CallsRoom.layer({ env: { LAB_SPEED: "1" } }), { timeout: "120 seconds", excludeTestServices: true })(
  "a required consent",
  (it) => {
    const test = <E>(name: string, body: Effect.Effect<void, E, Calls | CurrentTenant | SqlClient.SqlClient>) =>
      it.effect(name, () =>
        Effect.gen(function* () {
          const account = yield* newAccount(`c${crypto.randomUUID().slice(0, 8)}`, { concurrent_max: 10 })
          yield* body.pipe(within(account))
        }),
      )
    const require = { required_consent: json({ basis: ["express"] }) }
    const consent = (position: number) => ({
      phone_number: numberOf(position),
      basis: "express" as const,
      at: day(1),
    })
    const revocation = (position: number) => ({ phone_number: numberOf(position) })

    test(
      "is found by the newest entry that concerns it, whatever the history of the number",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const cases = fc.sample(fc.tuple(history, required, days), { numRuns: 60, seed: 7 })
        let found = 0
        for (const [entries, asked, consent_days] of cases) {
          yield* sql`update budget set consent_days = ${consent_days}`
          yield* Effect.ignore(
            transaction(
              Effect.gen(function* () {
                const consents = entries.flatMap(({ at, basis, lasts, ...rest }) =>
                  basis === null
                    ? []
                    : [
                        {
                          ...rest,
                          basis,
                          at: day(at),
                          expires_at: lasts === null ? null : day(at + lasts),
                          phone_number: number,
                        },
                      ],
                )
                const revocations = entries.flatMap(({ at, basis, lasts: _, ...rest }) =>
                  basis === null ? [{ ...rest, at: day(at), phone_number: number }] : [],
                )
                if (consents.length > 0) yield* Consents.record(consents)
                if (revocations.length > 0) yield* Consents.revoke(revocations)
                const ground = yield* groundFor(asked, sql`${number}::text`, new Date(day(now)))
                const [row] = yield* sql<{ at: string | null }>`select ${ground} ->> 'at' as at`
                const expected = permits(entries, asked, consent_days)
                assert.strictEqual(
                  row?.at,
                  expected === null ? null : day(expected),
                  JSON.stringify({ entries, asked, consent_days }),
                )
                if (expected !== null) found++
                return yield* Effect.fail("roll back")
              }),
            ),
          )
        }
        assert.isAbove(found, 8)
      }),
    )

    test(
      "decides with the transaction that commits first: a revocation before the dial, or the dial",
      Effect.gen(function* () {
        const kit = yield* CallsRoom.equip
        const id = yield* campaign(kit, 3, require)
        yield* Consents.record([consent(1), consent(2)])
        yield* Consents.revoke([revocation(2)])
        const [isWritten, mayCommit] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const revoking = yield* Effect.forkChild(
          transaction(
            Effect.gen(function* () {
              yield* Consents.revoke([revocation(1)])
              yield* Deferred.succeed(isWritten, undefined)
              yield* Deferred.await(mayCommit)
            }),
          ),
        )
        yield* Deferred.await(isWritten)
        yield* turn(id)
        assert.deepStrictEqual(yield* dialled(id), [1])
        yield* Deferred.succeed(mayCommit, undefined)
        yield* Fiber.join(revoking)
        const second = yield* campaign(kit, 1, require)
        const sql = yield* SqlClient.SqlClient
        yield* sql`delete from live_calls`
        yield* turn(second)
        assert.deepStrictEqual(yield* dialled(second), [])
        const skipped =
          yield* sql`select position from contacts where skip_reason = 'no_consent' order by campaign_id, 1`
        assert.deepStrictEqual(skipped, [{ position: 2 }, { position: 3 }, { position: 1 }])
      }),
    )

    test(
      "finds no entry changed or deleted by the account's role",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* Consents.record([consent(1)])
        for (const change of [
          "at = now()",
          "basis = 'express_written'",
          "text = 'x'",
          "phone_number = null, text = 'x'",
        ]) {
          const exit = yield* Effect.exit(sql`update consents set ${sql.literal(change)}`)
          assert.isTrue(Exit.isFailure(exit), change)
        }
        assert.isTrue(Exit.isFailure(yield* Effect.exit(sql`delete from consents`)))
        yield* Consents.erase(number)
        assert.deepStrictEqual(yield* sql`select phone_number, basis from consents`, [
          { phone_number: null, basis: "express" },
        ])
      }),
    )

    test(
      "is forgotten only long after its last use, and a revocation only after what it revokes",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const old = new Date("2019-01-01T00:00:00Z")
        const row = (kind: "consent" | "revocation", position: number, more: object = {}) => ({
          id: crypto.randomUUID(),
          kind,
          phone_number: numberOf(position),
          basis: kind === "consent" ? "express" : null,
          channel: "any_call",
          at: old,
          created_at: old,
          used_at: null,
          ...more,
        })
        yield* sql`insert into consents ${sql.insert([
          row("consent", 1),
          row("consent", 2, { used_at: new Date() }),
          row("revocation", 2),
          row("revocation", 3),
          row("consent", 4, { created_at: new Date() }),
        ])}`
        const [pruned] = yield* sql`select prune_consents(1827, 200) as count`
        assert.deepStrictEqual(pruned, { count: 2 })
        const kept = yield* sql<{ kind: string; phone_number: string }>`
          select kind, phone_number from consents order by phone_number, kind`
        assert.deepStrictEqual(
          kept.map(({ kind, phone_number }) => [kind, phone_number]),
          [
            ["consent", numberOf(2)],
            ["revocation", numberOf(2)],
            ["consent", numberOf(4)],
          ],
        )
      }),
    )
  },
)
