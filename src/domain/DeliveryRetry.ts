/** When a delivery that failed is tried again: exponential back-off with full jitter, for 24 hours. */

/** Hours from the first attempt of a series until the last one; after that the delivery is dead. */
export const givenUpAfterHours = 24

const firstMs = 10_000
const factor = 4
const longestMs = 6 * 3_600_000
/** The shortest wait: a receiver that is starting needs a moment. */
const shortestMs = 1_000

/**
 * The longest wait after the n-th failed attempt: 10 s, 40 s, 2 min 40 s, 10 min 40 s, 42 min 40 s, 2 h 50 min 40 s,
 * then 6 h each. With jitter a receiver that is away for a day gets some 14 attempts.
 */
export const longestWaitMs = (attempt: number): number => Math.min(longestMs, firstMs * factor ** (attempt - 1))

/**
 * Milliseconds to wait before the next retry. `chance` is in [0, 1). The receiver's `Retry-After` is honoured up to the
 * longest wait: it may slow deliveries down, not switch them off.
 */
export const retryDelayMs = (attempt: number, chance: number, retryAfterMs: number | null): number =>
  Math.round(Math.max(shortestMs, longestWaitMs(attempt) * chance, Math.min(retryAfterMs ?? 0, longestMs)))

/**
 * The milliseconds that a `Retry-After` header asks for, in seconds or as a date (RFC 9110 §10.2.3); null if it cannot
 * be used.
 */
export const retryAfterMs = (header: string | undefined, nowMs: number): number | null => {
  if (header === undefined) return null
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1_000
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs)
}
