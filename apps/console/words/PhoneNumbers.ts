/** Numbers to dial, spaced as their country writes them; what is copied is E.164. */
import { parsePhoneNumberFromString } from "libphonenumber-js/min"

const known = new Map<string, string>()

/** "+1 617 555 0142"; what is no number stays as it is. */
export const formatNumber = (number: string): string => {
  const before = known.get(number)
  if (before !== undefined) return before
  const written = parsePhoneNumberFromString(number)?.formatInternational() ?? number
  known.set(number, written)
  return written
}
