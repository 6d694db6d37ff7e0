/**
 * Whose a live call is: the node that its row names. A process that stood still for longer than the others have patience
 * for finds its calls in other hands when it goes on, and says, dials and writes nothing more on them.
 */
import { Clock, Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import type { Node } from "../../cluster/Node.ts"
import type { CallId } from "../../domain/Call.ts"
import type { AccountDirectory, AccountEntry } from "../../tenancy/AccountDirectory.ts"
import * as LiveCall from "./LiveCall.ts"

/** What was read so lately still holds: nobody takes over a call that soon (Node.ts). */
const trustedMs = 2_000
const lookEvery = "1 second"
const lookLimit = "5 seconds"
/** While nobody can say whose it is, it waits. */
const askAgain = Schedule.spaced("500 millis")

/** Of these calls, those that live and are the node's. */
const ofNode = Effect.fn("Ownership.ofNode")(function* (node: string, ids: ReadonlyArray<CallId>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: CallId }>`
    select id from calls where id = any(${[...ids]}::uuid[]) and node_id = ${node} and ended_at is null`
  return new Set(rows.map(({ id }) => id))
}, Effect.orDie)

/** Calls of nodes that are gone become this node's, each of one node alone; gives those that did. */
export const takeOver = Effect.fn("Ownership.takeOver")(function* (
  node: string,
  calls: ReadonlyArray<{ readonly id: CallId; readonly node_id: string }>,
) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: CallId }>`
    update calls c set node_id = ${node}
    from unnest(${calls.map(({ id }) => id)}::uuid[], ${calls.map(({ node_id }) => node_id)}::uuid[]) as l(id, node_id)
    where c.id = l.id and c.node_id = l.node_id and c.ended_at is null
    returning c.id`
  return new Set(rows.map(({ id }) => id))
}, Effect.orDie)

interface Parts {
  readonly node: Node["Service"]
  readonly directory: AccountDirectory["Service"]
  readonly live: ReadonlyMap<CallId, LiveCall.LiveCall>
  readonly within: LiveCall.InAccount
}

export const make = ({ directory, live, node, within }: Parts) => {
  const look = Effect.fnUntraced(function* (
    tenant: AccountEntry,
    calls: ReadonlyArray<readonly [CallId, LiveCall.LiveCall]>,
  ) {
    const asked = yield* Clock.currentTimeMillis
    const ids = calls.map(([id]) => id)
    const own = yield* within(tenant)(ofNode(node.id, ids)).pipe(
      // An account that is no more has no calls; of one whose database is away nobody knows.
      Effect.catchDefect((defect) =>
        directory
          .find(tenant.account.slug)
          .pipe(
            Effect.matchEffect({ onFailure: () => Effect.succeed(new Set()), onSuccess: () => Effect.die(defect) }),
          ),
      ),
    )
    for (const [id, call] of calls) {
      if (own.has(id)) call.confirmed_at = asked
      else LiveCall.lose(call)
    }
  })

  /**
   * Goes on only while the call is this process's, by the word of the database where that was not asked lately. `anew`:
   * before a word that cannot be taken back; the node says once more that it lives, so that nobody takes over now.
   */
  const mine = Effect.fnUntraced(function* (id: CallId, call: LiveCall.LiveCall, anew = false) {
    const now = yield* Clock.currentTimeMillis
    if (!anew && Math.abs(now - call.confirmed_at) < trustedMs) return
    yield* Effect.andThen(anew ? node.renewed : Effect.void, look(call.tenant, [[id, call]])).pipe(
      Effect.sandbox,
      Effect.retry(askAgain),
      Effect.orDie,
    )
    if (call.lost) return yield* Effect.never
  })

  const watch = Effect.gen(function* () {
    const byAccount = Map.groupBy(live, ([, { tenant }]) => tenant.account.slug)
    yield* Effect.forEach(
      byAccount.values(),
      (calls) =>
        Effect.forEach(calls.slice(0, 1), ([, { tenant }]) => look(tenant, calls), { discard: true }).pipe(
          Effect.timeout(lookLimit),
          Effect.catchCause((cause) => Effect.logWarning("whose the live calls are could not be asked", cause)),
        ),
      { concurrency: "unbounded", discard: true },
    )
  }).pipe(Effect.repeat(Schedule.spaced(lookEvery)))

  return { mine, watch }
}
