/**
 * Keeps the accounts' databases in order while Parley runs. It closes restored databases to other roles and pauses
 * their accounts, drops what a killed process left of a creation or a deletion, undoes or finishes killed moves, and
 * closes the pools of removed databases.
 */
import { Effect, Layer, Schedule } from "effect"
import * as Sweeps from "../telemetry/Sweeps.ts"
import { AccountAccess } from "./AccountAccess.ts"
import { PlatformDatabase } from "./PlatformDatabase.ts"
import { keyOf, type Place } from "./Pools.ts"
import { RestoredCopies } from "./RestoredCopies.ts"
import { TenantDatabases } from "./TenantDatabases.ts"
import { UnfinishedAccounts } from "./UnfinishedAccounts.ts"
import { UnfinishedMoves } from "./UnfinishedMoves.ts"

const checkEvery = "5 seconds"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const access = yield* AccountAccess
    const copies = yield* RestoredCopies
    const unfinished = yield* UnfinishedAccounts
    const moves = yield* UnfinishedMoves
    const platform = yield* PlatformDatabase
    const tenants = yield* TenantDatabases

    /**
     * Closes the pools of databases that are missing, or that an account has left. An open pool would try to connect for
     * each statement; an account whose pool cannot be opened rests (AccountFaults).
     */
    const closeMissing = Effect.gen(function* () {
      const open = yield* tenants.places
      const present = yield* platform<Place>`
        select slug, server, database from accounts a
        where database = any(${open.map(({ database }) => database)}) and moving is distinct from 'away'
          and (server is not null or exists (select from pg_database d where d.datname = a.database))`
      const keys = new Set(present.map(keyOf))
      yield* Effect.forEach(
        open.filter((place) => !keys.has(keyOf(place))),
        tenants.close,
        { discard: true },
      )
    })

    yield* Effect.all([copies.check, access.restore, unfinished.finish, moves.finish, closeMissing], {
      discard: true,
    }).pipe(
      Sweeps.measure("accounts"),
      Effect.catchCause((cause) => Effect.logWarning("upkeep of the accounts' databases failed", cause)),
      Effect.delay(checkEvery),
      Effect.repeat(Schedule.forever),
      Effect.forkScoped,
    )
  }),
)
