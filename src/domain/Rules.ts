/**
 * Whether the rule packs of a campaign permit a dial now, together with its calling window: the same answer for the
 * dialler, a preflight, callbacks and tests. Pure: packs, place, zones, past attempts and the moment decide (decision
 * 0076).
 */
import {
  allOf,
  type CallingWindow,
  type Gate,
  gateIn,
  hoursOn,
  type HoursOn,
  openingOfAll,
  zonesIn,
} from "./CallingWindow.ts"
import type { Place } from "./Place.ts"
import type { FrozenPack, RulePackRule } from "./RulePack.ts"
import { day } from "./ZoneClock.ts"
import { zoneKeyOf } from "./ZoneKey.ts"

/** An earlier attempt to the same number, by any campaign of the account. */
export interface EarlierAttempt {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Whether its subject is the campaign's own, or one of the two is unknown. */
  readonly same_subject: boolean
}

/** What the rules need to know of a called party. */
export interface Party {
  readonly place: Place
  /** The time zones that the called party may be in by its place. Empty means unknown: hours then refuse the call. */
  readonly zones: ReadonlyArray<string>
  /** The zones by which the calling window is judged. */
  readonly window_zones: ReadonlyArray<string>
  /** The attempts of the last `hoursBack` hours, oldest first. */
  readonly earlier: ReadonlyArray<EarlierAttempt>
}

/** The campaign's side. */
export interface Ruleset {
  readonly packs: ReadonlyArray<FrozenPack>
  readonly window: CallingWindow | null
  /** The number that calls come from. */
  readonly from_number: string
}

/** The rule that a decision names. */
export interface AppliedRule {
  readonly pack: string
  readonly version: string
  readonly rule: string
  readonly kind: RulePackRule["kind"]
  readonly title: string
}

/** `by` is the first that refuses now: the calling window, or a rule. */
export type RuleVerdict =
  | { readonly _tag: "Open" }
  | { readonly _tag: "OpensAt"; readonly at: Date; readonly by: AppliedRule | "window" }
  | { readonly _tag: "Never"; readonly by: AppliedRule | "window" }

/** A pack applies unless the place is known to be outside its jurisdiction: an unknown place gets the strictest rules. */
export const packsFor = (packs: ReadonlyArray<FrozenPack>, { country, state }: Place): ReadonlyArray<FrozenPack> =>
  packs.filter(
    ({ jurisdiction }) =>
      (country === null || country === jurisdiction.country) &&
      (jurisdiction.state === null || state === null || state === jurisdiction.state),
  )

/** The number of hours in the past whose attempts the packs count. 0 if they count none. */
export const hoursBack = (packs: ReadonlyArray<FrozenPack>): number =>
  Math.max(0, ...packs.flatMap(({ rules }) => rules.map((rule) => (rule.kind === "frequency" ? rule.hours : 0))))

const hour = 3_600_000
const always = [[0, day]] as const
const dateOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / day

const isInEffect = ({ effective_from, effective_to }: RulePackRule, date: number): boolean =>
  (effective_from === undefined || date >= dateOf(effective_from)) &&
  (effective_to === undefined || date <= dateOf(effective_to))

/** The hours that the rule permits by date; null if the rule is not about hours. */
const hoursOf = (rule: RulePackRule): HoursOn | null => {
  if (rule.kind === "calling_hours") return hoursOn(rule.hours)
  if (rule.kind !== "holidays") return null
  const closed = new Set(rule.dates.map(dateOf))
  return (date) => (closed.has(date) ? [] : always)
}

/** A gate over any moment of the rule's days of effect, which are those of UTC where no clock is asked. */
const whileInEffect =
  (rule: RulePackRule, gate: Gate): Gate =>
  (at, end) => {
    if (!isInEffect(rule, Math.floor(at / day))) return at
    const opens = gate(at, end)
    return rule.effective_to === undefined ? opens : Math.min(opens, (dateOf(rule.effective_to) + 1) * day)
  }

/** Opens when fewer than `attempts` of the counted attempts lie within the last `hours`. */
const gateOfFrequency = (
  rule: Extract<RulePackRule, { readonly kind: "frequency" }>,
  earlier: ReadonlyArray<EarlierAttempt>,
): Gate => {
  const counted = earlier.filter(({ same_subject }) => rule.per === "person" || same_subject)
  const oldest = counted[counted.length - rule.attempts]
  return oldest === undefined ? (at) => at : whileInEffect(rule, (at) => Math.max(at, oldest.at + rule.hours * hour))
}

