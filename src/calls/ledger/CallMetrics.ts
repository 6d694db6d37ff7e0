/** The metrics of calls: for the whole process, never for one account. */
import { Effect, Metric } from "effect"
import type { Outcome } from "../../domain/Call.ts"

const endedTotal = Metric.counter("parley_calls_ended_total", {
  description: "Calls whose end was written, by outcome.",
  incremental: true,
})
const activeNow = Metric.gauge("parley_calls_active", {
  description: "Calls that this process conducts, until their end is written.",
})

export const countEnds = (outcomes: ReadonlyArray<Outcome>) =>
  Effect.forEach(
    Map.groupBy(outcomes, (outcome) => outcome),
    ([outcome, calls]) => Metric.update(Metric.withAttributes(endedTotal, { outcome }), calls.length),
    { discard: true },
  )

const answeredTotal = Metric.counter("parley_calls_answered_total", {
  description: "Calls that a person answered.",
  incremental: true,
})
const abandonedTotal = Metric.counter("parley_calls_abandoned_total", {
  description: "Calls that a person answered and in which no agent spoke within two seconds.",
  incremental: true,
})

export const countAnswers = (calls: { readonly answered: number; readonly abandoned: number }) =>
  Effect.andThen(Metric.update(answeredTotal, calls.answered), Metric.update(abandonedTotal, calls.abandoned))

const offersTotal = Metric.counter("parley_call_offers_total", {
  description: "Calls that processes offered to each other, by what became of the offer.",
  incremental: true,
})

/** `accepted` and `refused` by this process, or `taken_back` from another one. */
export const countOffers = (fate: "accepted" | "refused" | "taken_back", calls: number) =>
  calls === 0 ? Effect.void : Metric.update(Metric.withAttributes(offersTotal, { fate }), calls)

export const setActive = (count: number) => Metric.update(activeNow, count)
