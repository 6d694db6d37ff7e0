/** The rule on a contact's custom fields. This file has no imports, so that the router's inputs can use it. */

const most = 199
const longestName = 200
const longestValue = 10_000

/** Returns why these cannot be the fields of a contact, as the end of a sentence; undefined if they can. */
export const customFieldsFaultOf = (fields: Readonly<Record<string, string>>): string | undefined => {
  const names = Object.keys(fields)
  if (names.length > most) return `must have at most ${most} fields`
  if (names.includes("phone_number")) return "must not have the field phone_number, which the contact has already"
  if (names.some((name) => name.trim() === "" || name.trim() !== name || name.length > longestName)) {
    return `must have names of 1 to ${longestName} characters without spaces at their ends`
  }
  if (Object.values(fields).some((value) => value.length > longestValue)) {
    return `must not have a value longer than ${longestValue} characters`
  }
  return undefined
}
