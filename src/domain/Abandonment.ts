/**
 * Abandoned calls: a person answered and no agent spoke within two seconds. Laws limit their share, in the US to 3 % of
 * the answered calls of 30 days.
 */
import type { Outcome, Turn } from "./Call.ts"

/** Milliseconds of phone time from the answer to the agent's first word. */
const silenceMs = 2_000
/**
 * Milliseconds by which a busy process may be late itself. In a lab with `LAB_SPEED`, the limit grows by this time
 * multiplied by that factor minus one; on a real phone network the allowance is zero.
 */
const ownLatenessMs = 100

/** The number of days that are counted together, and the share of abandoned calls that the law allows in them. */
export const countedDays = 30
const allowedShare = 0.03
/** With fewer answered calls than this, no share is computed. */
const leastAnswered = 50

export interface AnsweredCall {
  readonly outcome: Outcome
  readonly turns: ReadonlyArray<Pick<Turn, "first_word_ms">>
  /** Phone time from answer to end. */
  readonly talked_ms: number
  /** Seconds of phone time per second of real time. */
  readonly speed: number
}

/**
 * Whether the call was abandoned; null unless a person answered. A person who hung up within the two seconds was not
 * kept waiting.
 */
export const isAbandoned = ({ outcome, speed, talked_ms, turns }: AnsweredCall): boolean | null => {
  if (outcome !== "answered") return null
  const words = turns.flatMap(({ first_word_ms }) => first_word_ms ?? [])
  return Math.min(talked_ms, ...words) > silenceMs + (speed - 1) * ownLatenessMs
}

interface Answered {
  readonly answered: number
  /** How many of the answered calls were abandoned. */
  readonly abandoned: number
}

/** The abandoned share of the answered calls, from 0 to 1; 0 if no call was answered. */
export const abandonedShare = ({ abandoned, answered }: Answered): number => (answered === 0 ? 0 : abandoned / answered)

export const isTooMany = (calls: Answered): boolean =>
  calls.answered >= leastAnswered && abandonedShare(calls) > allowedShare
