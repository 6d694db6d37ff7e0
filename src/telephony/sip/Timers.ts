/** The times of RFC 3261 §17 and table 4, in milliseconds, and how one is waited for. */

/** An estimate of the round trip; the longest pause between two transmissions; how long a message stays in the network. */
export const t1 = 500
export const t2 = 4_000
export const t4 = 5_000
/** How long a request waits for its answer, and a final response for its ACK (timers B, F, H, J, L, M). */
export const transactionLife = 64 * t1
/** How long an INVITE's refusal that is sent again is still acknowledged (timer D). */
export const refusalLife = 32_000

/** Runs `run` after `ms` milliseconds, unless what is returned is called before. */
export type Schedule = (ms: number, run: () => void) => () => void
