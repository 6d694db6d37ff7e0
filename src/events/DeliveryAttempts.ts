/** Claims the deliveries of an account that are due, and attempts each in a fiber of its own. */
import { Effect, FiberSet, Random, Result, Semaphore } from "effect"
import { retryDelayMs } from "../domain/DeliveryRetry.ts"
import type { Event } from "../domain/Event.ts"
import type { AddressGuard } from "../outbound/AddressGuard.ts"
import * as FairSemaphore from "../tenancy/FairSemaphore.ts"
import * as Deliveries from "./Deliveries.ts"
import type { DeliveryResult } from "./DeliveryResults.ts"
import type { TendedAccount } from "./TendedAccount.ts"
import * as EventLog from "./EventLog.ts"
import * as WebhookRequest from "./WebhookRequest.ts"
import * as Webhooks from "./Webhooks.ts"

/**
 * The attempts of this process at the same moment. An account has at most 100 webhooks with eight attempts each, so its
 * queue is never full.
 */
const shares: FairSemaphore.Limits = { what: "webhook deliveries", places: 256, waiting: 1_024 }
/**
 * An attempt that has not got a place by then is released. The lease of its delivery is longer than this time plus an
 * attempt.
 */
const placeWithin = "5 seconds"

/**
 * Returns the function that claims the due deliveries of a tended account and starts their attempts. That function returns how
 * many deliveries it claimed.
 */
export const make = Effect.gen(function* () {
  const { withPlace } = yield* FairSemaphore.make(shares)
  const attempts = yield* FiberSet.make<void>()
  const start = yield* FiberSet.runtime(attempts)<AddressGuard>()

  const deliver = (
    tended: TendedAccount,
    claim: Deliveries.Claim,
    prepared: Effect.Effect<DeliveryResult, never, AddressGuard>,
  ) =>
    Effect.gen(function* () {
      let hasBegun = false
      const begin = Effect.suspend(() => {
        hasBegun = true
        return prepared
      })
      const patience = Effect.andThen(
        Effect.sleep(placeWithin),
        Effect.suspend(() => (hasBegun ? Effect.never : Effect.succeed(release(claim)))),
      )
      // The endpoint's own permit comes first: an attempt that waits for a slow endpoint takes no place from others.
      const result = yield* begin.pipe(
        withPlace(tended.account),
        Effect.catchTag("ShareFull", () => Effect.succeed(release(claim))),
        Semaphore.withPermit(tended.permitsOf(claim.webhook_id)),
        Effect.raceFirst(patience),
      )
      tended.done.push(result)
    }).pipe(
      Effect.catchCause((cause) => Effect.logError("webhook attempt failed by a defect", cause)),
      Effect.ensuring(Effect.sync(() => tended.release(claim.webhook_id))),
    )

  return Effect.fnUntraced(function* (tended: TendedAccount) {
    const claims = yield* Deliveries.claim(tended.busy)
    if (claims.length === 0) return 0
    const events = yield* EventLog.listSome(claims.map(({ seq }) => seq))
    for (const claim of claims) {
      const event = events.get(claim.seq)
      const secrets = yield* Effect.result(Webhooks.openSecrets(claim.webhook_id, claim))
      tended.hold(claim.webhook_id)
      start(deliver(tended, claim, prepare(claim, event, secrets)))
    }
    return claims.length
  })
})

const prepare = (
  claim: Deliveries.Claim,
  event: Event | undefined,
  secrets: Result.Result<ReadonlyArray<string>, Webhooks.SecretUnreadable>,
): Effect.Effect<DeliveryResult, never, AddressGuard> => {
  if (event === undefined) return Effect.succeed(failVanished(claim))
  if (Result.isSuccess(secrets)) return WebhookRequest.attempt(claim, event, secrets.success)
  return Effect.map(Random.next, (chance) => failUnsigned(claim, secrets.failure, chance))
}

/**
 * The result of an attempt that never began, or that failed through a fault of this process. It does not count against
 * the endpoint.
 */
const release = (claim: Deliveries.Claim): DeliveryResult => ({
  claim,
  verdict: "released",
  status_code: null,
  error: null,
  duration_ms: 0,
  excerpt: null,
  delay_ms: 0,
})

/** The call or contact of the event was deleted. A later attempt would not find it either. */
const failVanished = (claim: Deliveries.Claim): DeliveryResult => ({
  ...release(claim),
  verdict: "unsendable",
  error: "The event is no longer kept",
})

/** Tried again like an endpoint that is away: the deliveries wait until a new secret is stored. */
const failUnsigned = (claim: Deliveries.Claim, { message }: Error, chance: number): DeliveryResult => ({
  ...release(claim),
  verdict: "failed",
  error: message,
  delay_ms: retryDelayMs(claim.series_attempts, chance, null),
})
