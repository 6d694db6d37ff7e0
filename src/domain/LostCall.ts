/**
 * The cost of a call whose process died, once it is known how long the call lasted at most (decision 0083). Pure.
 *
 * The carrier's part follows from the duration. So does the most that the recogniser may have cost, because it stopped
 * with the process. Of models and voice only the recorded costs are known; the price list's ceiling bounds the rest.
 */
import { type Cost, type CostPart, noCost } from "./Call.ts"
import { currency, microsFrom, numberOf } from "./Money.ts"
import { carrierCost, mostFor, recogniserCost, type Tariff } from "./PriceList.ts"

export interface LostCost {
  /** What is known: the recorded cost, with the carrier's part by the duration. */
  readonly cost: Cost
  /** The most that the call may have cost, in millionths; null if a price for that is missing. */
  readonly at_most: number | null
}

interface Talked {
  /** How long the call lasted at most. */
  readonly ms: number
  /** False if it is not known whether the call was answered. */
  readonly is_answered: boolean
}

/** `recorded`: the cost in the call's row. `talked`: null if the call was certainly not answered. */
export const lostCostOf = (tariff: Tariff, recorded: Cost | null, talked: Talked | null): LostCost => {
  const known = recorded ?? noCost
  if (talked === null) return { cost: known, at_most: 0 }
  const at_most = mostFor(tariff, talked.ms)
  return { cost: talked.is_answered ? settle(tariff, known, talked.ms) : known, at_most }
}

const settle = (tariff: Tariff, { not_priced = [], parts: recorded }: Cost, ms: number): Cost => {
  const { carrier } = tariff
  const parts = {
    ...recorded,
    ...(carrier === null ? {} : { telephony: numberOf(carrierCost(carrier, ms)) }),
    ...(recorded["recogniser"] === undefined ? {} : { recogniser: numberOf(recogniserCost(tariff, ms) ?? 0) }),
  }
  const amount = numberOf(Object.values(parts).reduce((sum, part) => sum + microsFrom(part), 0))
  const unpriced = new Set<CostPart>([...(carrier === null ? (["telephony"] as const) : []), ...not_priced])
  return { amount, currency, parts, ...(unpriced.size === 0 ? {} : { not_priced: [...unpriced] }) }
}
