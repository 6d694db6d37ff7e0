/**
 * Limits the connections that a process has open to the accounts' databases on one server together (decision 0056). A
 * pool takes a place before it opens a connection. While no place is free, a connection that is needed less is closed:
 * one that its pool can spare, or those of a pool that is not borrowed.
 */
import type { PgPool } from "@effect/sql-pg"
import { Clock, Effect, Option, Scope } from "effect"
import * as Readings from "../telemetry/Readings.ts"
import * as FairSemaphore from "./FairSemaphore.ts"

/** A pool that is not borrowed. */
export interface IdlePool {
  /** When its last borrower left, in milliseconds of the clock. */
  readonly usedAt: number
  readonly close: Effect.Effect<void>
}

/** An account's pool, as the others see it. */
interface Member {
  readonly account: string
  pool: PgPool.PgPool | undefined
  /** Its open connections, each of which holds a place. */
  open: number
  /** How many of these are about to be closed for another pool. */
  closing: number
  /** Transactions that have, or wait for, a connection of their own. All other statements share one. */
  transactions: number
  /** When it last needed all of its connections. */
  neededAt: number
}

/**
 * The least number of places. With fewer, an account whose work needs two connections at a time would wait for itself.
 */
const fewest = 4

/**
 * A pool whose connections are all in transactions waits this long before it takes another pool's connection: most
 * transactions end sooner, and a new session costs both sides more than the wait.
 */
const patience = "50 millis"

export interface ConnectionPlaces {
  /**
   * Makes an account's pool. `makePool` gets an effect that the pool has to run before it opens a connection, in the
   * scope of that connection. The effect waits for a place and holds it until the scope closes.
   */
  readonly join: <E, R>(
    account: string,
    makePool: (beforeConnect: Effect.Effect<void>) => Effect.Effect<PgPool.PgPool, E, R>,
  ) => Effect.Effect<PgPool.PgPool, E, R | Scope.Scope>
}

interface Shared {
  readonly places: FairSemaphore.FairSemaphore
  readonly members: Set<Member>
  readonly findIdle: Effect.Effect<IdlePool | undefined>
  readonly clock: Clock.Clock
  /** The scope of all pools of this process. */
  readonly scope: Scope.Scope
  /** Connections opened since the start. */
  opened: number
}

/**
 * `findIdle` chooses the pool without borrowers that makes room; undefined if all pools are borrowed. `server` is the
 * name of a registered server in the metrics; undefined for the platform's own.
 */
export const make = Effect.fnUntraced(function* (max: number, findIdle: Shared["findIdle"], server?: string) {
  const count = Math.max(fewest, max)
  const shared: Shared = {
    places: yield* FairSemaphore.make({ what: "connections", places: count, waiting: Number.MAX_SAFE_INTEGER }),
    members: new Set(),
    findIdle,
    clock: yield* Clock.Clock,
    scope: yield* Effect.scope,
    opened: 0,
  }
  yield* register(shared, count, server)
  return { join: (account, makePool) => join(shared, account, makePool) } satisfies ConnectionPlaces
})

const join = Effect.fnUntraced(function* <E, R>(
  shared: Shared,
  account: string,
  makePool: (beforeConnect: Effect.Effect<void>) => Effect.Effect<PgPool.PgPool, E, R>,
) {
  const now = () => shared.clock.currentTimeMillisUnsafe()
  const member: Member = { account, pool: undefined, open: 0, closing: 0, transactions: 0, neededAt: now() }
  const pool = yield* makePool(hold(shared, member))
  member.pool = pool
  yield* Effect.acquireRelease(
    Effect.sync(() => shared.members.add(member)),
    () => Effect.sync(() => shared.members.delete(member)),
  )
  const count = (change: 1 | -1) =>
    Effect.sync(() => {
      if (!hasSpare(member)) member.neededAt = now()
      member.transactions += change
    })
  const transaction = Effect.acquireRelease(count(1), () => count(-1))
  return { ...pool, reserve: Effect.andThen(transaction, pool.reserve) }
})

/** Waits for a place, and holds it until the fiber's scope closes. That scope has to be the connection's. */
const hold = Effect.fnUntraced(function* (shared: Shared, member: Member) {
  const connection = Option.getOrThrow(yield* Effect.serviceOption(Scope.Scope))
  const freeWhenShort = freeWhileShort(shared, member)
  // A pool without a connection frees a place at once. A pool that has some first waits to see whether it stays short.
  const meanwhile = member.open === 0 ? Effect.andThen(freeOne(shared), freeWhenShort) : freeWhenShort
  yield* shared.places.hold(member.account, meanwhile).pipe(Scope.provide(connection), Effect.orDie)
  shared.opened++
  member.open++
  yield* Scope.addFinalizer(
    connection,
    Effect.sync(() => member.open--),
  )
})

/** Frees another place each time the pool was short for as long as `patience`. */
const freeWhileShort = (shared: Shared, member: Member) =>
  Effect.gen(function* () {
    const wasShort = isShort(member)
    yield* Effect.sleep(patience)
    if (wasShort && isShort(member)) yield* freeOne(shared)
  }).pipe(Effect.forever)

/**
 * Frees a place: closes the spare connection that has not been needed for longest, or the idle pool if that has not been
 * needed for longer. Does nothing if there is neither.
 */
const freeOne = Effect.fnUntraced(function* ({ findIdle, members, scope }: Shared) {
  const [spare] = [...members].filter(hasSpare).toSorted((a, b) => a.neededAt - b.neededAt)
  const idle = yield* findIdle
  const isSpareFirst = spare !== undefined && (idle === undefined || spare.neededAt <= idle.usedAt)
  if (isSpareFirst && spare.pool !== undefined) yield* Effect.forkIn(closeSpare(spare, spare.pool), scope)
  else if (idle !== undefined) yield* idle.close
})

/**
 * Closes one connection of the pool. Reserves it first, as a transaction does, so that its statements have been
 * answered.
 */
const closeSpare = (member: Member, pool: PgPool.PgPool) =>
  Effect.suspend(() => {
    member.closing++
    return Effect.scoped(Effect.flatMap(pool.reserve, pool.invalidate)).pipe(
      Effect.ignore,
      Effect.ensuring(Effect.sync(() => member.closing--)),
    )
  })

/** Whether the pool has more connections than it needs: one for each transaction, and one for all other statements. */
const hasSpare = ({ closing, open, transactions }: Member) => open - closing > transactions + 1

/** Whether every connection is in a transaction, so that none is left for other statements. */
const isShort = ({ open, transactions }: Member) => transactions >= open

const register = (shared: Shared, max: number, server: string | undefined) => {
  const attributes = server === undefined ? {} : { server }
  return Readings.register([
    {
      name: "parley_database_connections_open",
      description: "Connections of this process to the accounts' databases.",
      attributes,
      read: () => [...shared.members].reduce((sum, { open }) => sum + open, 0),
    },
    {
      name: "parley_database_connections_max",
      description: "The most connections that this process may have to the accounts' databases.",
      attributes,
      read: () => max,
    },
    {
      name: "parley_database_connections_opened_total",
      description: "Connections to the accounts' databases that this process has opened since its start.",
      attributes,
      isCounter: true,
      read: () => shared.opened,
    },
  ])
}
