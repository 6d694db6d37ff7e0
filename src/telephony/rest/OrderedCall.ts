/** Follows an ordered call until it is answered or over. Reports can be lost, so it also asks the carrier. */
import { Clock, Effect, Option } from "effect"
import { hasRung, isTerminal, outcomeOf } from "../../domain/CarrierReport.ts"
import type { CarrierCall } from "../CarrierCalls.ts"
import type { Feed } from "../CarrierFeeds.ts"
import { type FinalReport, Refused } from "../Telephony.ts"
import { heldBackSeconds, ringLimitSeconds } from "./CallClosing.ts"
import { until } from "./CallReports.ts"

/** After this many milliseconds without a report, the carrier is asked. */
const quietMs = { ringing: 8_000, talking: 30_000 }

export interface OrderedCall {
  readonly feed: Feed
  readonly ringing: Effect.Effect<void>
  /** Completes when the media stream, not a report, proves the answer. */
  readonly joined: Effect.Effect<void>
  /** Whether the carrier's reports prove the answer. */
  readonly isAnswered: (row: CarrierCall) => boolean
  /** Asks the carrier about the call, and stores what it says. */
  readonly ask: Effect.Effect<void>
  readonly close: Effect.Effect<FinalReport>
}

const refusal = (outcome: Refused["outcome"], detail: string) => Effect.fail(new Refused({ outcome, detail }))

/** Completes when the call is answered. From then on it asks the carrier every 30 s, until the scope closes. */
export const awaitAnswer = Effect.fnUntraced(function* (call: OrderedCall) {
  const { ask, close, feed, isAnswered, joined, ringing } = call
  const scope = yield* Effect.scope
  const ordered = yield* Clock.currentTimeMillis
  let rang = false
  while (true) {
    const news = yield* Effect.raceFirst(
      Effect.as(joined, "joined" as const),
      until(feed, quietMs.ringing, (row) =>
        (hasRung(row) && !rang) || isAnswered(row) || isTerminal(row.status) ? row : undefined,
      ).pipe(Effect.map(Option.getOrNull)),
    )
    if (news === null) {
      // A carrier queues calls beyond the account's rate, if need be for hours. Such a call would ring when it is no
      // longer wanted.
      if ((yield* Clock.currentTimeMillis) - ordered > (ringLimitSeconds + heldBackSeconds) * 1_000) {
        const { outcome } = yield* close
        return yield* refusal(outcome, "held back by the carrier")
      }
      yield* ask
      continue
    }
    if (!rang && (news === "joined" || !isTerminal(news.status))) yield* ringing
    rang = true
    if (news === "joined" || isAnswered(news)) {
      yield* ask.pipe(Effect.delay(quietMs.talking), Effect.forever, Effect.forkIn(scope))
      return
    }
    const outcome = outcomeOf(news)
    if (outcome !== null) return yield* refusal(outcome, `${news.status} ${news.sip_code ?? ""}`)
  }
})
