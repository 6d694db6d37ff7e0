/** The metrics of the deletion of old data, for the whole process and never for one account. */
import { Clock, Effect, Metric } from "effect"

const deletedTotal = Metric.counter("parley_retention_deleted_total", {
  description: "What was deleted because it was older than its account keeps it.",
  incremental: true,
})
const failuresTotal = Metric.counter("parley_retention_failures_total", {
  description: "Sweeps of an account for old data that failed or took too long. The next sweep goes on.",
  incremental: true,
})
const finishedAt = Metric.gauge("parley_retention_finished_timestamp_seconds", {
  description: "When the last sweep of all accounts for old data was finished.",
})

type Kind = "calls" | "consents" | "contacts" | "idempotent_answers" | "recordings" | "seals" | "words"

export const count = (kind: Kind, rows: number) =>
  rows === 0 ? Effect.void : Metric.update(Metric.withAttributes(deletedTotal, { kind }), rows)

export const countFailure = Metric.update(failuresTotal, 1)

export const finish = Effect.flatMap(Clock.currentTimeMillis, (now) => Metric.update(finishedAt, now / 1000))
