/** Why a retry goes to its part of the day, by the calls that were answered before. */
import { count, share } from "./Figures.ts"

interface Calls {
  readonly rang: number
  readonly answered: number
}
type Part = keyof typeof partWords

/** `time_of_day` of a decision of a campaign that chooses the best part. */
export interface BestPart {
  readonly part: Part
  readonly because: "person" | "account" | "rotation"
  readonly number: Readonly<Partial<Record<Part, Calls>>>
  readonly account: Readonly<Partial<Record<Part, Calls>>>
}

export const partWords = {
  morning: "in the morning",
  midday: "around midday",
  afternoon: "in the afternoon",
  evening: "in the evening",
} as const

export const sayWhyBest = ({ account, because, number, part }: BestPart): string => {
  if (because === "rotation") return "too few calls of the account to compare, so at another time than before"
  const { answered, rang } = (because === "person" ? number : account)[part] ?? { answered: 0, rang: 0 }
  if (because === "person") return `they answered ${count(answered)} of ${count(rang)} calls ${partWords[part]}`
  return rang === 0
    ? `no calls were made ${partWords[part]} so far`
    : `people answered ${share(answered, rang)} of ${count(rang)} calls ${partWords[part]}`
}
