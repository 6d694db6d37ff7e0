/** The columns of `results.csv` that say what the calls to a contact cost together, by part. */
import type { CostSum } from "../domain/CostSum.ts"

const parts = ["telephony", "brain", "recogniser", "voice"] as const

export const names = ["cost", "currency", ...parts.map((part) => `cost_${part}`), "not_priced"]

/** A part that no call has is an empty cell. */
export const cellsOf = ({
  amount,
  currency,
  not_priced = [],
  parts: costs = {},
}: typeof CostSum.Type): Array<string> => [
  String(amount),
  currency,
  ...parts.map((part) => (costs[part] === undefined ? "" : String(costs[part]))),
  not_priced.join(" "),
]
