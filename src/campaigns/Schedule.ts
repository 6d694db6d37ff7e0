/** Starts drafts whose time has come, oldest first; one that finds no room in the budget waits in line (I10). */
import { Cause, Context, Effect, FiberMap, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { AccountSlug } from "../domain/Account.ts"
import { lineUp } from "../domain/Budget.ts"
import { CampaignFields } from "../domain/Campaign.ts"
import { transaction } from "../tenancy/Transaction.ts"
import { Accounts } from "./Accounts.ts"
import * as CampaignBudget from "./CampaignBudget.ts"
import * as Campaigns from "./Campaigns.ts"
import { CampaignSignals } from "./CampaignSignals.ts"
import { CampaignSupervisor } from "./CampaignSupervisor.ts"

/** Room and other times may come from another process, which tells nobody here. */
const pollMs = 1_000
/** A time far ahead is looked at again now and then: somebody may have moved it. */
const longestMs = 30_000

const Draft = Schema.Struct({ id: Schema.String, max_concurrent_calls: CampaignFields.max_concurrent_calls })
const Next = Schema.Struct({ in_ms: Schema.NullOr(Schema.Int) })

/** Starts what is due and fits, in the caller's transaction. */
export const startDue = Effect.fn("Schedule.startDue")(function* () {
  const sql = yield* SqlClient.SqlClient
  const { concurrent_max } = yield* CampaignBudget.lock()
  const drafts = yield* SqlSchema.findAll({
    Request: Schema.Void,
    Result: Draft,
    execute: () => sql`
      select id, max_concurrent_calls from campaigns where status = 'draft' and scheduled_at <= clock_timestamp()
      order by scheduled_at, id for no key update`,
  })(undefined).pipe(Effect.catchTag("SchemaError", Effect.die))
  const { start, wait } = lineUp(drafts, { in_use: yield* CampaignBudget.inUse(null), concurrent_max })
  for (const id of start) yield* Campaigns.markRunning(id)
  for (const id of wait) yield* Campaigns.markWaiting(id, "budget")
  return { started: start, waiting: wait.length }
})

/** Milliseconds to the next scheduled time; none when nothing is scheduled. */
const untilNext = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { in_ms } = yield* SqlSchema.findOne({
    Request: Schema.Void,
    Result: Next,
    execute: () => sql`
      select least(ceil(extract(epoch from min(scheduled_at) - clock_timestamp()) * 1000), ${longestMs})::int as in_ms
      from campaigns where status = 'draft' and scheduled_at > clock_timestamp()`,
  })(undefined).pipe(Effect.orDie)
  return in_ms
})

export class Schedule extends Context.Service<
  Schedule,
  {
    /** Looks after the account's scheduled drafts for as long as it has any. */
    readonly watch: (account: AccountSlug) => Effect.Effect<void>
  }
>()("campaigns/Schedule") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const signals = yield* CampaignSignals
      const supervisor = yield* CampaignSupervisor
      const watching = yield* FiberMap.make<AccountSlug, void, never>()

      const begin = (account: AccountSlug, id: string) =>
        Effect.andThen(supervisor.run(account, id), signals.changed(account, id))

      /** Milliseconds until the next look; none when there is nothing left to look for. */
      const look = Effect.fnUntraced(function* (account: AccountSlug) {
        const entry = yield* accounts.find(account)
        if (Option.isNone(entry)) return undefined
        if (entry.value.account.status !== "active") return longestMs
        const { next, waiting } = yield* Effect.gen(function* () {
          const { waiting } = yield* transaction(
            Effect.gen(function* () {
              const sql = yield* SqlClient.SqlClient
              const done = yield* startDue()
              // Not after the transaction, where an interruption could come between the two.
              yield* sql.afterCommit(Effect.forEach(done.started, (id) => begin(account, id), { discard: true }))
              return done
            }),
          )
          return { waiting, next: yield* untilNext }
        }).pipe(accounts.within(entry.value))
        return waiting > 0 ? Math.min(pollMs, next ?? pollMs) : (next ?? undefined)
      })

      const patiently = Effect.catchCause((cause: Cause.Cause<unknown>) =>
        Cause.hasInterrupts(cause) ? Effect.interrupt : Effect.as(Effect.logError("a schedule failed", cause), pollMs),
      )

      const watch = Effect.fn("Schedule.watch")(function* (account: AccountSlug) {
        const waiter = yield* Effect.acquireRelease(signals.listen(account, everyCampaign, "changes"), signals.leave)
        while (true) {
          const wait = yield* patiently(look(account))
          if (wait === undefined) return
          yield* signals.wait(waiter, wait)
        }
      }, Effect.scoped)

      return {
        // A watch that is about to end may have looked before the draft was there, so it is begun anew.
        watch: (account) =>
          watch(account).pipe(Effect.annotateLogs({ account }), FiberMap.run(watching, account), Effect.asVoid),
      }
    }),
  )
}

const everyCampaign = "*"
