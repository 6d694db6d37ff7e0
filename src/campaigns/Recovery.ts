/**
 * After a start, in every account and in the background: settles the calls of dead processes, and adds running and
 * scheduled campaigns to the placement, which lacks them only after an account was restored.
 */
import { Cause, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Calls } from "../calls/Calls.ts"
import { Placement } from "../cluster/Placement.ts"
import { lockBudget } from "../tenancy/BudgetLock.ts"
import type { AccountEntry } from "../tenancy/AccountDirectory.ts"
import { transaction } from "../tenancy/Transaction.ts"
import { Accounts } from "./Accounts.ts"

/** Each opens a database; requests need some of the connections too. */
const accountsAtOnce = 4

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const calls = yield* Calls
    const placement = yield* Placement

    const recover = Effect.fn("Recovery.recover")(function* (entry: AccountEntry) {
      const settled = yield* Effect.andThen(place(placement), calls.recover).pipe(accounts.within(entry))
      if (settled > 0) yield* Effect.logInfo("settled calls that a departed process left", { calls: settled })
    })

    yield* Effect.flatMap(accounts.all, (entries) =>
      Effect.forEach(
        entries,
        (entry) =>
          recover(entry).pipe(
            Effect.catchCause((cause) =>
              Cause.hasInterrupts(cause) ? Effect.interrupt : Effect.logError("account recovery failed", cause),
            ),
            Effect.annotateLogs({ account: entry.account.slug }),
          ),
        { concurrency: accountsAtOnce, discard: true },
      ),
    ).pipe(Effect.forkScoped)
  }),
)

interface Alive {
  readonly id: string
  readonly scheduled_at: Date | null
}

const place = Effect.fnUntraced(function* (placement: Placement["Service"]) {
  const sql = yield* SqlClient.SqlClient
  const alive = sql<Alive>`
    select id, case when status = 'draft' then scheduled_at end as scheduled_at from campaigns
    where status = 'running' or (status = 'draft' and scheduled_at is not null)`
  if ((yield* alive).length === 0) return
  yield* transaction(
    Effect.gen(function* () {
      yield* lockBudget()
      for (const { id, scheduled_at } of yield* alive) yield* placement.ask(id, scheduled_at)
    }),
  )
})
