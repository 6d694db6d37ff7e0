/**
 * Time zones for Python in its own format (TZif, RFC 9636), made from Node's data. Pyodide ships none, and this way a
 * tool agrees with the calling windows, which use the same data.
 */

/** From 1900 to 2100 in Unix seconds; beyond that the nearest offset continues. */
const first = -2_208_988_800
const last = 4_102_444_800
/** Shorter than the time between any two changes of a zone. */
const step = 7 * 86_400

const name = /^[A-Za-z][A-Za-z0-9_+-]{0,31}(?:\/[A-Za-z0-9_+-]{1,31}){0,2}$/u

/** `offset` is in seconds east of UTC. */
interface Period {
  readonly offset: number
  readonly isSummer: boolean
  readonly abbreviation: string
}

/** The zone's file; undefined if there is no such zone. */
export const zoneFile = (zone: string): Uint8Array | undefined => {
  const offsetAt = name.test(zone) ? offsets(zone) : undefined
  if (offsetAt === undefined) return undefined
  const changes: Array<{ readonly at: number; readonly offset: number }> = [{ at: first, offset: offsetAt(first) }]
  for (let at = first + step; at <= last; at += step) {
    const offset = offsetAt(at)
    if (offset === changes.at(-1)?.offset) continue
    changes.push({ at: firstSecondOf(offset, at - step, at, offsetAt), offset })
  }
  const describe = descriptions(zone)
  // A period is described at its end: names are known from 1970 on, and some periods began long before.
  const periods = changes.map(({ offset }, index) => describe(offset, (changes[index + 1]?.at ?? last) - 1))
  return encode(
    changes.map(({ at }) => at),
    periods,
  )
}

/** The first second with `offset` after `from`. The offset at `to` is `offset`, and the one at `from` is not. */
const firstSecondOf = (offset: number, from: number, to: number, offsetAt: (at: number) => number): number => {
  let [low, high] = [from, to]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(middle) === offset) high = middle
    else low = middle
  }
  return high
}

const offsets = (zone: string): ((at: number) => number) | undefined => {
  try {
    const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset", year: "numeric" })
    return (at) => secondsOf(format.format(at * 1000))
  } catch {
    return undefined
  }
}

/** `1970, GMT-00:44:30` is −2670. */
const secondsOf = (text: string): number => {
  const [, sign, hours, minutes, seconds = "0"] = /GMT([+-])(\d+):(\d+)(?::(\d+))?$/u.exec(text) ?? []
  const size = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds)
  return sign === "-" ? -size : size
}

/** A locale has the abbreviations of its own region only. */
const locales = ["en-US", "en-GB", "en-AU", "en-IN", "en-ZA"]

const descriptions = (timeZone: string) => {
  const formatOf = (locale: string, timeZoneName: "short" | "long") =>
    new Intl.DateTimeFormat(locale, { timeZone, timeZoneName, year: "numeric" })
  const short = locales.map((locale) => formatOf(locale, "short"))
  const long = formatOf("en-US", "long")
  return (offset: number, at: number): Period => {
    const abbreviation = short.flatMap((format) => /[A-Z]{3,5}$/u.exec(format.format(at * 1000)) ?? [])[0]
    return {
      offset,
      isSummer: /Summer|Daylight/u.test(long.format(at * 1000)),
      abbreviation: abbreviation ?? numeric(offset),
    }
  }
}

/** As the tz database abbreviates offsets that have no name: `+0530`, `-03`. */
const numeric = (offset: number): string => {
  const minutes = Math.abs(Math.trunc(offset / 60))
  const two = (value: number) => String(value).padStart(2, "0")
  return `${offset < 0 ? "-" : "+"}${two(Math.trunc(minutes / 60))}${minutes % 60 === 0 ? "" : two(minutes % 60)}`
}

const headerSize = 44

/** An empty block of version 1, the block of version 2, and an empty rule for later times. */
const encode = (times: ReadonlyArray<number>, periods: ReadonlyArray<Period>): Uint8Array => {
  const kinds: Array<Period> = []
  const kindOf = (period: Period) => {
    const at = kinds.findIndex(
      ({ abbreviation, isSummer, offset }) =>
        abbreviation === period.abbreviation && isSummer === period.isSummer && offset === period.offset,
    )
    return at === -1 ? kinds.push(period) - 1 : at
  }
  const kindsOfTimes = periods.map(kindOf)
  const names = [...new Set(kinds.map(({ abbreviation }) => abbreviation))]
  const text = names.map((abbreviation) => `${abbreviation}\0`).join("")
  const placeOf = (abbreviation: string) => text.indexOf(`${abbreviation}\0`)

  const size = headerSize * 2 + times.length * 9 + kinds.length * 6 + text.length + 2
  const bytes = new Uint8Array(size)
  const view = new DataView(bytes.buffer)
  const write = (at: number, characters: string) => bytes.set(new TextEncoder().encode(characters), at)
  write(0, "TZif2")
  write(headerSize, "TZif2")
  view.setUint32(headerSize + 32, times.length)
  view.setUint32(headerSize + 36, kinds.length)
  view.setUint32(headerSize + 40, text.length)
  let at = headerSize * 2
  for (const time of times) {
    view.setBigInt64(at, BigInt(time))
    at += 8
  }
  bytes.set(kindsOfTimes, at)
  at += times.length
  for (const { abbreviation, isSummer, offset } of kinds) {
    view.setInt32(at, offset)
    view.setUint8(at + 4, isSummer ? 1 : 0)
    view.setUint8(at + 5, placeOf(abbreviation))
    at += 6
  }
  write(at, text)
  write(at + text.length, "\n\n")
  return bytes
}
