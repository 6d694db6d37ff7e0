/** One round for an account that this process tends: it writes results, fans out events, and sends what is due. */
import { Effect } from "effect"
import * as Deliveries from "./Deliveries.ts"
import * as DeliveryAttempts from "./DeliveryAttempts.ts"
import * as DeliveryMetrics from "./DeliveryMetrics.ts"
import * as DeliveryResults from "./DeliveryResults.ts"
import type { Desk, Round } from "./Desk.ts"

/** Returns the function that runs a round in the account's database. */
export const make = Effect.gen(function* () {
  const send = yield* DeliveryAttempts.make

  return Effect.fnUntraced(function* (desk: Desk) {
    const written = [...desk.done]
    yield* DeliveryResults.record(written)
    desk.done.splice(0, written.length)
    yield* DeliveryMetrics.countAttempts(written)
    if (desk.isClosing) return { webhooks: 1, in_ms: null, moved: false } satisfies Round
    // Most accounts have no webhooks, and cost one query.
    if (!desk.isKnown && (yield* Deliveries.lookAhead()).webhooks === 0) {
      return { webhooks: 0, in_ms: null, moved: false } satisfies Round
    }
    const more = yield* Deliveries.fanOut()
    const sent = yield* send(desk)
    const { in_ms, webhooks } = yield* Deliveries.lookAhead()
    return { webhooks, in_ms: more ? 0 : in_ms, moved: more || sent > 0 || written.length > 0 } satisfies Round
  })
})
