/**
 * This process as a node among those that share the databases, and which of the others are dead (`migrations/platform`,
 * `nodes`). Each node has a heartbeat and a session. A killed process loses its session at once; a process that hangs
 * keeps it. So a dead process is noticed soon, and a slow one is given time.
 */
import { Config, Context, Effect, Layer, Option } from "effect"
import type { Statement } from "effect/sql"
import { PlatformDatabase } from "../tenancy/PlatformDatabase.ts"
import * as Heartbeat from "./Heartbeat.ts"

/**
 * Seconds without a heartbeat after which a node counts as dead: `dead` if its session is lost, `silent` if its session
 * is still there.
 */
interface Patience {
  readonly dead: number
  readonly silent: number
}

/**
 * The patience before a node's calls are settled: a live node that was cut off for a moment must not find its own calls
 * ended.
 */
const ofCalls: Patience = { dead: 3, silent: 15 }
/**
 * The patience before other nodes dial its campaigns: a mistake costs nothing, since the epoch fences the old dialler.
 */
const ofCampaigns: Patience = { dead: 2, silent: 4 }

export class Node extends Context.Service<
  Node,
  {
    readonly id: string
    /** Writes a heartbeat at once; the node counts as alive until its patience is over. */
    readonly renew: Effect.Effect<void>
    /**
     * Returns the dead nodes among `ids`. A node without a row counts as dead: it never started, or was forgotten long
     * ago.
     */
    readonly findGone: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>>
    /** The ids of dead nodes whose rows still exist: their calls have to be settled before the nodes are forgotten. */
    readonly takeDeparted: Effect.Effect<ReadonlyArray<string>>
    /** The ids of the nodes that dial campaigns and are not dead. */
    readonly diallers: Effect.Effect<ReadonlyArray<string>>
    /** Sets whether this node dials campaigns. */
    readonly dials: (does: boolean) => Effect.Effect<void>
    /** Asks the node that conducts the call to hang it up; it sees that within a second. */
    readonly askToHangUp: (call: string, node: string) => Effect.Effect<void>
    /** The calls that this node was asked to hang up, each once. */
    readonly hangUps: Effect.Effect<ReadonlyArray<string>>
    readonly forget: (ids: ReadonlyArray<string>) => Effect.Effect<void>
  }
>()("cluster/Node") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* PlatformDatabase
      // Only one process can hold the embedded server's folder: at boot all other nodes are dead, however recent their
      // rows.
      if (Option.isNone(yield* Config.option(Config.String("DATABASE_URL")))) {
        yield* sql`update nodes set seen_at = '-infinity'`
      }
      const heartbeat = yield* Heartbeat.make
      const { id } = heartbeat

      // A server that has just started had cut off every node, so a node's silence counts from that start at the
      // earliest.
      const isGone = ({ dead, silent }: Patience) => sql`(
        nodes.seen_at = '-infinity' or
        greatest(nodes.seen_at, ${heartbeat.hearsSince}::timestamptz, pg_postmaster_start_time())
          < clock_timestamp() - make_interval(secs => case
            when exists (select from pg_stat_activity where application_name = 'parley:node:' || nodes.id)
            then ${silent}::float8 else ${dead}::float8 end))`

      /** Finds nodes. This node first sends its own heartbeat if that is overdue. */
      const findIds = (where: () => Statement.Fragment) =>
        Effect.andThen(
          heartbeat.renewAfterGap,
          Effect.suspend(() => sql<{ id: string }>`select id from nodes where ${where()}`),
        ).pipe(
          Effect.map((rows) => rows.map((row) => row.id)),
          Effect.orDie,
        )

      return {
        id,
        renew: Effect.orDie(heartbeat.renew),
        findGone: (ids) =>
          Effect.map(
            findIds(() => sql`id = any(${[...ids]}::uuid[]) and not ${isGone(ofCalls)}`),
            (alive) => new Set(ids.filter((other) => other !== id && !alive.includes(other))),
          ),
        takeDeparted: findIds(() => sql`${isGone(ofCalls)} and id <> ${id}`),
        diallers: findIds(() => sql`dials and (id = ${id} or not ${isGone(ofCampaigns)})`),
        dials: (does) => Effect.orDie(heartbeat.setDialling(does)),
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
          Effect.suspend(() =>
            Effect.orDie(
              Effect.asVoid(sql`delete from nodes where id = any(${[...ids]}::uuid[]) and ${isGone(ofCalls)}`),
            ),
          ),
      }
    }),
  )
}
