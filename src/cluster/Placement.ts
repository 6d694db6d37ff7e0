/**
 * Decides which process dials which campaign (platform database, `dialling`; docs/decisions/0012-placement.md). Every
 * process takes its share of the due campaigns that have no living dialler, and gives back what exceeds its share. The
 * table is an index: a campaign is added before the commit that gives it work, and removed under the same lock, so that
 * none is ever missing. The account's database says what the work is.
 */
import { Context, Effect, Layer } from "effect"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { PlatformDatabase } from "../tenancy/PlatformDatabase.ts"
import { Node } from "./Node.ts"
import * as Share from "./Share.ts"

export class Placement extends Context.Service<
  Placement,
  {
    /**
     * Adds a campaign that has work from `at` on, or at once if `at` is null. Runs inside the transaction that gives it
     * the work, under the budget's lock.
     */
    readonly ask: (id: string, at: Date | null) => Effect.Effect<void, never, CurrentTenant>
    /**
     * Removes a campaign that has no further work. Runs under the budget's lock, so that no other process adds work at
     * this moment.
     */
    readonly strike: (id: string) => Effect.Effect<void, never, CurrentTenant>
    /** Whether the campaign is still placed with this process. */
    readonly holds: (id: string) => Effect.Effect<boolean, never, CurrentTenant>
    /** Takes due campaigns up to this process's share. */
    readonly share: Effect.Effect<Share.Share>
    /** Releases campaigns for any process to take, once they are no longer dialled here. */
    readonly giveBack: (placed: ReadonlyArray<Share.Placed>) => Effect.Effect<void>
  }
>()("cluster/Placement") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* PlatformDatabase
      const node = yield* Node

      return {
        ask: (id, at) =>
          Effect.flatMap(CurrentTenant, ({ id: account }) =>
            Effect.asVoid(sql`
              insert into dialling (account_id, campaign_id, due_at)
              values (${account}, ${id}, coalesce(${at}::timestamptz, '-infinity'))
              on conflict (account_id, campaign_id) do update set due_at = excluded.due_at,
                node_id = case when excluded.due_at <= clock_timestamp() then dialling.node_id end`),
          ).pipe(Effect.orDie),
        strike: (id) =>
          Effect.flatMap(CurrentTenant, ({ id: account }) =>
            Effect.asVoid(sql`delete from dialling where account_id = ${account} and campaign_id = ${id}`),
          ).pipe(Effect.orDie),
        holds: (id) =>
          Effect.flatMap(CurrentTenant, ({ id: account }) =>
            Effect.map(
              sql`
                select from dialling
                where account_id = ${account} and campaign_id = ${id} and node_id = ${node.id}`,
              (rows) => rows.length > 0,
            ),
          ).pipe(Effect.orDie),
        share: Share.take(sql, node),
        giveBack: (placed) =>
          placed.length === 0
            ? Effect.void
            : Effect.orDie(
                Effect.asVoid(sql`
                  update dialling set node_id = null
                  where node_id = ${node.id} and campaign_id = any(${placed.map(({ campaign }) => campaign)}::uuid[])`),
              ),
      }
    }),
  )
}
