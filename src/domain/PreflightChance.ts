/**
 * Draws the results of calls in a preflight from the stated rates. The same seed, contact and attempt always give the
 * same result.
 */
import type { Outcome } from "./Call.ts"
import type { Assumed } from "./Preflight.ts"

/**
 * A pseudo-random number in [0, 1), mixed from whole numbers by the finalizer of MurmurHash3, so that no draw depends
 * on the order of the others.
 */
const draw = (seed: number, position: number, attempt: number, which: number): number => {
  let mixed = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(position, 0xc2b2ae35)
  mixed ^= Math.imul(attempt * 4 + which + 1, 0x27d4eb2f)
  for (const factor of [0x85ebca6b, 0xc2b2ae35]) mixed = Math.imul(mixed ^ (mixed >>> 15), factor)
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 4_294_967_296
}

export interface ExpectedCall {
  readonly outcome: Outcome
  readonly milliseconds: number
  /** For how long of it the call talks. */
  readonly talked_ms: number
}

export const expectedCall = (
  assumed: Assumed,
  maxCallSeconds: number,
  contact: { readonly position: number; readonly attempts: number },
): ExpectedCall => {
  const chance = (which: number) => draw(assumed.seed, contact.position, contact.attempts, which)
  const outcome = outcomeOf(assumed, chance(0))
  const ring = assumed.ring_seconds * (0.5 + chance(1))
  const talks: Partial<Record<Outcome, number>> = {
    answered: Math.min(maxCallSeconds, assumed.average_call_seconds * (0.5 + (chance(2) + chance(3)) / 2)),
    voicemail: Math.min(maxCallSeconds, assumed.voicemail_seconds),
  }
  const talked = talks[outcome] ?? 0
  const seconds: Record<Outcome, number> = {
    answered: ring + talked,
    voicemail: ring + talked,
    no_answer: assumed.no_answer_seconds,
    busy: assumed.refused_seconds,
    rejected: ring,
    invalid_number: assumed.refused_seconds,
    carrier_error: assumed.refused_seconds,
    unknown: 0,
  }
  // Whole milliseconds, as a Date has: if a cap freed a place at a fraction of a millisecond, no pass would ever see it
  // free.
  return { outcome, milliseconds: Math.ceil(seconds[outcome] * 1_000), talked_ms: Math.ceil(talked * 1_000) }
}

/** The average of `expectedCall`, for a forecast, which computes with averages instead of drawing each call. */
export const averageCall = (
  assumed: Assumed,
  agent: { readonly max_call_seconds: number; readonly voicemail_action: "hang_up" | "leave_message" },
): { readonly seconds: number; readonly retried: number } => {
  const { busy_rate, carrier_error_rate, invalid_number_rate, no_answer_rate, voicemail_rate } = assumed
  const talk = (seconds: number) => assumed.ring_seconds + Math.min(agent.max_call_seconds, seconds)
  const refused = busy_rate + carrier_error_rate
  return {
    seconds:
      assumed.answer_rate * talk(assumed.average_call_seconds) +
      voicemail_rate * talk(assumed.voicemail_seconds) +
      no_answer_rate * assumed.no_answer_seconds +
      assumed.rejected_rate * assumed.ring_seconds +
      (refused + invalid_number_rate) * assumed.refused_seconds,
    retried: no_answer_rate + refused + (agent.voicemail_action === "hang_up" ? voicemail_rate : 0),
  }
}

const outcomeOf = (assumed: Assumed, chance: number): Outcome => {
  let rest = chance
  for (const [outcome, rate] of [
    ["answered", assumed.answer_rate],
    ["voicemail", assumed.voicemail_rate],
    ["busy", assumed.busy_rate],
    ["rejected", assumed.rejected_rate],
    ["invalid_number", assumed.invalid_number_rate],
    ["carrier_error", assumed.carrier_error_rate],
  ] as const) {
    if (rest < rate) return outcome
    rest -= rate
  }
  return "no_answer"
}
