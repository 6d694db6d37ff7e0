/**
 * This process among those that share the databases, and which of the others are dead (`migrations/platform`, `nodes`).
 * Each process renews its row every second and holds a session whose name identifies it. A killed process loses the
 * session at once; one that hangs keeps it. So a dead process is noticed soon, and a slow one is given time.
 */
import { Clock, Config, Context, Effect, Layer, Option, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import { DatabaseServer, pool } from "../tenancy/DatabaseServer.ts"
import { PlatformDatabase } from "../tenancy/PlatformDatabase.ts"

const renewEvery = "1 second"
/** A silent server or a cut connection must not cost the next second's heartbeat. */
const renewLimit = "2 seconds"
/** The same for a connection that is being opened. */
const giveUpAfter = "3 seconds"
const renewAgain = { schedule: Schedule.spaced("200 millis"), times: 3 }

/**
 * Seconds without a heartbeat after which a node counts as dead: when its session is lost, and when it is still there.
 */
interface Patience {
  readonly dead: number
  readonly silent: number
}

/** Before its calls are settled: a live node that was cut off for a moment must not find its own calls ended. */
const ofCalls: Patience = { dead: 3, silent: 15 }
/** Before other nodes dial its campaigns: a mistake costs nothing, since the epoch fences the old dialler. */
const ofCampaigns: Patience = { dead: 2, silent: 4 }

/** After a gap this long the node has missed heartbeats itself, so it waits before declaring others dead. */
const cutOffMs = 2_500

export class Node extends Context.Service<
  Node,
  {
    readonly id: string
    /** Writes a heartbeat at once; the node counts as alive until its patience is over. */
    readonly renew: Effect.Effect<void>
    /** Those of these nodes that are dead. A node without a row never started, or was forgotten long ago. */
    readonly findGone: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>>
    /** Ids of dead nodes whose rows are still there, to be settled and forgotten. */
    readonly takeDeparted: Effect.Effect<ReadonlyArray<string>>
    /** The nodes that dial campaigns and were heard of lately. */
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
      const { platformDatabase, urlOf } = yield* DatabaseServer
      const id = uuidv7()
      const session = yield* Layer.build(
        pool({
          url: urlOf(platformDatabase),
          name: `parley:node:${id}`,
          maxConnections: 1,
          connectTimeout: giveUpAfter,
        }),
      ).pipe(Effect.map(Context.get(SqlClient.SqlClient)))
      // Only one process can hold the embedded server's folder: at boot all other nodes are dead, however recent their
      // rows.
      if (Option.isNone(yield* Config.option(Config.String("DATABASE_URL")))) {
        yield* sql`update nodes set seen_at = '-infinity'`
      }
      let dialling = false
      let renewedAt: number | undefined
      /** Since when this process has heard heartbeats without a gap; `-infinity` if there was no gap. */
      let hearsSince = "-infinity"
      const renew = Effect.gen(function* () {
        const [row] = yield* session<{ now: Date }>`
          insert into nodes (id, dials) values (${id}, ${dialling})
          on conflict (id) do update set seen_at = clock_timestamp(), dials = excluded.dials
          returning clock_timestamp() as now`
        const now = yield* Clock.currentTimeMillis
        if (renewedAt !== undefined && now - renewedAt > cutOffMs && row !== undefined) {
          hearsSince = row.now.toISOString()
        }
        renewedAt = now
      }).pipe(Effect.timeout(renewLimit))
      yield* renew.pipe(Effect.retry(renewAgain))
      // Other nodes settle at once what this process could not finish.
      yield* Effect.addFinalizer(() =>
        Effect.ignore(sql`update nodes set seen_at = '-infinity', dials = false where id = ${id}`),
      )
      yield* renew.pipe(
        Effect.retry(renewAgain),
        Effect.catchCause((cause) => Effect.logWarning("heartbeat failed", cause)),
        Effect.repeat(Schedule.spaced(renewEvery)),
        Effect.forkScoped,
      )
      /** A node sends its own heartbeat before it judges others. */
      const judging = Effect.flatMap(Clock.currentTimeMillis, (now) =>
        renewedAt !== undefined && now - renewedAt > cutOffMs ? renew : Effect.void,
      )
      // When the server itself has just come up, every node was cut off.
      const isGone = ({ dead, silent }: Patience) => sql`(
        nodes.seen_at = '-infinity' or
        greatest(nodes.seen_at, ${hearsSince}::timestamptz, pg_postmaster_start_time())
          < clock_timestamp() - make_interval(secs => case
            when exists (select from pg_stat_activity where application_name = 'parley:node:' || nodes.id)
            then ${silent}::float8 else ${dead}::float8 end))`
      return {
        id,
        renew: Effect.orDie(renew),
        findGone: (ids) =>
          Effect.map(
            Effect.andThen(
              judging,
              Effect.suspend(
                () =>
                  sql<{ id: string }>`
                    select id from nodes where id = any(${[...ids]}::uuid[]) and not ${isGone(ofCalls)}`,
              ),
            ),
            (alive) => {
              const there = new Set([id, ...alive.map((row) => row.id)])
              return new Set(ids.filter((other) => !there.has(other)))
            },
          ).pipe(Effect.orDie),
        takeDeparted: Effect.andThen(
          judging,
          Effect.suspend(() => sql<{ id: string }>`select id from nodes where ${isGone(ofCalls)} and id <> ${id}`),
        ).pipe(
          Effect.map((rows) => rows.map((row) => row.id)),
          Effect.orDie,
        ),
        diallers: Effect.andThen(
          judging,
          Effect.suspend(
            () => sql<{ id: string }>`select id from nodes where dials and (id = ${id} or not ${isGone(ofCampaigns)})`,
          ),
        ).pipe(
          Effect.map((rows) => rows.map((row) => row.id)),
          Effect.orDie,
        ),
        dials: (does) =>
          Effect.suspend(() => {
            dialling = does
            return Effect.orDie(renew)
          }),
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
