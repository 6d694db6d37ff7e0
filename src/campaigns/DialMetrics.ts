/** The metrics of dialling: for the whole process, never for one account. */
import { Clock, Effect, Metric } from "effect"

const dials = Metric.counter("parley_dials_total", {
  description: "Calls that campaigns began.",
  incremental: true,
})

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const passes = Metric.histogram("parley_dial_pass_duration_seconds", {
  description: "A dial transaction, from its beginning (the wait for the account's lock is in it) to its commit.",
  boundaries: seconds,
})

const lateness = Metric.histogram("parley_campaign_start_lateness_seconds", {
  description: "From scheduled_at to the start, of campaigns that found room in the budget when their time came.",
  boundaries: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
})

export const countBegun = (calls: number) => Metric.update(dials, calls)

export const recordStart = (secondsLate: number) => Metric.update(lateness, secondsLate)

/** Measures a dial pass, whether it succeeds or fails. */
export const time = <A, E, R>(pass: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Clock.monotonicTimeNanos, (began) =>
    Effect.ensuring(
      pass,
      Effect.flatMap(Clock.monotonicTimeNanos, (ended) => Metric.update(passes, Number(ended - began) / 1e9)),
    ),
  )
