/**
 * Decides whether this process leaves requests and campaigns to a process of an earlier release, until it takes over
 * for good (decision 0049).
 */
import { Effect } from "effect"
import * as Migrations from "./Migrations.ts"
import { PlatformDatabase } from "./PlatformDatabase.ts"

/** A process of an earlier release counts as dead this many seconds after its last heartbeat. */
const aliveSeconds = 4

export const make = Effect.gen(function* () {
  const platform = yield* PlatformDatabase
  let hasTakenOver = false
  const takeOver = () => {
    hasTakenOver = true
  }
  const hasEarlier = Effect.map(
    platform`
      select from nodes where dials and coalesce(tenant_schema, 0) < ${Migrations.newestOfTenant}
        and seen_at > clock_timestamp() - make_interval(secs => ${aliveSeconds}) limit 1`,
    (rows) => rows.length > 0,
  )
  const ask = Effect.tap(Effect.orDie(hasEarlier), (isHeld) => Effect.sync(() => (isHeld ? undefined : takeOver())))
  return { takeOver, isHeldBack: Effect.suspend(() => (hasTakenOver ? Effect.succeed(false) : ask)) }
})

/** Whether a process of a release runs that knows only the platform's own PostgreSQL server (decision 0063). */
export const isWithoutServers = Effect.gen(function* () {
  const platform = yield* PlatformDatabase
  const found = yield* platform`
    select from nodes where platform_schema is null
      and seen_at > clock_timestamp() - make_interval(secs => ${aliveSeconds}) limit 1`
  return found.length > 0
})
