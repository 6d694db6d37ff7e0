/**
 * Checks which live calls this process owns: a call belongs to the process that its row names. If a process is paused
 * for too long, others take over its calls. It then no longer speaks, dials or writes for them.
 */
import { Clock, Context, Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { Node } from "../../cluster/Node.ts"
import type { CallId } from "../../domain/Call.ts"
import { AccountDirectory, type AccountEntry } from "../../tenancy/AccountDirectory.ts"
import { InAccount } from "./InAccount.ts"
import * as LiveCall from "./LiveCall.ts"
import { LiveCalls } from "./LiveCalls.ts"

/** How long a confirmed ownership stays valid: no process takes over a call that soon (`cluster/Node`). */
const trustedMs = 2_000
const checkEvery = "1 second"
const checkLimit = "5 seconds"
const hangUpCheckLimit = "1 second"
/** The call waits while the database cannot be reached. */
const retrySchedule = Schedule.spaced("500 millis")

/** The live calls among `ids` that the node owns. */
const selectOwned = Effect.fn("Ownership.selectOwned")(function* (node: string, ids: ReadonlyArray<CallId>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: CallId }>`
    select id from calls where id = any(${[...ids]}::uuid[]) and node_id = ${node} and ended_at is null`
  return new Set(rows.map(({ id }) => id))
}, Effect.orDie)

/** Whether another node owns the call, which has not ended. */
const selectOthers = Effect.fn("Ownership.selectOthers")(function* (node: string, id: CallId) {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`select from calls where id = ${id} and node_id <> ${node} and ended_at is null`).length > 0
}, Effect.orDie)

/**
 * Makes `node` the owner of these calls, each only if the process named beside it still owns it. Returns the ids taken.
 */
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

export class Ownership extends Context.Service<
  Ownership,
  {
    /**
     * Returns if this process owns the call, as the database confirmed at most two seconds ago. Otherwise never
     * returns.
     */
    readonly confirm: (call: LiveCall.LiveCall) => Effect.Effect<void>
    /**
     * Like `confirm`, but sends a heartbeat and asks the database again, so that no process takes over the call now.
     * For orders to a carrier that cannot be taken back.
     */
    readonly confirmAnew: (call: LiveCall.LiveCall) => Effect.Effect<void>
    /**
     * Whether this process may hang the call up: not if another process goes on with it. True if the database does not
     * answer within a second.
     */
    readonly mayHangUp: (call: LiveCall.LiveCall) => Effect.Effect<boolean>
  }
>()("calls/live/Ownership") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const check = yield* makeCheck
      const inAccount = yield* InAccount
      const live = yield* LiveCalls
      const node = yield* Node

      const checkUntilAnswered = (call: LiveCall.LiveCall, before: Effect.Effect<void>) =>
        Effect.andThen(before, check(call.tenant, [call])).pipe(
          Effect.sandbox,
          Effect.retry(retrySchedule),
          Effect.orDie,
          Effect.andThen(Effect.suspend(() => (call.lost ? Effect.never : Effect.void))),
        )

      const isOthers = Effect.fnUntraced(
        function* (call: LiveCall.LiveCall) {
          if (!call.lost) yield* check(call.tenant, [call])
          return call.lost && (yield* inAccount(call.tenant)(selectOthers(node.id, call.id)))
        },
        Effect.timeout(hangUpCheckLimit),
        Effect.catchCause(() => Effect.succeed(false)),
      )

      const checkAll = Effect.suspend(() =>
        Effect.forEach(
          Map.groupBy(live.all.values(), ({ tenant }) => tenant.account.slug).values(),
          ([first, ...others]) =>
            first === undefined
              ? Effect.void
              : check(first.tenant, [first, ...others]).pipe(
                  Effect.timeout(checkLimit),
                  Effect.catchCause((cause) => Effect.logWarning("call ownership check failed", cause)),
                ),
          { concurrency: "unbounded", discard: true },
        ),
      )
      yield* Effect.forkScoped(Effect.repeat(checkAll, Schedule.spaced(checkEvery)))

      return {
        confirm: (call) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            Math.abs(now - call.confirmed_at) < trustedMs ? Effect.void : checkUntilAnswered(call, Effect.void),
          ),
        mayHangUp: (call) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            if (call.moves) return Effect.succeed(false)
            if (!call.lost && Math.abs(now - call.confirmed_at) < trustedMs) return Effect.succeed(true)
            return Effect.map(isOthers(call), (others) => !others)
          }),
        confirmAnew: (call) => checkUntilAnswered(call, node.renew),
      }
    }),
  )
}

/** Returns the function that asks the database which of an account's calls this process owns, and loses the others. */
const makeCheck = Effect.gen(function* () {
  const directory = yield* AccountDirectory
  const inAccount = yield* InAccount
  const node = yield* Node

  return Effect.fnUntraced(function* (tenant: AccountEntry, calls: ReadonlyArray<LiveCall.LiveCall>) {
    const asked = yield* Clock.currentTimeMillis
    const ids = calls.map(({ id }) => id)
    const owned = yield* inAccount(tenant)(selectOwned(node.id, ids)).pipe(
      // A deleted account has no calls. If only its database is unreachable, the owner is unknown.
      Effect.catchDefect((defect) =>
        directory
          .find(tenant.account.slug)
          .pipe(
            Effect.matchEffect({ onFailure: () => Effect.succeed(new Set()), onSuccess: () => Effect.die(defect) }),
          ),
      ),
    )
    for (const call of calls) {
      if (owned.has(call.id)) call.confirmed_at = asked
      else LiveCall.lose(call) // guard: a process does not conduct a call that another process owns (I1)
    }
  })
})
