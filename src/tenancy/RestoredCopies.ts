/**
 * Detects databases that were restored from a backup, and pauses their accounts: people who were called after the
 * backup would otherwise be called again (decision 0044).
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AccountDirectory } from "./AccountDirectory.ts"
import { cellOfRow } from "./Cell.ts"
import { platformServer } from "./DatabaseServers.ts"
import { PlatformDatabase } from "./PlatformDatabase.ts"
import { reportPaused } from "./PausedAccounts.ts"
import * as RestoredServers from "./RestoredServers.ts"
import * as ServerIdentity from "./ServerIdentity.ts"
import { transaction } from "./Transaction.ts"

export class RestoredCopies extends Context.Service<
  RestoredCopies,
  {
    /**
     * Runs at boot, before any dialling. Pauses every account if the server is another one, or an earlier state of the
     * same one. Otherwise as `check`.
     */
    readonly checkAtBoot: Effect.Effect<void>
    /** The slugs of the accounts that `checkAtBoot` would pause. */
    readonly pausable: Effect.Effect<ReadonlyArray<string>>
    /** Pauses the accounts whose databases were created anew. */
    readonly check: Effect.Effect<void>
    /** The number of accounts that are paused. */
    readonly count: Effect.Effect<number>
  }
>()("tenancy/RestoredCopies") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* PlatformDatabase
      const directory = yield* AccountDirectory
      const server = yield* ServerIdentity.make
      const pause = makePause(sql, directory)
      const others = yield* RestoredServers.make(server.hasOtherProcess, directory)

      const isCopy = Effect.fnUntraced(function* (is: ServerIdentity.Identity, was: ServerIdentity.Identity) {
        if (is.system_identifier !== was.system_identifier || is.data_folder !== was.data_folder) return true
        // If another process is connected, it has outlived the change: the server was promoted, not rewound.
        return is.timeline !== was.timeline && !(yield* server.hasOtherProcess(null))
      })
      const pausable = Effect.gen(function* () {
        const [was, is] = [yield* server.recorded, yield* server.read]
        const isWholeServer = was !== undefined && is !== undefined && (yield* isCopy(is, was))
        const found = yield* sql<{ slug: string }>`
          select a.slug from accounts a left join pg_database d on d.datname = a.database
          where a.status = 'active' and a.server is null and a.moving is distinct from 'away'
            and (${isWholeServer} or a.database_oid <> coalesce(d.oid, 0)) order by a.slug`
        return [...found.map(({ slug }) => slug), ...(yield* others.pausable)].toSorted()
      })
      const compare = Effect.fnUntraced(
        function* (is: ServerIdentity.Identity) {
          // Processes that boot at once do this one after another.
          yield* sql`select pg_advisory_xact_lock(hashtext('parley-restored-copies'))`
          const was = yield* server.recorded
          yield* pause(was !== undefined && (yield* isCopy(is, was)))
          yield* server.record(is)
        },
        transaction,
        Effect.provideService(SqlClient.SqlClient, sql),
      )

      /**
       * Records a new timeline. A process that outlives the promotion of a standby knows that the server is no restored
       * copy.
       */
      const follow = Effect.gen(function* () {
        const was = yield* server.recorded
        const is = was && (yield* server.read)
        if (is === undefined || is.timeline === was?.timeline) return
        yield* Effect.logWarning("the PostgreSQL server was promoted while Parley ran")
        yield* server.record(is)
      })

      return {
        checkAtBoot: Effect.orDie(
          Effect.flatMap(server.read, (is) => (is === undefined ? pause(false) : compare(is))),
        ).pipe(Effect.andThen(others.check)),
        pausable: Effect.orDie(pausable),
        check: Effect.orDie(Effect.andThen(follow, pause(false))).pipe(Effect.andThen(others.check)),
        count: Effect.map(
          sql<{ count: number }>`select count(*)::int as count from accounts where status = 'restored'`,
          ([row]) => row?.count ?? 0,
        ).pipe(Effect.orDie),
      }
    }),
  )
}

/** Pauses the accounts whose databases were made anew, or every account if the whole server is a copy. */
const makePause = (sql: PlatformDatabase["Service"], directory: AccountDirectory["Service"]) =>
  Effect.fnUntraced(function* (isWholeServer: boolean) {
    const oid = sql.literal("(select d.oid from pg_database d where d.datname = a.database)")
    // A database that is seen for the first time need not be a copy, so its OID is only recorded.
    yield* sql`
      update accounts a set database_oid = ${oid}
      where ${cellOfRow(sql)} = ${platformServer} and database_oid is null and not ${isWholeServer} and ${oid} is not null`
    // 0 marks a missing database: when it exists again, its OID differs.
    const paused = yield* sql<{ slug: string; is_paused: boolean }>`
      update accounts a set database_oid = coalesce(${oid}, 0), revision = revision + 1, updated_at = now(),
        status = case when status = 'active' then 'restored' else status end
      where ${cellOfRow(sql)} = ${platformServer} and moving is distinct from 'away' and (${isWholeServer} or database_oid <> ${oid})
      returning slug, status = 'restored' as is_paused`
    yield* reportPaused(paused, directory)
  })
