/** Formats phone numbers as their country writes them. The text to copy is E.164. */
import { parsePhoneNumberFromString } from "libphonenumber-js/min"

const known = new Map<string, string>()

/** "+1 617 555 0142". Text that is not a number is returned unchanged. Null stands for an erased contact: "Erased". */
export const formatNumber = (number: string | null): string => {
  if (number === null) return "Erased"
  const before = known.get(number)
  if (before !== undefined) return before
  const written = parsePhoneNumberFromString(number)?.formatInternational() ?? number
  known.set(number, written)
  return written
}
