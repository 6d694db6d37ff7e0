/** A generous limit on requests, so that one caller cannot take the service from the others: 429 `rate_limited`. */
import { Clock, Config, Effect } from "effect"

/** One caller's requests in the present minute. */
interface Window {
  readonly minute: number
  readonly used: number
}

export interface Refusal {
  readonly limit: number
  readonly used: number
  readonly resets_at: Date
}

/** Callers remembered at the same time; past that the ones seen first are forgotten, which only ever lets more through. */
const remembered = 20_000

/** Counts the caller's request and says when it was one too many. A minute is the clock's, so that it costs no queue. */
export const make = Effect.gen(function* () {
  const limit = yield* Config.Int("PARLEY_REQUESTS_PER_MINUTE").pipe(Config.withDefault(60_000))
  const windows = new Map<string, Window>()
  return (caller: string) =>
    Effect.map(Clock.currentTimeMillis, (now): Refusal | undefined => {
      const minute = Math.floor(now / 60_000)
      const before = windows.get(caller)
      const used = before?.minute === minute ? before.used + 1 : 1
      if (before === undefined && windows.size >= remembered) {
        for (const oldest of windows.keys()) {
          windows.delete(oldest)
          break
        }
      }
      windows.set(caller, { minute, used })
      return used > limit ? { limit, used, resets_at: new Date((minute + 1) * 60_000) } : undefined
    })
})
