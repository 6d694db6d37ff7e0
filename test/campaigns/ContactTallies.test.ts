/** Where contacts are is counted as they move: whatever moves them, the counts that are kept are those of the rows. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import { v7 as uuidv7 } from "uuid"
import * as AccountOverview from "../../src/campaigns/AccountOverview.ts"
import * as Campaigns from "../../src/campaigns/Campaigns.ts"
import { Outcome } from "../../src/domain/Call.ts"
import { json } from "../../src/tenancy/Json.ts"
import { layer, newAccount, within } from "../support/TestTenancy.ts"

const size = 12

const campaign = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const id = uuidv7()
  yield* Campaigns.reserve(id)
  for (let position = 1; position <= size; position++) {
    const phone_number = `+1415555${1_000 + position}`
    yield* sql`insert into contacts ${sql.insert({ id: uuidv7(), campaign_id: id, position, phone_number, custom_fields: json({}) })}`
  }
  return id
})

/** What one statement does to contacts of both campaigns. */
const step = fc.record({
  positions: fc.uniqueArray(fc.integer({ min: 1, max: size }), { minLength: 1 }),
  status: fc.constantFrom("pending", "in_progress", "completed", "failed", "skipped"),
  outcome: fc.constantFrom(null, ...Outcome.literals),
  attempts: fc.integer({ min: 0, max: 2 }),
  both: fc.boolean(),
})

const counted = (ids: ReadonlyArray<string>) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<Record<string, unknown>>`
      select campaign_id, count(*)::int as total,
        count(*) filter (where status = 'pending' and attempts = 0)::int as not_called,
        count(*) filter (where status = 'pending' and attempts > 0)::int as to_be_retried,
        count(*) filter (where status = 'in_progress')::int as in_progress,
        count(*) filter (where status = 'completed')::int as completed,
        count(*) filter (where status = 'failed')::int as failed,
        count(*) filter (where status = 'skipped')::int as skipped,
        coalesce((
          select jsonb_object_agg(outcome, n) from (
            select outcome, count(*)::int as n from contacts e
            where e.campaign_id = c.campaign_id and status in ('completed', 'failed') and outcome is not null
            group by outcome) o), '{}') as outcomes
      from contacts c where ${sql.in("campaign_id", ids)} group by campaign_id`,
  )

it.layer(layer, { timeout: "120 seconds", excludeTestServices: true })("an account's tallies", (it) => {
  it.effect("are those of its contacts after any steps", () =>
    Effect.gen(function* () {
      const account = yield* newAccount("tallies")
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const ids = [yield* campaign, yield* campaign]
        const [first = ""] = ids
        const agree = Effect.gen(function* () {
          assert.sameDeepMembers([...(yield* AccountOverview.tallies(ids))], [...(yield* counted(ids))])
        })
        yield* agree
        for (const { attempts, both, outcome, positions, status } of fc.sample(step, {
          numRuns: 60,
          seed: 20_261_121,
        })) {
          const skip_reason = status === "skipped" ? "stopped" : null
          yield* sql`
            update contacts set ${sql.update({ status, outcome, attempts, skip_reason })}
            where ${sql.in("position", positions)} and ${both ? sql.in("campaign_id", ids) : sql`campaign_id = ${first}`}`
          yield* agree
        }
        assert.deepStrictEqual(yield* AccountOverview.tallies([uuidv7()]), [])
      }).pipe(within(account))
    }),
  )
})
