/** The metrics of extractions: for the whole process, never for one account. */
import { Metric } from "effect"

const endedTotal = Metric.counter("parley_extractions_total", {
  description: "Results that were read from the transcripts of ended calls, and those that were given up, by state.",
  incremental: true,
})

export const countEnded = (state: "done" | "failed") => Metric.update(Metric.withAttributes(endedTotal, { state }), 1)
