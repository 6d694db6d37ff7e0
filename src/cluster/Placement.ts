/**
 * Which process dials which campaign (platform database, `dialling`; docs/decisions/0012-placement.md). Every process
 * takes its share of the due campaigns that have no living dialler, and gives back what exceeds its share. The table is
 * an index: a campaign is added before the commit that gives it work, and removed under the same lock, so that none is
 * ever missing. The account's database says what the work is.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { AccountSlug } from "../domain/Account.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { PlatformDatabase } from "../tenancy/PlatformDatabase.ts"
import * as Rows from "../tenancy/Rows.ts"
import { Node } from "./Node.ts"

const Placed = Schema.Struct({ account: AccountSlug, campaign: Schema.String })
export type Placed = typeof Placed.Type

const Held = Schema.Struct({ ...Placed.fields, is_fresh: Schema.Boolean, due: Schema.Int })
const Next = Schema.Struct({ in_ms: Schema.Int })

export interface Share {
  /** What this process is to see to. */
  readonly mine: ReadonlyArray<Placed>
  /** The campaigns beyond its share. */
  readonly surplus: ReadonlyArray<Placed>
  /** Milliseconds until another campaign is due; null when none will be. */
  readonly next_ms: number | null
}

export class Placement extends Context.Service<
  Placement,
  {
    /** The campaign has something to do from `at`, or at once. Inside the transaction that makes it so, the budget locked. */
    readonly ask: (id: string, at: Date | null) => Effect.Effect<void, never, CurrentTenant>
    /** The campaign has no work any more. The budget is locked, so no other process is adding work at this moment. */
    readonly strike: (id: string) => Effect.Effect<void, never, CurrentTenant>
    /** Whether the campaign is still this process's. */
    readonly holds: (id: string) => Effect.Effect<boolean, never, CurrentTenant>
    /** Takes due campaigns up to this process's share. */
    readonly share: Effect.Effect<Share>
    /** Releases campaigns for any process to take, once they are no longer dialled here. */
    readonly giveBack: (placed: ReadonlyArray<Placed>) => Effect.Effect<void>
  }
>()("cluster/Placement") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* PlatformDatabase
      const node = yield* Node

      /** A start does not wait for its preferred process for longer than this: that process may have just died. */
      const patience = sql.literal("interval '300 milliseconds'")
      /** Nor is it given back at once. */
      const fresh = sql.literal("interval '10 seconds'")

      const take = (diallers: ReadonlyArray<string>) => sql`
        with due as (select * from dialling where due_at <= clock_timestamp()),
        room as (
          select ceil(count(*)::float8 / ${diallers.length}::int)::int
                   - count(*) filter (where node_id = ${node.id}) as places
          from due),
        free as (
          select account_id, campaign_id from dialling
          where due_at <= clock_timestamp() and (node_id is null or node_id <> all(${[...diallers]}::uuid[]))
          order by due_at, campaign_id limit greatest(0, (select places from room), (select count(*) from dialling
            where node_id is null and due_at between clock_timestamp() - ${fresh} and clock_timestamp() - ${patience}))
          for update skip locked)
        update dialling d set node_id = ${node.id} from free f
        where d.account_id = f.account_id and d.campaign_id = f.campaign_id`

      /**
       * Counts all due campaigns in the same statement, so that one that has just become due is not surplus of any
       * process.
       */
      const held = Rows.all(Held)(sql`
        select a.slug as account, d.campaign_id as campaign, d.due_at > statement_timestamp() - ${fresh} as is_fresh,
          (select count(*) from dialling where due_at <= statement_timestamp())::int as due
        from dialling d join accounts a on a.id = d.account_id
        where d.node_id = ${node.id} and d.due_at <= statement_timestamp() order by d.due_at, d.campaign_id`)

      const next = Rows.first(Next)(sql`
        select ceil(least(3600, extract(epoch from at - statement_timestamp())) * 1000)::int as in_ms from (
          (select due_at as at from dialling where due_at > statement_timestamp() order by due_at limit 1)
          union all
          (select due_at + ${patience} from dialling
           where node_id is null and due_at between statement_timestamp() - ${patience} and statement_timestamp()
           order by due_at limit 1)) s order by at limit 1`)

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
        share: Effect.gen(function* () {
          const diallers = yield* node.diallers
          // Other nodes have not heard from this process for long, and have taken its campaigns.
          if (!diallers.includes(node.id)) return { mine: [], surplus: [], next_ms: null }
          // Read before the share: a campaign that becomes due in between is either taken now or sets the time of the
          // next look.
          const soon = yield* next
          const asked = yield* Clock.currentTimeMillis
          yield* take(diallers)
          const all = yield* held
          const share = Math.ceil((all[0]?.due ?? 0) / diallers.length)
          const next_ms = soon === undefined ? null : soon.in_ms - ((yield* Clock.currentTimeMillis) - asked)
          const surplus = all.slice(share).filter(({ is_fresh }) => !is_fresh)
          return { mine: all.filter((placed) => !surplus.includes(placed)), surplus, next_ms }
        }).pipe(Effect.orDie),
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
