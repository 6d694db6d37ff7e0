/** How often something may happen for each key: so many at once, and as many again over each minute (a token bucket). */

export interface RateAllowance {
  /** Takes one. Milliseconds until the next one is allowed when there is none to take, else 0. */
  readonly take: (key: string, now: number) => number
}

interface Bucket {
  readonly left: number
  readonly countedAt: number
}

/** `remembered` keys at most; past that the one used longest ago is forgotten, which only lets more through. */
export const make = (perMinute: number, remembered: number): RateAllowance => {
  const buckets = new Map<string, Bucket>()
  const msForOne = 60_000 / perMinute
  return {
    take: (key, now) => {
      const before = buckets.get(key) ?? { left: perMinute, countedAt: now }
      const refilled = Math.min(perMinute, before.left + Math.max(0, now - before.countedAt) / msForOne)
      buckets.delete(key)
      buckets.set(key, { left: refilled >= 1 ? refilled - 1 : refilled, countedAt: now })
      if (buckets.size > remembered) {
        for (const oldest of buckets.keys()) {
          buckets.delete(oldest)
          break
        }
      }
      return refilled >= 1 ? 0 : Math.ceil((1 - refilled) * msForOne)
    },
  }
}
