/** The metrics of dialling: for the whole process, never for one account. */
import { Clock, Effect, Metric } from "effect"
import * as Readings from "../../telemetry/Readings.ts"

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

const failures = Metric.counter("parley_dial_passes_failed_total", {
  description: "Dial transactions that failed or took too long. The next one reads the rows again.",
  incremental: true,
})

export const countFailure = Metric.update(failures, 1)

/**
 * Follows the campaigns of this process. Call `note` when a campaign was looked at with success, and `leave` when this
 * process no longer dials it.
 */
export const follow = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const lookedAt = new Map<string, number>()
  // Set from the start, so that a scraper sees the first failure as an increase.
  yield* Metric.update(failures, 0)
  yield* Readings.register([
    {
      name: "parley_campaigns_dialled",
      description: "Campaigns that this process dials or waits for.",
      read: () => lookedAt.size,
    },
    {
      name: "parley_dial_stalled_seconds",
      description:
        "Seconds since the campaign of this process that waits longest was looked at; about 1 if all is well.",
      read: () => {
        const now = clock.currentTimeMillisUnsafe()
        return [...lookedAt.values()].reduce((longest, at) => Math.max(longest, (now - at) / 1_000), 0)
      },
    },
  ])
  return {
    note: (campaign: string) => Effect.sync(() => void lookedAt.set(campaign, clock.currentTimeMillisUnsafe())),
    leave: (campaign: string) => Effect.sync(() => void lookedAt.delete(campaign)),
  }
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
