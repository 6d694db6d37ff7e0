/**
 * The heartbeat of this process: its row in `nodes`, which it renews every second over a session of its own whose name
 * identifies it. The row and the session end with the scope.
 */
import { Clock, Context, Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import * as Readings from "../telemetry/Readings.ts"
import { DatabaseServer, pool } from "../tenancy/DatabaseServer.ts"
import { Cell } from "../tenancy/Cell.ts"
import * as Migrations from "../tenancy/Migrations.ts"
import { MasterKey } from "../tenancy/MasterKey.ts"
import { PlatformDatabase } from "../tenancy/PlatformDatabase.ts"
import { Advertised, callsMax } from "./Capacity.ts"

const renewEvery = "1 second"
/** The time limit of a renewal, so that a silent server or a cut connection does not hold up the next heartbeats. */
const renewLimit = "2 seconds"
/** The time limit for opening the connection, for the same reason. */
const giveUpAfter = "3 seconds"
const renewAgain = { schedule: Schedule.spaced("200 millis"), times: 3 }

/** After a gap this long the node has missed heartbeats itself, so it waits before declaring others dead. */
const cutOffMs = 2_500

export type Heartbeat = Effect.Success<typeof make>

export const make = Effect.gen(function* () {
  const sql = yield* PlatformDatabase
  const { platformDatabase, urlOf } = yield* DatabaseServer
  const { fingerprints } = yield* MasterKey
  const { name: cell } = yield* Cell
  const advertised = new Advertised(yield* callsMax)
  const id = uuidv7()
  const session = yield* Layer.build(
    pool({ url: urlOf(platformDatabase), name: `parley:node:${id}`, maxConnections: 1, connectTimeout: giveUpAfter }),
  ).pipe(Effect.map(Context.get(SqlClient.SqlClient)))
  let renewedAt: number | undefined
  let hearsSince = "-infinity"
  const hasGap = (now: number) => renewedAt !== undefined && now - renewedAt > cutOffMs

  const renew = Effect.gen(function* () {
    const calls = advertised.count()
    const [row] = yield* session<{ now: Date }>`
      insert into nodes (id, dials, is_runner, encryption_keys, tenant_schema, platform_schema, calls, calls_max, cell)
      values (${id}, ${advertised.isDialling}, true, ${fingerprints}, ${Migrations.newestOfTenant},
        ${Migrations.newestOfPlatform}, ${calls}::int, ${advertised.calls_max}::int, ${cell})
      on conflict (id) do update set seen_at = clock_timestamp(), dials = excluded.dials, calls = excluded.calls,
        calls_max = excluded.calls_max
      returning clock_timestamp() as now`
    const now = yield* Clock.currentTimeMillis
    if (hasGap(now) && row !== undefined) hearsSince = row.now.toISOString()
    renewedAt = now
    advertised.last = calls
  }).pipe(Effect.timeout(renewLimit))
  yield* renew.pipe(Effect.retry(renewAgain))
  const clock = yield* Clock.Clock
  yield* Readings.register([
    {
      name: "parley_heartbeat_age_seconds",
      description: "Seconds since this process last renewed its lease in the platform's database, once a second.",
      read: () => (clock.currentTimeMillisUnsafe() - (renewedAt ?? 0)) / 1_000,
    },
  ])
  // Marks this node as dead, so that other nodes settle at once what it could not finish.
  yield* Effect.addFinalizer(() =>
    Effect.ignore(sql`update nodes set seen_at = '-infinity', dials = false where id = ${id}`),
  )
  yield* renew.pipe(
    Effect.retry(renewAgain),
    Effect.catchCause((cause) => Effect.logWarning("heartbeat failed", cause)),
    Effect.repeat(Schedule.spaced(renewEvery)),
    Effect.forkScoped,
  )

  return {
    id,
    renew,
    /** Renews if the last heartbeat is overdue. A node does this before it declares others dead. */
    renewAfterGap: Effect.flatMap(Clock.currentTimeMillis, (now) => (hasGap(now) ? renew : Effect.void)),
    /** Sets whether this node dials campaigns, and renews at once so that the others see it. */
    setDialling: (does: boolean) =>
      Effect.suspend(() => {
        advertised.isDialling = does
        return renew
      }),
    advertised,
    /** The time since which this process has heard heartbeats without a gap. `-infinity` if there was no gap. */
    get hearsSince() {
      return hearsSince
    },
  }
})
