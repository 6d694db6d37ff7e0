/**
 * The accounts in which this process may have live calls (platform database, `node_accounts`). An account is noted
 * before the first row that names this process is written there. So when a process dies, the others know which accounts
 * to search for its calls.
 */
import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Cell } from "../tenancy/Cell.ts"
import type { Heartbeat } from "./Heartbeat.ts"

/**
 * How long an account stays noted after this process last entered it, in milliseconds. Longer than any transaction, so
 * that no row is still being written.
 */
const keepMs = 600_000

/** `sql` is the platform's database. */
export const make = (sql: SqlClient.SqlClient, heartbeat: Heartbeat, { isServed }: Cell) => {
  const { id } = heartbeat
  /** When this process last entered each account that is noted. */
  const enteredAt = new Map<string, number>()
  let since = heartbeat.hearsSince

  const note = (accounts: ReadonlyArray<string>) => sql`
    insert into node_accounts (node_id, account_id)
    select ${id}, a.id from accounts a where a.id = any(${[...accounts]}::uuid[])
    on conflict (node_id, account_id) do update set noted_at = clock_timestamp()`

  /**
   * After a gap in this process's heartbeats, another process may have inherited its accounts. They are noted again.
   */
  const noteAgain = Effect.suspend(() => {
    const { hearsSince } = heartbeat
    if (hearsSince === since) return Effect.void
    return Effect.andThen(
      note([...enteredAt.keys()]),
      Effect.sync(() => void (since = hearsSince)),
    )
  })

  return {
    /** Notes that this process may write calls into the account. */
    enter: Effect.fnUntraced(function* (account: string) {
      yield* heartbeat.renewAfterGap
      yield* noteAgain
      if (!enteredAt.has(account)) yield* note([account])
      enteredAt.set(account, yield* Clock.currentTimeMillis)
    }, Effect.orDie),

    /**
     * Takes over the accounts of this cell that these dead processes had noted: from now on they are noted for this
     * process instead, and if it dies, the next one searches them. Returns their ids. A process of an earlier release
     * noted nothing, so it may have calls in all accounts.
     */
    inherit: Effect.fnUntraced(function* (nodes: ReadonlyArray<string>) {
      const rows = yield* sql<{ account_id: string }>`
        with left_behind as (
          delete from node_accounts n using accounts a
          where a.id = n.account_id and n.node_id = any(${[...nodes]}::uuid[]) and ${isServed(sql)}
          returning n.account_id)
        insert into node_accounts (node_id, account_id)
        select ${id}::uuid, account_id from left_behind
        union
        select ${id}::uuid, a.id from accounts a
        where exists (select from nodes where id = any(${[...nodes]}::uuid[]) and not is_runner) and ${isServed(sql)}
        on conflict (node_id, account_id) do update set noted_at = clock_timestamp()
        returning account_id`
      const now = yield* Clock.currentTimeMillis
      for (const { account_id } of rows) enteredAt.set(account_id, now)
      return rows.map(({ account_id }) => account_id)
    }, Effect.orDie),

    /** Forgets accounts that this process entered long ago, except those in which it has calls. */
    leave: Effect.fnUntraced(function* (called: ReadonlySet<string>) {
      const now = yield* Clock.currentTimeMillis
      const left = [...enteredAt].flatMap(([account, at]) =>
        now - at < keepMs || called.has(account) ? [] : [account],
      )
      if (left.length === 0) return
      for (const account of left) enteredAt.delete(account)
      // An account that is entered again meanwhile is noted anew, before or after this.
      yield* sql`
        delete from node_accounts where node_id = ${id} and account_id = any(${left}::uuid[])
          and noted_at < clock_timestamp() - interval '5 minutes'`
    }, Effect.orDie),
  }
}
