/**
 * Recovers accounts in the background: after a start all of them, and later those that are restored while Parley runs,
 * or that move here from another cell. It settles the calls of dead processes, and adds running and scheduled campaigns
 * to the placement, which lacks them only after an account was restored. An account that waits for its migration, moves
 * to another server, or is on a server that does not answer, is tried again later.
 */
import { Cause, Effect, Layer, Option, Queue, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { Calls } from "../../calls/Calls.ts"
import { Placement } from "../../cluster/Placement.ts"
import { lockBudget } from "../../tenancy/BudgetLock.ts"
import { AccountAccess } from "../../tenancy/AccountAccess.ts"
import type { AccountSlug } from "../../domain/Account.ts"
import type { AccountEntry } from "../../tenancy/AccountDirectory.ts"
import { Cell } from "../../tenancy/Cell.ts"
import { DatabaseServers } from "../../tenancy/DatabaseServers.ts"
import * as Migrations from "../../tenancy/Migrations.ts"
import { transaction } from "../../tenancy/Transaction.ts"
import { Accounts } from "../Accounts.ts"

/**
 * Accounts that are recovered at the same time. Each opens a database, and requests need some of the connections too.
 */
const accountsAtOnce = 4
const againAfter = "10 seconds"
/** How often a process of a cell looks for accounts that moved here. */
const arrivesWithin = "5 seconds"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const calls = yield* Calls
    const placement = yield* Placement
    const servers = yield* DatabaseServers
    const cell = yield* Cell
    const { restored } = yield* AccountAccess

    const recover = Effect.fn("Recovery.recover")(function* (entry: AccountEntry) {
      const settled = yield* Effect.andThen(place(placement), calls.recover).pipe(accounts.within(entry))
      if (settled > 0) yield* Effect.logInfo("settled calls that a departed process left", { calls: settled })
    })

    /** Recovers an account. Returns whether to try it again. */
    const recoverOne = (slug: AccountSlug) =>
      Effect.gen(function* () {
        const entry = yield* accounts.find(slug)
        if (Option.isNone(entry)) return false
        return yield* recover(entry.value).pipe(
          Effect.as(false),
          Effect.catchCause((cause) => {
            const { moving, schemaVersion, server } = entry.value
            const isUnreachable = moving === "away" || (server !== null && servers.silent.has(server))
            // An interruption that arrives here is of something that the recovery used, such as a database that was closed.
            const isClosed = Cause.hasInterrupts(cause)
            if (isUnreachable || isClosed || schemaVersion < Migrations.newestOfTenant) return Effect.succeed(true)
            return Effect.as(Effect.logError("account recovery failed", cause), false)
          }),
        )
      }).pipe(Effect.annotateLogs({ account: slug }))

    const recoverAll = Effect.fnUntraced(function* (slugs: ReadonlyArray<AccountSlug>) {
      let left = slugs
      while (left.length > 0) {
        left = yield* Effect.filter(left, recoverOne, { concurrency: accountsAtOnce })
        if (left.length > 0) yield* Effect.sleep(againAfter)
      }
    })

    // Accounts that were restored before the start are among all accounts.
    yield* Queue.clear(restored)
    const atStart = yield* accounts.slugs
    yield* Effect.forkScoped(recoverAll(atStart))
    const recoverNext = Effect.flatMap(Queue.takeAll(restored), (entries) =>
      Effect.forkScoped(recoverAll(entries.map(({ account }) => account.slug))),
    )
    yield* Effect.forkScoped(Effect.forever(recoverNext))
    if (cell.name === null) return
    let known: ReadonlySet<AccountSlug> = new Set(atStart)
    const recoverArrived = Effect.gen(function* () {
      const present = yield* accounts.slugs
      const arrived = present.filter((slug) => !known.has(slug))
      known = new Set(present)
      if (arrived.length > 0) yield* Effect.forkScoped(recoverAll(arrived))
    }).pipe(
      Effect.catchCause((cause) => Effect.logWarning("looking for accounts of this cell failed; retrying", cause)),
    )
    yield* Effect.forkScoped(Effect.repeat(recoverArrived, Schedule.spaced(arrivesWithin)))
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
      for (const { id, scheduled_at } of yield* alive) yield* placement.add(id, scheduled_at)
    }),
  )
})
