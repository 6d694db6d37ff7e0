/** Measures the periodic sweeps: how long each takes, and when it last succeeded. */
import { Clock, Effect, Exit, Metric } from "effect"

/**
 * The sweeps, by what they look for: calls without a process, old data, faults of accounts' databases, campaigns to
 * dial.
 */
type Sweep = "calls" | "retention" | "accounts" | "campaigns"

const durations = Metric.histogram("parley_sweep_duration_seconds", {
  description: "A round over all that a process looks after, by kind, whether it succeeded or failed.",
  boundaries: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800],
})
const finished = Metric.gauge("parley_sweep_finished_timestamp_seconds", {
  description: "When the last round of the kind succeeded.",
})

export const measure =
  (sweep: Sweep) =>
  <A, E, R>(round: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Clock.monotonicTimeNanos, (began) =>
      Effect.onExit(round, (exit) =>
        Effect.gen(function* () {
          const seconds = Number((yield* Clock.monotonicTimeNanos) - began) / 1e9
          yield* Metric.update(Metric.withAttributes(durations, { sweep }), seconds)
          if (!Exit.isSuccess(exit)) return
          const now = yield* Clock.currentTimeMillis
          yield* Metric.update(Metric.withAttributes(finished, { sweep }), now / 1000)
        }),
      ),
    )
