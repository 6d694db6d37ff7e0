/** The timer values of RFC 3261 §17 and table 4, in milliseconds, and the type of a scheduler. */

/** An estimate of the round trip; the longest pause between two transmissions; how long a message stays in the network. */
export const t1 = 500
export const t2 = 4_000
export const t4 = 5_000
/** How long a request waits for its answer, and a final response for its ACK (timers B, F, H, J, L, M). */
export const transactionLife = 64 * t1
/** How long repetitions of a refusal of an INVITE are still acknowledged (timer D). */
export const refusalLife = 32_000

/** Calls `run` after `ms` milliseconds. The returned function cancels the timer. */
export type Schedule = (ms: number, run: () => void) => () => void
