/**
 * Moves of accounts from one PostgreSQL server to another (decision 0063). Each step is recorded before it begins
 * (UnfinishedMoves), so that a killed move is undone or finished. The directory names one server at every moment, and
 * no process opens a database of the account on the other one.
 */
import { Clock, Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { AccountDatabases } from "./AccountDatabases.ts"
import type { AccountEntry } from "./AccountDirectory.ts"
import { asideOf, putBack, setAside } from "./AsideDatabase.ts"
import * as AuditTrail from "./AuditTrail.ts"
import { ownersPool, serverWord } from "./DatabaseServer.ts"
import { DatabaseServers } from "./DatabaseServers.ts"
import * as EarlierRelease from "./EarlierRelease.ts"
import * as Migrations from "./Migrations.ts"
import { PlatformDatabase } from "./PlatformDatabase.ts"
import { type CopiedRows, copyRows } from "./RowCopy.ts"
import { transaction } from "./Transaction.ts"
import { type Move, MoveRefused, nameOf, undone, UnfinishedMoves } from "./UnfinishedMoves.ts"

/**
 * Longer than the 5 s for which processes cache an account (`AccountDirectory`). After it, every process knows that the
 * account begins no call, and reads every 200 ms from the directory where the account is.
 */
const knownAfter = "5500 millis"
/** Longer than the 200 ms for which processes cache an account that moves. */
const letGoAfter = "300 millis"
const askEvery = "250 millis"

export interface Order {
  readonly entry: AccountEntry
  readonly to: string | null
  /** Waits for the end of live calls. Otherwise the move is refused while there are any. */
  readonly drains: boolean
  /** Returns the promises of docs/promises.md that the copied rows break. */
  readonly verify: Effect.Effect<ReadonlyArray<string>, SqlError.SqlError, SqlClient.SqlClient>
  /** Called with a sentence at each step, for the operator. */
  readonly say: (text: string) => Effect.Effect<void>
}

export interface Moved extends CopiedRows {
  /** For how many milliseconds the account was not available. */
  readonly awayMs: number
}

const countLiveCalls = Effect.fnUntraced(function* (entry: AccountEntry, database: string) {
  const { urlOf } = yield* DatabaseServers.use(({ find }) => find(entry.server))
  return yield* withOwner(urlOf(database), (sql) =>
    Effect.map(sql<{ live: number }>`select count(*)::int as live from live_calls`, ([row]) => row?.live ?? 0),
  )
})

const withOwner = <A, E>(
  url: Parameters<typeof ownersPool>[0]["url"],
  use: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>,
) =>
  Effect.flatMap(SqlClient.SqlClient, use).pipe(
    Effect.provide(ownersPool({ url, name: "parley:move", maxConnections: 1 }), { local: true }),
  )

/**
 * A process of an earlier release would begin calls while the account drains, and would take the copy for a database
 * that was restored from a backup.
 */
const refuseEarlier = Effect.gen(function* () {
  if (yield* EarlierRelease.isWithoutServers) {
    return yield* new MoveRefused({
      why: "A process of an earlier release runs, which knows only the platform's own server. Move accounts after the upgrade.",
    })
  }
})

/** Refuses if the target already has a database of the account's name, as it has if both names mean the same server. */
const refuseTaken = Effect.fnUntraced(function* ({ entry, to }: Order) {
  const { maintenance } = yield* DatabaseServers.use(({ find }) => find(to))
  const [taken] = yield* maintenance`select from pg_database where datname = ${entry.database}`
  if (taken === undefined) return
  return yield* new MoveRefused({ why: `The server ${nameOf(to)} already has a database ${entry.database}.` })
})

/** Waits until the account has no live call and every process knows that it begins none. */
const drain = Effect.fnUntraced(function* ({ drains, entry, say }: Order, move: Move) {
  yield* UnfinishedMoves.use(({ record }) => record(move, "draining"))
  yield* Effect.sleep(knownAfter)
  let said = 0
  while (true) {
    const live = yield* countLiveCalls(entry, entry.database)
    if (live === 0) return
    if (!drains) {
      return yield* new MoveRefused({
        why: `Live calls: ${live}. Repeat the command with --drain, which waits for their end.`,
      })
    }
    if (live !== said) yield* say(`Waiting for the end of live calls: ${live}.`)
    said = live
    yield* Effect.sleep(askEvery)
  }
})

/** Takes the account away from all processes. Returns false if a call has begun meanwhile: then the account is back. */
const takeAway = Effect.fnUntraced(function* ({ entry }: Order, move: Move) {
  const { maintenance } = yield* DatabaseServers.use(({ find }) => find(entry.server))
  const moves = yield* UnfinishedMoves
  yield* refuseEarlier
  yield* moves.record(move, "away")
  yield* Effect.sleep(letGoAfter)
  yield* setAside(maintenance, entry.database)
  const isUndone = (yield* moves.find(entry.id))?.began !== move.began
  // A process that had cached the account may have begun a call at the last moment.
  if (!isUndone && (yield* countLiveCalls(entry, asideOf(entry.database))) === 0) return true
  yield* putBack(maintenance, entry.database)
  return isUndone ? yield* undone : false
})

const copyAndVerify = Effect.fnUntraced(function* ({ entry, say, to, verify }: Order) {
  const servers = yield* DatabaseServers
  const source = yield* servers.urlOf({ server: entry.server, database: asideOf(entry.database) })
  const target = yield* servers.urlOf({ server: to, database: entry.database })
  const copied = yield* copyRows({ source, target })
  yield* say(`Copied ${copied.rows} rows of ${copied.tables} tables.`)
  const broken = yield* withOwner(target, (sql) => Effect.provideService(verify, SqlClient.SqlClient, sql))
  if (broken.length > 0) {
    return yield* new MoveRefused({ why: `The copied rows contradict each other: ${broken.join("; ")}.` })
  }
  return copied
})

/** Switches the directory in one transaction: from its commit on, the account is on the target. */
const switchOver = Effect.fnUntraced(function* ({ entry, to }: Order, move: Move) {
  const sql = yield* PlatformDatabase
  const { maintenance } = yield* DatabaseServers.use(({ find }) => find(to))
  const { isThis } = yield* UnfinishedMoves
  const [found] = yield* maintenance<{ oid: number }>`
    select oid::int8::float8 as oid from pg_database where datname = ${entry.database}`
  // Its OID is recorded, because a database with another one counts as restored from a backup.
  if (found === undefined) return yield* new MoveRefused({ why: `The copy on ${nameOf(to)} has disappeared.` })
  const { slug, name } = entry.account
  yield* Effect.gen(function* () {
    const mine = yield* sql`
      update account_moves set step = 'switched' where ${isThis(move)} and step = 'away' returning account_id`
    if (mine.length === 0) return yield* undone
    yield* sql`
      update accounts set server = ${to}, database_oid = ${found.oid}::int8::oid, moving = null,
        revision = revision + 1, updated_at = now() where id = ${entry.id}`
    const changes = [{ field: "server", before: nameOf(entry.server), after: nameOf(to) }]
    const fields = { account: slug, object_id: slug, object_name: name, changes }
    yield* AuditTrail.writeToPlatform(sql, { action: "account.move", ...fields })
  }).pipe(transaction, Effect.provideService(SqlClient.SqlClient, sql))
})

const runSteps = Effect.fnUntraced(function* (order: Order, move: Move) {
  const { entry, say, to } = order
  yield* AccountDatabases.use(({ on }) => Effect.flatMap(on(to), ({ create }) => create(entry.login)))
  yield* say("Waiting until every process knows that the account begins no call.")
  let awaySince = 0
  do {
    yield* drain(order, move)
    awaySince = yield* Clock.currentTimeMillis
  } while (!(yield* takeAway(order, move)))
  yield* say("The account is away: its requests get a 503.")
  const copied = yield* copyAndVerify(order)
  yield* switchOver(order, move)
  const awayMs = (yield* Clock.currentTimeMillis) - awaySince
  // Runs after the switch, because the account would be away meanwhile. If it fails, autovacuum does it later.
  const target = yield* DatabaseServers.use(({ urlOf }) => urlOf({ server: to, database: entry.database }))
  yield* Effect.ignore(
    withOwner(target, (sql) => sql`analyze`),
    { log: true },
  )
  return { ...copied, awayMs } satisfies Moved
})

/** Undoes a move that failed, unless the account is on the target already. */
const undo = Effect.fnUntraced(function* ({ say }: Pick<Order, "say">, move: Move) {
  const moves = yield* UnfinishedMoves
  yield* say("Undoing the move.")
  yield* moves.bringBack(move)
  yield* moves
    .dropCopy(move)
    .pipe(
      Effect.catch((error) =>
        say(
          `The account is on ${nameOf(move.from_server)} and works. What the move created on ${nameOf(move.to_server)} could not be dropped: ${serverWord(error)}. A running process, or \`parley repair\`, drops it as soon as that is possible.`,
        ),
      ),
    )
})

/**
 * Moves the account, or finishes a move that was killed after the account was on the target; then it returns undefined.
 * If it fails before the account is on the target, everything is undone.
 */
export const move = Effect.fn("AccountMoves.move")(function* (order: Order) {
  const { entry, say, to } = order
  const moves = yield* UnfinishedMoves
  const work = Effect.gen(function* () {
    const present = yield* moves.find(entry.id)
    if (present !== undefined && present.to_server !== to) {
      return yield* new MoveRefused({
        why: `A move to ${nameOf(present.to_server)} is under way. Undo it with --abandon.`,
      })
    }
    if (present?.step === "switched") {
      yield* say(`The account is on ${nameOf(to)} already; dropping what is left on ${nameOf(present.from_server)}.`)
      return yield* moves.release(present)
    }
    // An earlier command was killed before the switch: its move is undone before a new one begins.
    if (present !== undefined) yield* Effect.andThen(moves.bringBack(present), moves.dropCopy(present))
    yield* refuseEarlier
    yield* refuseTaken(order)
    yield* say(`Preparing a database on ${nameOf(to)}.`)
    const begun = yield* moves.begin(entry.id, entry.server, to)
    const moved = yield* runSteps(order, begun).pipe(
      Effect.onError(() =>
        Effect.catchCause(undo(order, begun), (cause) =>
          Effect.logError("the move could not be undone; a running process tries again, or `parley repair`", cause),
        ),
      ),
    )
    yield* moves
      .release(begun)
      .pipe(
        Effect.catch((error) =>
          Effect.logWarning("what is left on the old server is dropped later, by a running process", error),
        ),
      )
    return moved
  })
  return yield* moves.alone(entry.id, work)
})

/**
 * Undoes a move that was killed. Returns the name of the server on which the account stays. Fails if the account is on
 * the target already, or if there is no move.
 */
export const abandon = Effect.fn("AccountMoves.abandon")(function* (
  entry: AccountEntry,
  say: (text: string) => Effect.Effect<void>,
) {
  const moves = yield* UnfinishedMoves
  const work = Effect.gen(function* () {
    const present = yield* moves.find(entry.id)
    if (present === undefined) return yield* new MoveRefused({ why: "No move of the account is under way." })
    if (present.step === "switched") {
      return yield* new MoveRefused({
        why: `The account is on ${nameOf(present.to_server)} already. Run \`parley accounts move\` again to finish, and then move it back.`,
      })
    }
    yield* undo({ say }, present)
    return nameOf(entry.server)
  })
  return yield* moves.alone(entry.id, work)
})

/** Why the account cannot be moved to the server; undefined if it can. Changes nothing. */
export const obstacleTo = ({ account, isReadable, schemaVersion, server }: AccountEntry, to: string | null) => {
  if (server === to) return `The account ${account.slug} is on the server ${nameOf(to)} already.`
  if (!isReadable) return `PARLEY_ENCRYPTION_KEY does not open the data key of ${account.slug}.`
  return schemaVersion === Migrations.newestOfTenant
    ? undefined
    : `${account.slug} has the schema ${schemaVersion} instead of ${Migrations.newestOfTenant}. Run \`parley repair\`, or the release that migrated it.`
}

/** Counts the account's live calls. */
export const countLive = (entry: AccountEntry) => countLiveCalls(entry, entry.database)
