/** Metrics of webhooks, for the whole process and never for one account or endpoint. */
import { Effect, Metric } from "effect"
import type { DeliveryResult } from "./DeliveryResults.ts"

const attemptsTotal = Metric.counter("parley_webhook_attempts_total", {
  description: "Attempts at webhooks that were written, by what came of them.",
  incremental: true,
})

export const countAttempts = (attempts: ReadonlyArray<DeliveryResult>) =>
  Effect.forEach(attempts, ({ verdict }) => Metric.update(Metric.withAttributes(attemptsTotal, { verdict }), 1), {
    discard: true,
  })
