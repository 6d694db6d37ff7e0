/** This process as a node among those that share the databases (`migrations/platform`, `nodes`). */
import { Context, Effect, Layer } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { Cell } from "../tenancy/Cell.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { DatabaseServer } from "../tenancy/DatabaseServer.ts"
import { PlatformDatabase } from "../tenancy/PlatformDatabase.ts"
import * as Heartbeat from "./Heartbeat.ts"
import * as Liveness from "./Liveness.ts"
import * as Presence from "./Presence.ts"

export class Node extends Context.Service<
  Node,
  {
    readonly id: string
    /**
     * Returns this node's id, to write it into rows of calls of the current account. Notes the account first, so that
     * these calls are found if this process dies.
     */
    readonly enter: Effect.Effect<string, never, CurrentTenant>
    /**
     * Makes this node responsible for the accounts of its cell in which these dead nodes may have left calls. Returns the
     * accounts' ids.
     */
    readonly inherit: (nodes: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>>
    /** Ends the responsibility for accounts that were entered long ago, except those in which this node has calls. */
    readonly leaveAccounts: (called: ReadonlySet<string>) => Effect.Effect<void>
    /** Writes a heartbeat at once; the node counts as alive until its patience is over. */
    readonly renew: Effect.Effect<void>
    /** SQL conditions that tell which nodes are alive, as this process has to use them now. */
    readonly liveness: Effect.Effect<Liveness.Liveness>
    /**
     * Returns the dead nodes among `ids`. A node without a row counts as dead: it never started, or was forgotten long
     * ago.
     */
    readonly findGone: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>>
    /**
     * The ids of the dead nodes, among those with a row, that have noted accounts of this cell, or no accounts at all.
     * Their accounts have to be inherited before the nodes are forgotten.
     */
    readonly findDeparted: Effect.Effect<ReadonlyArray<string>>
    /**
     * Sets whether this node takes part in the sharding of work, and so dials campaigns. Writes a heartbeat at once.
     */
    readonly setDialling: (does: boolean) => Effect.Effect<void>
    /** Whether this node takes part in the sharding of work. */
    readonly isDialling: Effect.Effect<boolean>
    /** Whether another living node of this cell dials. */
    readonly hasOthers: Effect.Effect<boolean>
    /** Sets how this node's calls are counted. Every heartbeat advertises their number. */
    readonly countCalls: (count: () => number) => Effect.Effect<void>
    /** The number of calls that this node advertised last. */
    readonly advertised: Effect.Effect<number>
    /** Asks the node that conducts the call to hang it up; it sees that within a second. */
    readonly askToHangUp: (call: string, node: string) => Effect.Effect<void>
    /** The calls that this node was asked to hang up, each once. */
    readonly hangUps: Effect.Effect<ReadonlyArray<string>>
    /**
     * Deletes the rows of those dead nodes among `ids` that have no noted accounts left. The other rows stay, so that
     * other cells find their accounts.
     */
    readonly forget: (ids: ReadonlyArray<string>) => Effect.Effect<void>
  }
>()("cluster/Node") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* PlatformDatabase
      // Only one process can hold the embedded server's folder: at boot all other nodes are dead, however recent their
      // rows.
      const { folder } = yield* DatabaseServer
      if (folder !== null) yield* sql`update nodes set seen_at = '-infinity'`
      const heartbeat = yield* Heartbeat.make
      const { id } = heartbeat
      const cell = yield* Cell
      const { enter, inherit, leave } = Presence.make(sql, heartbeat, cell)
      const liveness = Effect.sync(() => Liveness.make(sql, id, heartbeat.hearsSince))

      const hasLeft = sql`exists (select from node_accounts l where l.node_id = nodes.id)`
      const hasLeftHere = sql`exists (
        select from node_accounts l join accounts a on a.id = l.account_id where l.node_id = nodes.id and ${cell.isServed(sql)})`

      /** Finds nodes. This node first sends its own heartbeat if that is overdue. */
      const findIds = (where: (liveness: Liveness.Liveness) => Statement.Fragment) =>
        heartbeat.renewAfterGap.pipe(
          Effect.andThen(liveness),
          Effect.flatMap((liveness) => sql<{ id: string }>`select id from nodes where ${where(liveness)}`),
          Effect.map((rows) => rows.map((row) => row.id)),
          Effect.orDie,
        )

      return {
        id,
        enter: Effect.flatMap(CurrentTenant, (tenant) => Effect.as(enter(tenant.id), id)),
        inherit,
        leaveAccounts: leave,
        renew: Effect.orDie(heartbeat.renew),
        liveness,
        findGone: (ids) =>
          Effect.map(
            findIds(({ isGone }) => sql`id = any(${[...ids]}::uuid[]) and not ${isGone}`),
            (alive) => new Set(ids.filter((other) => other !== id && !alive.includes(other))),
          ),
        findDeparted: findIds(({ isGone }) => sql`${isGone} and id <> ${id} and (${hasLeftHere} or not ${hasLeft})`),
        setDialling: (does) => Effect.orDie(heartbeat.setDialling(does)),
        isDialling: Effect.sync(() => heartbeat.advertised.isDialling),
        hasOthers: Effect.map(findIds(dialsToo(sql, id)), (others) => others.length > 0),
        countCalls: (count) => Effect.sync(() => void (heartbeat.advertised.count = count)),
        advertised: Effect.sync(() => heartbeat.advertised.last),
        askToHangUp: (call, node) =>
          Effect.orDie(
            Effect.asVoid(sql`
              insert into hang_ups (call_id, node_id) select ${call}, id from nodes where id = ${node}
              on conflict do nothing`),
          ),
        hangUps: Effect.map(
          sql<{ call_id: string }>`delete from hang_ups where node_id = ${id} returning call_id`,
          (rows) => rows.map((row) => row.call_id),
        ).pipe(Effect.orDie),
        forget: (ids) =>
          liveness.pipe(
            Effect.flatMap(
              ({ isGone }) =>
                sql`delete from nodes where id = any(${[...ids]}::uuid[]) and ${isGone} and not ${hasLeft}`,
            ),
            Effect.asVoid,
            Effect.orDie,
          ),
      }
    }),
  )
}

/** Whether the node of the row `nodes` is another living one that dials in the cell of the node `id`. */
const dialsToo =
  (sql: SqlClient.SqlClient, id: string) =>
  ({ hasLostWork }: Liveness.Liveness) =>
    sql`
    id <> ${id} and dials and not ${hasLostWork}
    and cell is not distinct from (select cell from nodes where id = ${id})`
