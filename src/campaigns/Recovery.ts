/**
 * After a start: settles the calls that a process left behind, and takes up running campaigns and schedules again, in
 * every account, in the background. The database says what was going on; fibers are refilled from it.
 */
import { Cause, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Calls } from "../calls/Calls.ts"
import type { AccountEntry } from "../tenancy/AccountDirectory.ts"
import { Accounts } from "./Accounts.ts"
import * as Campaigns from "./Campaigns.ts"
import { CampaignSupervisor } from "./CampaignSupervisor.ts"
import { Schedule } from "./Schedule.ts"

/** Each opens a database; requests need some of the connections too. */
const accountsAtOnce = 4

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const calls = yield* Calls
    const supervisor = yield* CampaignSupervisor
    const schedule = yield* Schedule

    const recover = Effect.fn("Recovery.recover")(function* (entry: AccountEntry) {
      const { slug, status } = entry.account
      const { running, scheduled, settled } = yield* Effect.gen(function* () {
        const settled = yield* calls.recover
        return { settled, running: yield* Campaigns.withStatus("running"), scheduled: yield* hasScheduled }
      }).pipe(accounts.within(entry))
      if (settled > 0) yield* Effect.logInfo("settled calls that a process left behind", { calls: settled })
      if (status !== "active") return
      for (const id of running) yield* supervisor.run(slug, id)
      if (scheduled) yield* schedule.watch(slug)
    })

    yield* Effect.flatMap(accounts.all, (entries) =>
      Effect.forEach(
        entries,
        (entry) =>
          recover(entry).pipe(
            Effect.catchCause((cause) =>
              Cause.hasInterrupts(cause)
                ? Effect.interrupt
                : Effect.logError("the recovery of an account failed", cause),
            ),
            Effect.annotateLogs({ account: entry.account.slug }),
          ),
        { concurrency: accountsAtOnce, discard: true },
      ),
    ).pipe(Effect.forkScoped)
  }),
)

const hasScheduled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql`select from campaigns where status = 'draft' and scheduled_at is not null limit 1`
  return found.length > 0
})
