/** The stored record of a decision to dial, and its rules in words. */
import { count, ordinal } from "../../words/Figures.ts"
import { duration, placeOf } from "../../words/Times.ts"
import { type BestPart, partWords, sayWhyBest } from "../../words/BestPart.ts"

interface Usage {
  readonly used: number
  readonly limit: number
}

export interface Decision {
  readonly rule?: string
  readonly attempt?: number
  readonly of?: number
  readonly retry_delay_seconds?: number
  readonly retry_by_outcome?: object
  readonly due_at?: string | null
  readonly slots?: Usage
  readonly caps?: Readonly<Record<string, Usage>>
  readonly window?: {
    readonly start: string
    readonly end: string
    readonly zones?: ReadonlyArray<string>
    readonly local_times?: Readonly<Record<string, string>>
  } | null
  /** Positions among the person's numbers, from 1. Absent if there is one number. */
  readonly number?: { readonly position: number; readonly of: number; readonly passed_over: ReadonlyArray<number> }
  readonly time_of_day?: BestPart
  readonly agent?: { readonly name: string; readonly version?: number }
  readonly rules?: { readonly packs: Readonly<Record<string, string>> }
  readonly data?: { readonly time_zones: string; readonly prefixes: string }
  readonly decided_at?: string
}

/** Records of older versions of Parley have other fields. Missing ones are left out. */
export const decisionOf = (kept: unknown): Decision | undefined =>
  typeof kept === "object" && kept !== null && "rule" in kept ? (kept as Decision) : undefined

export interface Rule {
  readonly rule: string
  readonly seen: string
  readonly verdict: string
}

const leftOf = ({ limit, used }: Usage, word: string): string => `${count(limit - used)} ${word}`
const usedOf = (usage: Usage): string => `${count(usage.used)} of ${count(usage.limit)}`

const capRules: ReadonlyArray<readonly [cap: string, rule: string, inUse: string, word: string]> = [
  ["concurrent_cap", "Account slots", " in use", "free"],
  ["per_minute_cap", "Calls a minute", "", "left"],
  ["daily_cap", "Calls today", "", "left"],
]

export const rulesOf = (decision: Decision, clockOf: (at: Date) => string): ReadonlyArray<Rule> => {
  const {
    attempt,
    caps = {},
    due_at,
    number,
    of,
    retry_by_outcome,
    retry_delay_seconds,
    rule,
    slots,
    time_of_day,
    window,
  } = decision
  return [
    { rule: "Do-not-call list", seen: "not listed", verdict: "may call" },
    window === undefined || window === null
      ? { rule: "Calling hours", seen: "none are set", verdict: "open" }
      : { rule: "Calling hours", seen: hoursSeen(window), verdict: `open to ${window.end}` },
    ...(slots === undefined
      ? []
      : [{ rule: "Campaign slots", seen: `${usedOf(slots)} in use`, verdict: leftOf(slots, "free") }]),
    ...capRules.flatMap(([cap, rule, inUse, word]) => {
      const usage = caps[cap]
      return usage === undefined ? [] : [{ rule, seen: `${usedOf(usage)}${inUse}`, verdict: leftOf(usage, word) }]
    }),
    ...(attempt === undefined || of === undefined
      ? []
      : [{ rule: "Attempts", seen: `${attempt - 1} of ${of} used`, verdict: `${ordinal(attempt)} attempt` }]),
    ...(number === undefined ? [] : [numberRule(number)]),
    ...(rule === "callback" && typeof due_at === "string"
      ? [{ rule: "Callback", seen: "promised in the call before", verdict: `due ${clockOf(new Date(due_at))}` }]
      : []),
    ...(attempt === undefined || attempt < 2 || retry_delay_seconds === undefined || rule === "callback"
      ? []
      : [
          {
            rule: "Retry delay",
            seen:
              retry_by_outcome === undefined
                ? `${duration(retry_delay_seconds)} after the attempt before`
                : "by the outcome of the attempt before",
            verdict: due_at === undefined || due_at === null ? "due" : `due ${clockOf(new Date(due_at))}`,
          },
        ]),
    ...(time_of_day === undefined
      ? []
      : [{ rule: "Time of day", seen: sayWhyBest(time_of_day), verdict: partWords[time_of_day.part] }]),
  ]
}

const numberRule = ({ of, passed_over, position }: NonNullable<Decision["number"]>): Rule => ({
  rule: "Person's numbers",
  seen:
    passed_over.length === 0
      ? "it was its turn"
      : `${passed_over.map((at) => ordinal(at)).join(", ")} may not be called`,
  verdict: `${ordinal(position)} of ${of}`,
})

const hoursSeen = ({ local_times = {}, zones = [] }: NonNullable<Decision["window"]>): string =>
  zones.map((zone) => `${local_times[zone] ?? ""} in ${placeOf(zone)}`.trim()).join(", ")
