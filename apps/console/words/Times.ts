/** Times in the account's zone and the user's locale, and durations in words. */

const minute = 60
const hour = 60 * minute
const day = 24 * hour

const formats = new Map<string, Intl.DateTimeFormat>()
const format = (at: Date, zone: string, options: Intl.DateTimeFormatOptions, locale?: string): string => {
  const key = `${locale ?? ""} ${zone} ${JSON.stringify(options)}`
  const known = formats.get(key)
  const format = known ?? new Intl.DateTimeFormat(locale, { ...options, timeZone: zone })
  if (known === undefined) formats.set(key, format)
  return format.format(at)
}

/** The day of a moment in the zone, as `2026-11-24`. */
const dayIn = (at: Date, zone: string): string =>
  format(at, zone, { year: "numeric", month: "2-digit", day: "2-digit" }, "en-CA")
const daysBetween = (from: Date, to: Date, zone: string): number =>
  Math.round((Date.parse(dayIn(to, zone)) - Date.parse(dayIn(from, zone))) / (day * 1000))

/** "2:31 PM". */
export const clock = (at: Date, zone: string): string => format(at, zone, { hour: "numeric", minute: "2-digit" })

/** "2:31:04 PM", where seconds matter. */
export const exactClock = (at: Date, zone: string): string =>
  format(at, zone, { hour: "numeric", minute: "2-digit", second: "2-digit" })

/** "2:31:04.118 PM", for the instant of a decision. */
export const instant = (at: Date, zone: string): string =>
  format(at, zone, { hour: "numeric", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 })

/** "12 Nov". */
export const date = (at: Date, zone: string): string => {
  const parts = { day: format(at, zone, { day: "numeric" }), month: format(at, zone, { month: "short" }) }
  return `${parts.day} ${parts.month}`
}

/** "Friday 20 November". */
export const longDate = (at: Date, zone: string): string =>
  `${format(at, zone, { weekday: "long" })} ${format(at, zone, { day: "numeric" })} ${format(at, zone, { month: "long" })}`

/** "2:31 PM" on the same day, "Thu 2:31 PM" within a week, otherwise "12 Nov". */
export const moment = (at: Date, now: Date, zone: string): string => {
  const days = daysBetween(at, now, zone)
  if (days === 0) return clock(at, zone)
  return Math.abs(days) < 7 ? `${format(at, zone, { weekday: "short" })} ${clock(at, zone)}` : date(at, zone)
}

/** "today at 5:00 PM", "tomorrow 9:00 AM", "Mon 23 Nov, 9:00 AM", for a time in the future. */
export const planned = (at: Date, now: Date, zone: string): string => {
  const days = daysBetween(now, at, zone)
  if (days === 0) return `today at ${clock(at, zone)}`
  if (days === 1) return `tomorrow ${clock(at, zone)}`
  return `${format(at, zone, { weekday: "short" })} ${date(at, zone)}, ${clock(at, zone)}`
}

/** "New York": the place in a zone's name. */
export const placeOf = (zone: string): string => zone.slice(zone.lastIndexOf("/") + 1).replaceAll("_", " ")

/** "2:31 PM in New York", for a contact's local time. */
export const localClock = (at: Date, zone: string): string => `${clock(at, zone)} in ${placeOf(zone)}`

/** UTC with milliseconds, for tooltips and for comparison with a log. */
export const utc = (at: Date): string => `${at.toISOString().replace("T", " ").replace("Z", "")} UTC`

/** "1:47", "1:02:03", for tables. */
export const length = (seconds: number): string => {
  const whole = Math.max(0, Math.round(seconds))
  const two = (value: number) => String(value).padStart(2, "0")
  return whole < hour
    ? `${Math.floor(whole / minute)}:${two(whole % minute)}`
    : `${Math.floor(whole / hour)}:${two(Math.floor((whole % hour) / minute))}:${two(whole % minute)}`
}

/** "4 h 35 min", "12 s", "2 d 18 h", for text. */
export const duration = (seconds: number): string => {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < minute) return `${whole} s`
  if (whole < hour) return `${Math.round(whole / minute)} min`
  if (whole < day) return joinUnits(Math.floor(whole / hour), "h", Math.round((whole % hour) / minute), "min")
  return joinUnits(Math.floor(whole / day), "d", Math.round((whole % day) / hour), "h")
}
const joinUnits = (large: number, largeUnit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`

/** Seconds from `from` to `to`. */
export const secondsBetween = (from: Date, to: Date): number => (to.getTime() - from.getTime()) / 1000

/** Formats milliseconds as "0.72 s". */
export const inSeconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`
