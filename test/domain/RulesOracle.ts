/**
 * What rule packs permit, worked out minute by minute with `Intl` and none of the product's code: the oracle of its tests.
 * It has no gates, no spans of clocks and no cache.
 */
import type { CallingWindow } from "../../src/domain/CallingWindow.ts"
import type { FrozenPack, RulePackRule } from "../../src/domain/RulePack.ts"
import type { Party } from "../../src/domain/Rules.ts"

const formats = new Map<string, Intl.DateTimeFormat>()
const formatOf = (zone: string) => {
  const own =
    formats.get(zone) ??
    new Intl.DateTimeFormat("en-GB", {
      ...({ timeZone: zone, weekday: "short", year: "numeric", month: "2-digit", day: "2-digit" } as const),
      ...({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const),
    })
  formats.set(zone, own)
  return own
}

/** What a clock in the zone shows. */
const clock = (zone: string, at: number) => {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  )
  const { day, hour, minute, month, weekday, year } = parts
  return { date: `${year}-${month}-${day}`, day: weekday!.toLowerCase(), time: `${hour}:${minute}` }
}

const isWithin = (
  hours: { readonly days: ReadonlyArray<string>; readonly start: string; readonly end: string },
  zone: string,
  at: number,
) => {
  const { day, time } = clock(zone, at)
  return hours.days.includes(day) && hours.start <= time && time < hours.end
}

const isInEffect = ({ effective_from = "0000-00-00", effective_to = "9999-99-99" }: RulePackRule, date: string) =>
  effective_from <= date && date <= effective_to

const permits = (rule: RulePackRule, party: Party, from: string, at: number): boolean => {
  const utc = new Date(at).toISOString().slice(0, 10)
  switch (rule.kind) {
    case "duty":
      return true
    case "number_series":
      return !isInEffect(rule, utc) || rule.prefixes.some((prefix) => from.startsWith(prefix))
    case "frequency": {
      const since = at - rule.hours * 3_600_000
      const counted = party.earlier.filter(
        (attempt) => attempt.at > since && (rule.per === "person" || attempt.same_subject),
      )
      return !isInEffect(rule, utc) || counted.length < rule.attempts
    }
    default:
      if (party.zones.length === 0) return false
      return party.zones.every((zone) => {
        const { date } = clock(zone, at)
        if (!isInEffect(rule, date)) return true
        return rule.kind === "holidays"
          ? !rule.dates.includes(date)
          : rule.hours.some((hours) => isWithin(hours, zone, at))
      })
  }
}

/** Whether the packs and the window permit a dial at this moment. */
export const isPermitted = (
  {
    from_number,
    packs,
    window,
  }: { packs: ReadonlyArray<FrozenPack>; window: CallingWindow | null; from_number: string },
  party: Party,
  at: number,
): boolean => {
  const { country, state } = party.place
  if (window !== null) {
    const zones = window.time_zone === "contact" ? party.window_zones : [window.time_zone]
    if (zones.length === 0 || !zones.every((zone) => isWithin(window, zone, at))) return false
  }
  for (const { jurisdiction, rules } of packs) {
    if (country !== null && country !== jurisdiction.country) continue
    if (jurisdiction.state !== null && state !== null && state !== jurisdiction.state) continue
    if (!rules.every((rule) => permits(rule, party, from_number, at))) return false
  }
  return true
}
