/** The cost of several calls in words, by part. */
import { money } from "./Figures.ts"

interface CostSum {
  readonly currency: string
  readonly parts?: Readonly<Record<string, number>> | undefined
  readonly not_priced?: ReadonlyArray<string> | undefined
}

const words: Record<string, string> = {
  telephony: "carrier",
  brain: "models",
  recogniser: "speech to text",
  voice: "text to speech",
}
const wordFor = (part: string) => words[part] ?? part

/** "carrier $1.20, models $0.40; no price for text to speech". Empty if nothing is known of the parts. */
export const costsByPart = ({ currency, not_priced = [], parts = {} }: CostSum): string => {
  const priced = Object.entries(parts).map(([part, amount]) => `${wordFor(part)} ${money(amount, currency)}`)
  const missing = not_priced.length === 0 ? [] : [`no price for ${not_priced.map(wordFor).join(" and ")}`]
  return [...(priced.length === 0 ? [] : [priced.join(", ")]), ...missing].join("; ")
}
