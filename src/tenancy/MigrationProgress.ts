/** Counts the accounts with an old schema, for the log, /readyz and /metrics. */
import { Clock, Effect, Metric } from "effect"
import type { BehindState } from "./MigrationAttempts.ts"

const logEveryMs = 10_000

/** Accounts whose schema is old, by why it still is. */
export interface Progress {
  /** Not tried yet, or in progress. */
  readonly pending: number
  /** Another session holds a table that the migration changes; it is tried again. */
  readonly waiting: number
  /** A migration failed; it is tried again after a pause that doubles. */
  readonly failed: number
}

const accountsBehind = Metric.gauge("parley_account_migrations", {
  description:
    "Accounts whose schema is older than this process's, by state: pending, waiting for a table that another session holds, or failed.",
})

export const make = () => {
  let counts: Progress = { pending: 0, waiting: 0, failed: 0 }
  let logged = JSON.stringify(counts)
  let loggedAt = Number.NEGATIVE_INFINITY
  return {
    counts: () => counts,
    /** Counts the accounts by their states, and shows the result in /metrics. */
    count: Effect.fnUntraced(function* (states: ReadonlyArray<BehindState>) {
      const counted = { pending: 0, waiting: 0, failed: 0 }
      for (const state of states) counted[state === "unusable" ? "failed" : state]++
      counts = counted
      for (const [state, count] of Object.entries(counted)) {
        yield* Metric.update(Metric.withAttributes(accountsBehind, { state }), count)
      }
    }),
    /** Logs the counts if they have changed, at most every ten seconds; the end of the migrations at once. */
    log: Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const text = JSON.stringify(counts)
      const left = counts.pending + counts.waiting + counts.failed
      if (text === logged || (now - loggedAt < logEveryMs && left > 0)) return
      loggedAt = now
      logged = text
      const words = left === 0 ? "every account has the newest schema" : "accounts have an old schema"
      yield* Effect.annotateLogs(Effect.logInfo(words), { ...counts })
    }),
  }
}
