/** A short key for a set of time zones. */

const keys = new WeakMap<ReadonlyArray<string>, number>()
const keysByText = new Map<string, number>()

/**
 * Returns a number for these zones, the same for the same zones in the same order. The names of 42 zones are a kilobyte,
 * which takes 10 µs as the key of a map, and the contacts of a list share their arrays of zones. There are few sets:
 * those that prefixes have, and one for each zone that a column names.
 */
export const zoneKeyOf = (zones: ReadonlyArray<string>): number => {
  const known = keys.get(zones)
  if (known !== undefined) return known
  const text = zones.join("&")
  const key = keysByText.get(text) ?? keysByText.size
  keysByText.set(text, key)
  keys.set(zones, key)
  return key
}
