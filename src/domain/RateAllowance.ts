/** A token bucket for each key: up to `perMinute` uses at once, refilled evenly over a minute. */

export interface RateAllowance {
  /** Takes one use. Returns 0 if it was taken, otherwise the milliseconds until one is available. */
  readonly take: (key: string, now: number) => number
}

interface Bucket {
  /**
   * The uses that are left, in units of a sixty-thousandth, so that each millisecond adds a whole number of units and
   * nothing is rounded.
   */
  readonly parts: number
  readonly countedAt: number
}

const partsOfOne = 60_000

/**
 * Makes an allowance that remembers at most `remembered` keys. Beyond that, the least recently used key is forgotten,
 * which only lets more through.
 */
export const make = (perMinute: number, remembered: number): RateAllowance => {
  const buckets = new Map<string, Bucket>()
  const full = perMinute * partsOfOne
  return {
    take: (key, now) => {
      const before = buckets.get(key) ?? { parts: full, countedAt: now }
      const refilled = Math.min(full, before.parts + Math.max(0, now - before.countedAt) * perMinute)
      const missing = partsOfOne - refilled
      buckets.delete(key)
      buckets.set(key, { parts: missing > 0 ? refilled : -missing, countedAt: now })
      if (buckets.size > remembered) {
        for (const oldest of buckets.keys()) {
          buckets.delete(oldest)
          break
        }
      }
      return missing > 0 ? Math.ceil(missing / perMinute) : 0
    },
  }
}
