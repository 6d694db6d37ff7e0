/** Finds a call that its process has left, and follows it until the scope closes, which hangs the call up. */
import { Effect } from "effect"
import { isTerminal } from "../../domain/CarrierReport.ts"
import type { CarrierFeeds } from "../CarrierFeeds.ts"
import type { DialRequest, LeftTalk } from "../Telephony.ts"
import type * as CallOrder from "./CallOrder.ts"
import type { OrderingCarrier } from "./CallsAtCarrier.ts"

/** How often the carrier is asked about the call: reports can be lost. */
const askEvery = "15 seconds"

interface Parts {
  readonly carrier: OrderingCarrier
  readonly feeds: CarrierFeeds["Service"]
  readonly order: ReturnType<typeof CallOrder.make>
}

/** Returns the function that finds a call. Null: its id at the carrier was never known, or the call is over. */
export const make = ({ carrier, feeds, order }: Parts) =>
  Effect.fnUntraced(function* (request: DialRequest, { answered_at }: LeftTalk) {
    const { account, call_id, carrier_config } = request
    const calls = carrier.callsOf(carrier_config)
    const find = Effect.orElseSucceed(feeds.find(account, call_id), () => null)
    const sid = (yield* find)?.sid ?? null
    if (calls === null || sid === null) return null
    const scope = yield* Effect.scope
    const feed = yield* feeds.follow(account, call_id)
    const lookUp = order.lookUp(request, calls, sid)
    yield* lookUp
    const row = yield* find
    if (row === null || isTerminal(row.status)) return null
    yield* Effect.addFinalizer(() => order.hangUp(request, calls, { ...request, started_at: answered_at }))
    yield* lookUp.pipe(Effect.delay(askEvery), Effect.forever, Effect.forkIn(scope))
    return { sid, feed, lookUp, words: row.words }
  })
