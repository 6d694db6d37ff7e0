/** A time zone by its IANA name, as the runtime's own zone data knows it. */
import { DateTime, Option, Schema } from "effect"
import { inexpressible } from "./Inexpressible.ts"

const written = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/u
/**
 * The canonical names by lower-case name. There are some six hundred zones, however clients write upper and lower case.
 */
const known = new Map<string, string>()
/**
 * Names of no zone, in lower case. Asking the runtime about one takes 0.1 ms, and a list may have one in each of
 * thousands of rows.
 */
const unknown = new Set<string>()
const unknownAtMost = 1_000

/** Returns the canonical spelling of a zone's name, which may be in any case. Null if there is no such zone. */
export const zoneNamed = (name: string): string | null => {
  if (!written.test(name)) return null
  const key = name.toLowerCase()
  const before = known.get(key)
  if (before !== undefined) return before
  if (unknown.has(key)) return null
  const zone = DateTime.zoneMakeNamed(key)
  if (Option.isNone(zone)) {
    if (unknown.size >= unknownAtMost) unknown.clear()
    unknown.add(key)
    return null
  }
  known.set(key, zone.value.id)
  return zone.value.id
}

export const TimeZone = Schema.String.check(
  Schema.makeFilter(
    (name) => zoneNamed(name) !== null || "must be an IANA time zone, such as Europe/Berlin",
    inexpressible,
  ),
)
  .pipe(Schema.brand("TimeZone"))
  .annotate({ description: "An IANA time zone, such as `Europe/Berlin`." })
export type TimeZone = typeof TimeZone.Type
