/**
 * Moves of accounts to another PostgreSQL server that are under way (decision 0063). Each step is recorded before it
 * begins, and the process that moves an account holds a lock. If it is killed, another process undoes the move, or
 * drops what is left on the old server if the account is on the new one already.
 */
import { Context, Data, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { AccountDatabases } from "./AccountDatabases.ts"
import { AccountDirectory } from "./AccountDirectory.ts"
import { type DatabaseInUse, dropAside, putBack } from "./AsideDatabase.ts"
import { Cell } from "./Cell.ts"
import { DatabaseServers, isSame, platformServer } from "./DatabaseServers.ts"
import { keepOpen } from "./OpenTransaction.ts"
import { PlatformDatabase } from "./PlatformDatabase.ts"
import * as PlatformTransaction from "./PlatformTransaction.ts"
import * as Rows from "./Rows.ts"
import { transaction } from "./Transaction.ts"

/** The move cannot be done, or not now. Nothing was changed, or everything was undone. */
export class MoveRefused extends Data.TaggedError("MoveRefused")<{ readonly why: string }> {
  override get message() {
    return this.why
  }
}

/** The most seconds that a move may take. */
const mostSeconds = 7 * 86_400

const Move = Schema.Struct({
  /** The account's id. */
  id: Schema.String,
  slug: Schema.String,
  database: Schema.String,
  from_server: Schema.NullOr(Schema.String),
  to_server: Schema.NullOr(Schema.String),
  step: Schema.Literals(["preparing", "draining", "away", "switched"]),
  /** When it began, as text: this tells it from a later move of the account. */
  began: Schema.String,
  /** Whether the account is draining or away. */
  is_held: Schema.Boolean,
})
export type Move = typeof Move.Type

/** The name of a server in commands and messages; null is the platform's own. */
export const nameOf = (server: string | null) => server ?? platformServer

type Fault = DatabaseInUse | SqlError.SqlError

export class UnfinishedMoves extends Context.Service<
  UnfinishedMoves,
  {
    readonly list: Effect.Effect<ReadonlyArray<Move>>
    /** The move of the account; undefined if there is none. */
    readonly find: (id: string) => Effect.Effect<Move | undefined, SqlError.SqlError>
    /** Runs `self` while no other process moves the account, and refuses if one does. */
    readonly alone: <A, E, R>(
      id: string,
      self: Effect.Effect<A, E, R>,
    ) => Effect.Effect<A, E | MoveRefused | SqlError.SqlError, R>
    /**
     * Records that a move begins. From then on, a database of the account's name on the target belongs to the move,
     * which may drop it.
     */
    readonly begin: (
      id: string,
      from: string | null,
      to: string | null,
    ) => Effect.Effect<Move, MoveRefused | SqlError.SqlError>
    /** A condition on a row of `account_moves`: it is this move, and no later one of the account. */
    readonly isThis: (move: Move) => Statement.Fragment
    /** Records a step, and what it means for the account. Refuses if another process has undone the move. */
    readonly record: (move: Move, step: "draining" | "away") => Effect.Effect<void, MoveRefused | SqlError.SqlError>
    /** Gives the account back to all processes, where it was. Does nothing if the account is on the target already. */
    readonly bringBack: (move: Move) => Effect.Effect<void, Fault>
    /** Drops what the move created on the target. Does nothing if the account is there already. */
    readonly dropCopy: (move: Move) => Effect.Effect<void, SqlError.SqlError>
    /** Drops what is left on the server that the account has left. */
    readonly release: (move: Move) => Effect.Effect<void, SqlError.SqlError>
    /** Undoes or finishes the moves from and to this cell whose process was killed. */
    readonly finish: Effect.Effect<void>
  }
>()("tenancy/UnfinishedMoves") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const records = yield* makeRecords
      const steps = yield* makeSteps(records)
      const { inTransaction, outside, tryLock } = yield* PlatformTransaction.make
      const servers = yield* DatabaseServers
      const cell = yield* Cell

      /** Runs `self` under the account's lock. Undefined if another process holds it. */
      const ifFree = <A, E, R>(id: string, self: Effect.Effect<A, E, R>) =>
        Effect.flatMap(tryLock(`move ${id}`), (taken) =>
          taken ? keepOpen(outside(Effect.asSome(self)), mostSeconds) : Effect.succeedNone,
        ).pipe(inTransaction)

      /** Whether the server that is needed next is known not to answer. */
      const mustWait = ({ from_server, is_held, step, to_server }: Move) => {
        const needed = step === "switched" || is_held ? from_server : to_server
        return needed !== null && servers.silent.has(needed)
      }
      const finishOne = Effect.fnUntraced(function* (id: string) {
        // It may have ended since it was read.
        const move = yield* records.find(id)
        if (move === undefined) return
        const isDone = move.step === "switched"
        yield* isDone ? steps.release(move) : Effect.andThen(steps.bringBack(move), steps.dropCopy(move))
        yield* Effect.logWarning("a killed move of an account to another server was finished or undone").pipe(
          Effect.annotateLogs({ what: isDone ? "finished" : "undone" }),
        )
      })

      const { begin, find, isThis, list, record } = records
      return {
        begin,
        find,
        isThis,
        list,
        record,
        ...steps,
        alone: Effect.fnUntraced(function* (id, self) {
          const ended = yield* ifFree(id, self)
          if (Option.isSome(ended)) return ended.value
          return yield* new MoveRefused({ why: "Another process is moving the account at this moment." })
        }),
        finish: Effect.flatMap(records.list, (moves) =>
          Effect.forEach(
            moves.filter((move) => (cell.serves(move.from_server) || cell.serves(move.to_server)) && !mustWait(move)),
            ({ id, slug }) =>
              ifFree(id, finishOne(id)).pipe(
                Effect.catchCause((cause) =>
                  Effect.logWarning("a killed move of an account could not be undone or finished; retrying", cause),
                ),
                Effect.annotateLogs({ account: slug }),
              ),
            { discard: true },
          ),
        ),
      }
    }),
  )
}

