/**
 * Counts answered and abandoned calls by day of the account's zone, in the transaction that ends the calls. The sums go
 * to /metrics and, when too many calls are abandoned, to the log.
 */
import { Clock, Effect, Metric, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { abandonedShare, countedDays, isTooMany } from "../../domain/Abandonment.ts"
import type { AccountSlug } from "../../domain/Account.ts"
import * as Rows from "../../tenancy/Rows.ts"
import type { EndedCall } from "./AfterCall.ts"
import * as CallMetrics from "./CallMetrics.ts"

const highest = Metric.gauge("parley_calls_abandoned_share_highest", {
  description: "The highest share of abandoned calls in 30 days among the accounts that this process calls for.",
})

const Sums = Schema.Struct({ answered: Schema.Int, abandoned: Schema.Int })

/** Adds calls to the present day. Returns the sums of the counted days as they were before. */
const add = Effect.fnUntraced(function* (answered: number, abandoned: number) {
  const sql = yield* SqlClient.SqlClient
  // A statement does not see its own writes, so the sums are those from before it.
  return yield* Rows.one(Sums)(sql`
    with today as (select (clock_timestamp() at time zone time_zone)::date as day from budget),
      added as (
        insert into answered_days (day, answered, abandoned) select day, ${answered}::int, ${abandoned}::int from today
        on conflict (day) do update set
          answered = answered_days.answered + excluded.answered, abandoned = answered_days.abandoned + excluded.abandoned)
    select coalesce(sum(d.answered), 0)::int as answered, coalesce(sum(d.abandoned), 0)::int as abandoned
    from today join answered_days d on d.day > today.day - ${countedDays}::int`)
})

const countedMs = countedDays * 24 * 60 * 60 * 1_000

/**
 * Returns the function that counts ended calls of an account. It remembers the accounts' shares that this process
 * knows, for as long as their last calls count.
 */
export const make = Effect.sync(() => {
  const shares = new Map<AccountSlug, { readonly share: number; readonly at: number }>()
  return Effect.fnUntraced(function* (account: AccountSlug, ended: ReadonlyArray<EndedCall>) {
    const verdicts = ended.flatMap((call) => call.abandoned ?? [])
    if (verdicts.length === 0) return
    const more = { answered: verdicts.length, abandoned: verdicts.filter((abandoned) => abandoned).length }
    const before = yield* add(more.answered, more.abandoned)
    const after = { answered: before.answered + more.answered, abandoned: before.abandoned + more.abandoned }
    const sql = yield* SqlClient.SqlClient
    yield* sql.afterCommit(
      Effect.gen(function* () {
        const at = yield* Clock.currentTimeMillis
        for (const [other, known] of shares) if (at - known.at > countedMs) shares.delete(other)
        shares.set(account, { share: abandonedShare(after), at })
        yield* Metric.update(highest, Math.max(...[...shares.values()].map(({ share }) => share)))
        yield* CallMetrics.countAnswers(more)
        if (!isTooMany(after) || isTooMany(before)) return
        yield* Effect.logWarning("abandoned calls exceed 3 % of the calls answered in 30 days").pipe(
          Effect.annotateLogs({ account, ...after }),
        )
      }),
    )
  })
})
