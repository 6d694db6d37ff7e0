/**
 * This process's share of the due campaigns: it takes those that have no living dialler, and finds what exceeds its
 * share (docs/decisions/0012-placement.md).
 */
import { Clock, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { AccountSlug } from "../domain/Account.ts"
import * as Migrations from "../tenancy/Migrations.ts"
import * as Rows from "../tenancy/Rows.ts"
import type { Node } from "./Node.ts"

const Placed = Schema.Struct({ account: AccountSlug, campaign: Schema.String })
export type Placed = typeof Placed.Type

const Held = Schema.Struct({ ...Placed.fields, is_fresh: Schema.Boolean, is_usable: Schema.Boolean, due: Schema.Int })
const Next = Schema.Struct({ in_ms: Schema.Int })

export interface Share {
  /** The campaigns that this process has to dial. */
  readonly mine: ReadonlyArray<Placed>
  /** The campaigns beyond its share, and those of accounts that this release cannot use. */
  readonly surplus: ReadonlyArray<Placed>
  /** Milliseconds until another campaign is due; null if none is scheduled. */
  readonly next_ms: number | null
}

/**
 * How long a campaign that has just become due waits for a process with room in its share. After that, any process
 * takes it, because the preferred process may have just died.
 */
const longestWait = "interval '300 milliseconds'"

/** Takes due campaigns up to the node's share. `sql` is the platform's database. */
export const take = (sql: SqlClient.SqlClient, node: Node["Service"]): Effect.Effect<Share> => {
  const patience = sql.literal(longestWait)
  /** A campaign that became due within this time is not given back, even if it exceeds the share. */
  const fresh = sql.literal("interval '10 seconds'")

  /** Accounts whose schema is too old or too new for this release are left to other processes. */
  const isUsable = Migrations.isUsable(sql)

  const claim = (diallers: ReadonlyArray<string>) => sql`
    with due as (
      select d.* from dialling d join accounts a on a.id = d.account_id
      where d.due_at <= clock_timestamp() and ${isUsable}),
    room as (
      select ceil(count(*)::float8 / ${diallers.length}::int)::int
               - count(*) filter (where node_id = ${node.id}) as places
      from due),
    free as (
      select d.account_id, d.campaign_id from dialling d join accounts a on a.id = d.account_id
      where d.due_at <= clock_timestamp() and (d.node_id is null or d.node_id <> all(${[...diallers]}::uuid[]))
        and ${isUsable}
      order by d.due_at, d.campaign_id limit greatest(0, (select places from room), (select count(*) from dialling
        where node_id is null and due_at between clock_timestamp() - ${fresh} and clock_timestamp() - ${patience}))
      for update of d skip locked)
    update dialling d set node_id = ${node.id} from free f
    where d.account_id = f.account_id and d.campaign_id = f.campaign_id`

  /**
   * Reads this process's due campaigns, and counts all due campaigns in the same statement. A campaign that has just
   * become due is then in both figures, and not surplus.
   */
  const held = Rows.all(Held)(sql`
    select a.slug as account, d.campaign_id as campaign, d.due_at > statement_timestamp() - ${fresh} as is_fresh,
      ${isUsable} as is_usable,
      (select count(*) from dialling d join accounts a on a.id = d.account_id
       where d.due_at <= statement_timestamp() and ${isUsable})::int as due
    from dialling d join accounts a on a.id = d.account_id
    where d.node_id = ${node.id} and d.due_at <= statement_timestamp() order by d.due_at, d.campaign_id`)

  return Effect.gen(function* () {
    const diallers = yield* node.diallers
    // This process does not dial, or its row was deleted: other nodes declared it dead and have taken its campaigns.
    if (!diallers.includes(node.id)) return { mine: [], surplus: [], next_ms: null }
    // Read before the share: a campaign that becomes due in between is either taken now or sets the time of the next
    // look.
    const soon = yield* findNext(sql)
    const asked = yield* Clock.currentTimeMillis
    yield* claim(diallers)
    const all = yield* held
    const share = Math.ceil((all[0]?.due ?? 0) / diallers.length)
    const next_ms = soon === undefined ? null : soon.in_ms - ((yield* Clock.currentTimeMillis) - asked)
    const beyond = all.filter(({ is_usable }) => is_usable).slice(share)
    const surplus = all.filter((placed) => !placed.is_usable || (beyond.includes(placed) && !placed.is_fresh))
    return { mine: all.filter((placed) => !surplus.includes(placed)), surplus, next_ms }
  }).pipe(Effect.orDie)
}

/** When another campaign is due, or may be taken from a process that did not take it. */
const findNext = (sql: SqlClient.SqlClient) => {
  const patience = sql.literal(longestWait)
  return Rows.first(Next)(sql`
    select ceil(least(3600, extract(epoch from at - statement_timestamp())) * 1000)::int as in_ms from (
      (select due_at as at from dialling where due_at > statement_timestamp() order by due_at limit 1)
      union all
      (select due_at + ${patience} from dialling
       where node_id is null and due_at between statement_timestamp() - ${patience} and statement_timestamp()
       order by due_at limit 1)) s order by at limit 1`)
}