/** Judges one called party. */
export type Judge = (party: Party) => RuleVerdict

/** The judge of one moment. */
export const judgeAt = (rules: Ruleset, now: Date): Judge => judges(rules)(now)

/**
 * Returns the function that makes the judge of a moment. What does not depend on earlier attempts is found once for each
 * set of places and zones, because a list has few of them: its gates for all moments, its verdict for one.
 */
export const judges = (rules: Ruleset): ((now: Date) => Judge) => {
  const standings = new Map<string, Standing>()
  const standingOf = (party: Party): Standing => {
    const { country, state } = party.place
    const key = `${country} ${state} ${zoneKeyOf(party.zones)} ${zoneKeyOf(party.window_zones)}`
    const before = standings.get(key)
    if (before !== undefined) return before
    const standing = stand(party, rules)
    standings.set(key, standing)
    return standing
  }
  return (moment) => {
    const now = moment.getTime()
    const said = new Map<Standing, RuleVerdict>()
    return (party) => {
      const standing = standingOf(party)
      const { frequencies } = standing
      const before = said.get(standing)
      const verdict = before ?? verdictOf(standing, [], now)
      if (before === undefined) said.set(standing, verdict)
      if (party.earlier.length === 0 || frequencies.length === 0 || verdict._tag === "Never") return verdict
      const counted = frequencies.map(({ by, rule }) => ({ by, gate: gateOfFrequency(rule, party.earlier) }))
      const isOpen = verdict._tag === "Open" && counted.every(({ gate }) => gate(now, now + day) <= now)
      return isOpen ? verdict : verdictOf(standing, counted, now)
    }
  }
}

interface NamedGate {
  readonly by: AppliedRule | "window"
  readonly gate: Gate
}

/** The rules of a place, those on hours apart from those on earlier attempts. */
interface Standing {
  readonly gates: ReadonlyArray<NamedGate>
  /** All of the gates. */
  readonly gate: Gate
  readonly frequencies: ReadonlyArray<{
    readonly by: AppliedRule
    readonly rule: Extract<RulePackRule, { readonly kind: "frequency" }>
  }>
}

const stand = ({ place, window_zones, zones }: Party, { from_number, packs, window }: Ruleset): Standing => {
  const gates: Array<NamedGate> = []
  const frequencies: Array<Standing["frequencies"][number]> = []
  if (window !== null) {
    const gate = gateIn(
      hoursOn([window]),
      zonesIn(window, () => window_zones),
    )
    gates.push({ by: "window", gate })
  }
  for (const pack of packsFor(packs, place)) {
    for (const rule of pack.rules) {
      const by = { pack: pack.id, version: pack.version, rule: rule.id, kind: rule.kind, title: rule.title }
      const hours = hoursOf(rule)
      if (hours !== null) {
        gates.push({ by, gate: gateIn((date) => (isInEffect(rule, date) ? hours(date) : always), zones) })
      } else if (rule.kind === "frequency") {
        frequencies.push({ by, rule })
      } else if (rule.kind === "number_series" && !isInSeries(rule, from_number)) {
        gates.push({ by, gate: whileInEffect(rule, (_, end) => end) })
      }
    }
  }
  return { gates, gate: allOf(gates.map(({ gate }) => gate)), frequencies }
}

/** Whether calls from this number are in the rule's series. */
export const isInSeries = (rule: { readonly prefixes: ReadonlyArray<string> }, from_number: string): boolean =>
  rule.prefixes.some((prefix) => from_number.startsWith(prefix))

const verdictOf = ({ gate, gates }: Standing, counted: ReadonlyArray<NamedGate>, now: number): RuleVerdict => {
  const opens = openingOfAll([gate, ...counted.map((one) => one.gate)], now)
  if (opens === now) return { _tag: "Open" }
  const end = now + 2 * day
  // The first that refuses now. One that is closed for good is named before those that open again.
  const closed = [...gates, ...counted].filter((one) => one.gate(now, end) > now)
  const by = (opens === null ? (closed.find((one) => openingOfAll([one.gate], now) === null) ?? closed[0]) : closed[0])
    ?.by
  if (by === undefined) throw new Error("a dial is refused by no rule")
  return opens === null ? { _tag: "Never", by } : { _tag: "OpensAt", at: new Date(opens), by }
}
