/**
 * The index of the campaigns that have work (platform database, `dialling`; docs/decisions/0062-shards.md). A campaign is
 * added before the commit that gives it work, and removed under the same lock, so that none is ever missing. Each
 * process sweeps the index for the campaigns that it owns. The account's database says what the work is.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { AccountSlug } from "../domain/Account.ts"
import { Cell, cellOfRow } from "../tenancy/Cell.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import * as Migrations from "../tenancy/Migrations.ts"
import { PlatformDatabase } from "../tenancy/PlatformDatabase.ts"
import * as Rows from "../tenancy/Rows.ts"
import { Cluster } from "./Cluster.ts"
import type * as Liveness from "./Liveness.ts"
import { Node } from "./Node.ts"

const Placed = Schema.Struct({ account: AccountSlug, campaign: Schema.String })
export type Placed = typeof Placed.Type

const Next = Schema.Struct({ in_ms: Schema.Int })

interface Sweep {
  /** The due campaigns that this process owns. */
  readonly owned: ReadonlyArray<Placed>
  /** Milliseconds until another campaign is due; null if none is scheduled. */
  readonly next_ms: number | null
}

export class Placement extends Context.Service<
  Placement,
  {
    /**
     * Adds a campaign that has work from `at` on, or at once if `at` is null. Runs inside the transaction that gives it
     * the work, under the budget's lock.
     */
    readonly add: (id: string, at: Date | null) => Effect.Effect<void, never, CurrentTenant>
    /**
     * Removes a campaign that has no further work. Runs under the budget's lock, so that no other process adds work at
     * this moment.
     */
    readonly remove: (id: string) => Effect.Effect<void, never, CurrentTenant>
    /**
     * Notes that this process dials the campaign. Returns whether it may: it owns the campaign, the campaign is due, and
     * neither a process of an earlier release nor another cell dials it.
     */
    readonly claim: (id: string) => Effect.Effect<boolean, never, CurrentTenant>
    /** Finds the due campaigns that this process owns, and when the next campaign is due. */
    readonly sweep: Effect.Effect<Sweep>
    /** Notes that this process dials no campaign any more. */
    readonly release: Effect.Effect<void>
  }
>()("cluster/Placement") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* PlatformDatabase
      const cluster = yield* Cluster
      const node = yield* Node
      const cell = yield* Cell

      /**
       * Whether this process may dial for the account `a`. A process that serves all accounts leaves those of a cell to
       * the cell's processes, as long as one lives.
       */
      const isOurs = ({ hasLostWork }: Liveness.Liveness) =>
        cell.name === null
          ? sql`not exists (select from nodes where nodes.cell = ${cellOfRow(sql)} and nodes.dials and not ${hasLostWork})`
          : cell.isServed(sql)
      /** Accounts whose schema is too old or too new for this release are left to other processes. */
      const due = Effect.flatMap(node.liveness, (liveness) =>
        Rows.all(Placed)(sql`
          select a.slug as account, d.campaign_id as campaign from dialling d join accounts a on a.id = d.account_id
          where d.due_at <= clock_timestamp() and ${Migrations.isUsable(sql)} and ${isOurs(liveness)}
            and not ${liveness.isWithEarlier("d.node_id")}
          order by d.due_at, d.campaign_id`),
      )
      const next = Rows.first(Next)(sql`
        select ceil(least(3600, extract(epoch from due_at - statement_timestamp())) * 1000)::int as in_ms
        from dialling d join accounts a on a.id = d.account_id
        where due_at > statement_timestamp() and ${cell.isServed(sql)} order by due_at limit 1`)

      return {
        add: (id, at) =>
          Effect.flatMap(CurrentTenant, ({ id: account }) =>
            Effect.asVoid(sql`
              insert into dialling (account_id, campaign_id, due_at)
              values (${account}, ${id}, coalesce(${at}::timestamptz, '-infinity'))
              on conflict (account_id, campaign_id) do update set due_at = excluded.due_at,
                node_id = case when excluded.due_at <= clock_timestamp() then dialling.node_id end`),
          ).pipe(Effect.orDie),
        remove: (id) =>
          Effect.flatMap(CurrentTenant, ({ id: account }) =>
            Effect.asVoid(sql`delete from dialling where account_id = ${account} and campaign_id = ${id}`),
          ).pipe(Effect.orDie),
        claim: Effect.fnUntraced(function* (id) {
          const { account, id: account_id } = yield* CurrentTenant
          if (!(yield* cluster.confirm(idOf({ account: account.slug, campaign: id })))) return false
          const liveness = yield* node.liveness
          const held = yield* sql`
            update dialling d set node_id = ${node.id}
            where account_id = ${account_id} and campaign_id = ${id} and due_at <= clock_timestamp()
              and exists (select from accounts a where a.id = d.account_id and ${isOurs(liveness)})
              and not ${liveness.isWithEarlier("d.node_id")}
            returning campaign_id`
          return held.length > 0
        }, Effect.orDie),
        sweep: Effect.gen(function* () {
          // Read before the due campaigns: a campaign that becomes due in between is either among them or sets the time
          // of the next sweep.
          const soon = yield* next
          const read_at = yield* Clock.currentTimeMillis
          const owned = (yield* due).filter((placed) => cluster.owns(idOf(placed)))
          const next_ms = soon === undefined ? null : soon.in_ms - ((yield* Clock.currentTimeMillis) - read_at)
          return { owned, next_ms }
        }).pipe(Effect.orDie),
        release: Effect.orDie(Effect.asVoid(sql`update dialling set node_id = null where node_id = ${node.id}`)),
      }
    }),
  )
}

/** The id of a campaign's work in the cluster. A slug contains no slash. */
export const idOf = ({ account, campaign }: Placed): string => `${account}/${campaign}`

export const placedOf = (id: string): Placed => {
  const [account = "", campaign = ""] = id.split("/")
  return { account: AccountSlug.make(account), campaign }
}