const makeRecords = Effect.gen(function* () {
  const sql = yield* PlatformDatabase
  const inTransaction = <A, E>(self: Effect.Effect<A, E, SqlClient.SqlClient>) =>
    transaction(self).pipe(Effect.provideService(SqlClient.SqlClient, sql))
  const moves = (where: Statement.Fragment) =>
    Rows.all(Move)(sql`
      select a.id, a.slug, a.database, m.from_server, m.to_server, m.step, m.began_at::text as began,
        a.moving is not null as is_held
      from account_moves m join accounts a on a.id = m.account_id where ${where} order by m.began_at`)
  const find = (id: string) => Effect.map(moves(sql`a.id = ${id}`), ([move]) => move)
  const isThis = ({ began, id }: Move) => sql`account_id = ${id} and began_at::text = ${began}`

  const begin = Effect.fnUntraced(function* (id: string, from: string | null, to: string | null) {
    // A deletion begins under the same lock (AccountDeletion).
    const present = yield* sql`
      select from accounts where id = ${id} and deletion_began_at is null and deleting_at is null for no key update`
    if (present.length === 0) return yield* new MoveRefused({ why: "The account is being deleted." })
    yield* sql`
      insert into account_moves (account_id, from_server, to_server, step) values (${id}, ${from}, ${to}, 'preparing')`
    return (yield* find(id)) ?? (yield* undone)
  })

  const record = Effect.fnUntraced(function* (move: Move, step: "draining" | "away") {
    const mine = yield* sql`
      update account_moves set step = ${step}, away_at = case when ${step} = 'away' then clock_timestamp() end
      where ${isThis(move)} and step <> 'switched' returning account_id`
    if (mine.length === 0) return yield* undone
    yield* sql`update accounts set moving = ${step} where id = ${move.id}`
  })

  return {
    list: Effect.orDie(moves(sql`true`)),
    find,
    begin: (id: string, from: string | null, to: string | null) => inTransaction(begin(id, from, to)),
    record: (move: Move, step: "draining" | "away") => inTransaction(record(move, step)),
    isThis,
  }
})

/** The error of a process that lost its connection to the platform's database, and with it the lock of its move. */
export const undone = new MoveRefused({ why: "Another process has undone this move." })

const makeSteps = Effect.fnUntraced(function* ({ find, isThis }: Effect.Success<typeof makeRecords>) {
  const sql = yield* PlatformDatabase
  const servers = yield* DatabaseServers
  const databases = yield* AccountDatabases
  const directory = yield* AccountDirectory

  /** Runs `self` if the account is still where the move found it, and this is still its move. */
  const unlessOver = <E>(move: Move, self: Effect.Effect<void, E>) =>
    Effect.flatMap(find(move.id), (present) =>
      present?.began === move.began && present.step !== "switched" ? self : Effect.void,
    )

  const bringBack = Effect.fnUntraced(function* (move: Move) {
    const { maintenance } = yield* servers.find(move.from_server)
    yield* putBack(maintenance, move.database)
    yield* sql`update accounts set moving = null where id = ${move.id}`
    yield* directory.forget(move.slug)
  })
  const dropCopy = Effect.fnUntraced(function* (move: Move) {
    const [source, target] = [yield* servers.find(move.from_server), yield* servers.find(move.to_server)]
    // Should both names mean one server, the database of that name is the account's own.
    if (!(yield* isSame(source, target))) yield* (yield* databases.on(move.to_server)).drop(move.database)
    yield* sql`delete from account_moves where ${isThis(move)}`
  })

  return {
    bringBack: (move: Move) => unlessOver(move, bringBack(move)),
    dropCopy: (move: Move) => unlessOver(move, dropCopy(move)),
    release: Effect.fnUntraced(function* ({ database, from_server, id, slug, to_server }: Move) {
      // An administrator may have changed the caps while there was no database to copy them to.
      const { account } = yield* Effect.orDie(Effect.andThen(directory.forget(slug), directory.find(slug)))
      yield* (yield* databases.on(to_server)).copyCaps(database, account)
      const { maintenance } = yield* servers.find(from_server)
      yield* dropAside(maintenance, database)
      yield* sql`delete from account_moves where account_id = ${id}`
    }),
  }
})
