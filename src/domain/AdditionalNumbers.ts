/**
 * The further numbers of a contact: the same person's home, mobile and so on (decision 0087). This file imports only
 * types, so that the router's inputs and the console can use it.
 */
import type { E164 } from "./E164.ts"

/** The most numbers of a contact besides its `phone_number`. */
export const mostAdditional = 4

/** The fields of a contact that say how the person can be reached. */
export interface Reachable {
  readonly phone_number: string
  /** All numbers of the person, in order. Absent if there is only `phone_number`. */
  readonly lines?: ReadonlyArray<string>
}

/** The numbers of the person. A call to one of them occupies them all (I1). */
export const linesOf = ({ lines, phone_number }: Reachable): ReadonlyArray<string> => lines ?? [phone_number]

/** Removes repeated numbers, and the first number of the contact. */
export const withoutRepeats = (first: E164, numbers: ReadonlyArray<E164>): ReadonlyArray<E164> =>
  [...new Set(numbers)].filter((number) => number !== first)

/**
 * The order in which a contact's numbers are tried: the one after the last called number first, or that number itself
 * for a callback, because the person asked for it on that phone. `last` is null if none was called.
 */
export const orderAfter = (lines: ReadonlyArray<string>, last: string | null, isCallback: boolean) => {
  const at = last === null ? -1 : lines.indexOf(last)
  const from = at === -1 ? 0 : isCallback ? at : at + 1
  return lines.map((_, step) => lines[(from + step) % lines.length] ?? "")
}
