/** One round for an account that this process tends: it writes results, fans out events, and sends what is due. */
import { Effect } from "effect"
import * as Deliveries from "./Deliveries.ts"
import * as DeliveryAttempts from "./DeliveryAttempts.ts"
import * as DeliveryMetrics from "./DeliveryMetrics.ts"
import * as DeliveryResults from "./DeliveryResults.ts"
import type { TendedAccount, Round } from "./TendedAccount.ts"

/** Returns the function that runs a round in the account's database. */
export const make = Effect.gen(function* () {
  const send = yield* DeliveryAttempts.make

  return Effect.fnUntraced(function* (tended: TendedAccount) {
    const written = [...tended.done]
    yield* DeliveryResults.record(written)
    tended.done.splice(0, written.length)
    yield* DeliveryMetrics.countAttempts(written)
    if (tended.isClosing) return { webhooks: 1, in_ms: null, moved: false } satisfies Round
    // Most accounts have no webhooks, and cost one query.
    if (!tended.isKnown && (yield* Deliveries.lookAhead()).webhooks === 0) {
      return { webhooks: 0, in_ms: null, moved: false } satisfies Round
    }
    const more = yield* Deliveries.fanOut()
    const sent = yield* send(tended)
    const { in_ms, webhooks } = yield* Deliveries.lookAhead()
    return { webhooks, in_ms: more ? 0 : in_ms, moved: more || sent > 0 || written.length > 0 } satisfies Round
  })
})
