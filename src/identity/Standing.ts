/**
 * Whether a connected client is still admitted. A stream, a live view and a chat outlast the request that opened them,
 * and end when the client's key, token, membership or account does, or when another cell serves the account.
 */
import { Clock, Context, Effect, Random } from "effect"
import { AccountElsewhere, AccountNotFound } from "../domain/Account.ts"
import {
  AccountSuspended,
  AdminRequired,
  MissingRole,
  MissingScope,
  NotAMember,
  Unauthenticated,
} from "../domain/Principal.ts"
import { OriginForbidden } from "../domain/WidgetKey.ts"

/** The pause between two checks, in milliseconds, is drawn at random, so that not all readers are checked at once. */
const soonest = 15_000
const latest = 25_000
/**
 * The shortest pause in milliseconds. The clock that decides on an expiry may be the database's, a moment behind this
 * process's.
 */
const atLeast = 500

const ofMembers = [AccountElsewhere, AccountNotFound, AccountSuspended, MissingRole, MissingScope, NotAMember]
const refusals = [...ofMembers, AdminRequired, OriginForbidden, Unauthenticated]
type Refusal = InstanceType<(typeof refusals)[number]>
type MemberRefusal = InstanceType<(typeof ofMembers)[number]> | Unauthenticated

const isRefusal = <E>(error: E): error is Extract<E, Refusal> => refusals.some((refusal) => error instanceof refusal)

/**
 * Checks once more whether the sender of a member's request has the right to what it asked for. A request whose body may
 * take long to arrive does this before it acts.
 */
export const StillStanding = Context.Reference<Effect.Effect<void, MemberRefusal>>("identity/StillStanding", {
  defaultValue: () => Effect.void,
})

/** Fails when the sender of the current request loses the right to what the request asked for. Never succeeds. */
export const Standing = Context.Reference<Effect.Effect<never, Refusal>>("identity/Standing", {
  defaultValue: () => Effect.never,
})

/**
 * Runs `check`, which returns the time until which the credential is accepted, or fails with its refusal. An internal
 * failure, such as an unreachable database, is not a refusal: it is logged, and the answer is null.
 */
export const checkOnce = <E>(check: Effect.Effect<Date | null, E>): Effect.Effect<Date | null, Extract<E, Refusal>> =>
  Effect.catchCause(check, (cause) => {
    for (const reason of cause.reasons) {
      if (reason._tag === "Fail" && isRefusal(reason.error)) return Effect.fail(reason.error)
    }
    return Effect.as(Effect.logWarning("credential check of an open connection failed", cause), null)
  })

/** Repeats `check` until it refuses. */
export const whileStanding = Effect.fnUntraced(function* <E>(
  check: Effect.Effect<Date | null, E>,
  expiresAt: Date | null,
) {
  let expiry = expiresAt
  while (true) {
    const now = yield* Clock.currentTimeMillis
    const wait = yield* Random.nextIntBetween(soonest, latest)
    yield* Effect.sleep(expiry === null ? wait : Math.max(atLeast, Math.min(wait, expiry.getTime() - now)))
    expiry = yield* checkOnce(check)
  }
})
