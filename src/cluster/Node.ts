/**
 * This process among those that share the databases, and which of the others are gone (`migrations/platform`, `nodes`).
 * Each says every second that it is there, over a session of its own whose name tells it: a process that was killed
 * loses the session at once, one that hangs keeps it. So the dead are known soon, and the slow are given time.
 */
import { Clock, Config, Context, Effect, Layer, Option, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import { DatabaseServer, pool } from "../tenancy/DatabaseServer.ts"
import { PlatformDatabase } from "../tenancy/PlatformDatabase.ts"

const renewEvery = "1 second"
/** A server that says nothing, and a connection that was cut: neither may cost the next second's word. */
const renewLimit = "2 seconds"
/** And one that is being made, for another. */
const giveUpAfter = "3 seconds"
const renewAgain = { schedule: Schedule.spaced("200 millis"), times: 3 }

/** Seconds without a word after which a node is taken for gone: with its session lost, and with it still there. */
interface Patience {
  readonly dead: number
  readonly silent: number
}

/** Its calls are settled: a live one that was cut off for a moment must not find its own calls ended. */
const ofCalls: Patience = { dead: 3, silent: 15 }
/** Its campaigns are dialled by others: a mistake costs nothing, since their epoch shuts it out. */
const ofCampaigns: Patience = { dead: 2, silent: 4 }

/** Whoever was cut off himself for so long has heard nobody, and judges nobody until they have had time to speak. */
const cutOffMs = 2_500

export class Node extends Context.Service<
  Node,
  {
    readonly id: string
    /** Says at once that it is there; nobody takes it for gone from then on, until its patience is over. */
    readonly renew: Effect.Effect<void>
    /** Of these nodes, those that are gone. One that has no row was never there, or is long forgotten. */
    readonly findGone: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>>
    /** Rows of nodes that are gone, for somebody to settle what they left and forget them. */
    readonly takeDeparted: Effect.Effect<ReadonlyArray<string>>
    /** The nodes that dial campaigns and were heard of lately. */
    readonly diallers: Effect.Effect<ReadonlyArray<string>>
    /** Says whether this one dials campaigns. */
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
      // Only one process can have the embedded server's folder: at boot all others are gone, however lately seen.
      if (Option.isNone(yield* Config.option(Config.String("DATABASE_URL")))) {
        yield* sql`update nodes set seen_at = '-infinity'`
      }
      let dialling = false
      let renewedAt: number | undefined
      /** Since when this process hears without a gap; as long as it lives, when there was none. */
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
      // What this process could not finish is for others to settle at once.
      yield* Effect.addFinalizer(() =>
        Effect.ignore(sql`update nodes set seen_at = '-infinity', dials = false where id = ${id}`),
      )
      yield* renew.pipe(
        Effect.retry(renewAgain),
        Effect.catchCause((cause) => Effect.logWarning("heartbeat failed", cause)),
        Effect.repeat(Schedule.spaced(renewEvery)),
        Effect.forkScoped,
      )
      /** Who is about to judge has to be heard himself. */
      const judging = Effect.flatMap(Clock.currentTimeMillis, (now) =>
        renewedAt !== undefined && now - renewedAt > cutOffMs ? renew : Effect.void,
      )
      // A server that has just come up has cut off everybody.
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
