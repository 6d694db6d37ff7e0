/**
 * Which accounts have webhooks, and when to look at each next. It is stored in the platform's database, so that no idle
 * account's database is opened.
 */
import { Context, Effect, Layer } from "effect"
import type { AccountSlug } from "../domain/Account.ts"
import { Cell } from "../tenancy/Cell.ts"
import * as Migrations from "../tenancy/Migrations.ts"
import { PlatformDatabase } from "../tenancy/PlatformDatabase.ts"

/** The maximum number of accounts that a process takes at once. */
const atOnce = 20
/**
 * Seconds for which a claim on an account holds. A process renews its claim more often than this; otherwise another
 * process takes over.
 */
const tendedForSeconds = 15

export class WatchedAccounts extends Context.Service<
  WatchedAccounts,
  {
    /** Takes due accounts of this cell that no process tends; this process tends them from now on. */
    readonly take: Effect.Effect<ReadonlyArray<AccountSlug>>
    /** Renews this process's claim on the account, or makes one. */
    readonly tending: (account: string) => Effect.Effect<void>
    /** Ends the claim: there is nothing to do in the account for this many milliseconds. */
    readonly rest: (account: string, milliseconds: number) => Effect.Effect<void>
    /** Removes the account, which no longer has a webhook. */
    readonly forget: (account: string) => Effect.Effect<void>
  }
>()("events/WatchedAccounts") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* PlatformDatabase
      const { isServed } = yield* Cell
      // All accounts of the cell are due at the start, since the work of a dead process may be long due. Two processes
      // that look at the same moment do no harm.
      yield* sql`
        update webhook_accounts w set look_at = clock_timestamp() from accounts a
        where a.id = w.account_id and ${isServed(sql)}`
      const inMs = (milliseconds: number) => sql`clock_timestamp() + make_interval(secs => ${milliseconds / 1_000})`
      const lookIn = (account: string, milliseconds: number) =>
        sql`
          insert into webhook_accounts (account_id, look_at)
          select id, ${inMs(milliseconds)} from accounts where id = ${account}
          on conflict (account_id) do update set look_at = excluded.look_at`.pipe(Effect.asVoid, Effect.orDie)
      return {
        take: sql<{ readonly slug: AccountSlug }>`
          update webhook_accounts w set look_at = ${inMs(tendedForSeconds * 1_000)}
          from accounts a
          where a.id = w.account_id and w.account_id in (
            select w.account_id from webhook_accounts w join accounts a on a.id = w.account_id
            where w.look_at <= statement_timestamp() and ${Migrations.isUsable(sql)} and ${isServed(sql)}
            order by w.look_at limit ${atOnce} for update of w skip locked)
          returning a.slug`.pipe(
          Effect.map((rows) => rows.map(({ slug }) => slug)),
          Effect.orDie,
        ),
        tending: (account) => lookIn(account, tendedForSeconds * 1_000),
        rest: lookIn,
        forget: (account) =>
          Effect.orDie(Effect.asVoid(sql`delete from webhook_accounts where account_id = ${account}`)),
      }
    }),
  )
}
