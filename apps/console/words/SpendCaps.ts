/** A limit on spending that may not cover all calls of a draft, in words: how many it covers at least, and what to do. */
import type { Outputs } from "../data/AccountPulse.ts"
import { count, counted, money } from "./Figures.ts"

type SpendCap = Outputs["campaigns"]["preflight"]["spend_caps"][number]

export const spendSentence = (
  { cap, covers, currency, limit, needed, reserved, reserved_per_call, spent }: SpendCap,
  attempts: number,
): string => {
  const inMoney = (amount: string) => money(Number(amount), currency)
  if (covers === null || needed === null || reserved_per_call === null) {
    const whose = cap === "max_spend" ? "The campaign's limit on spending" : "The account's limit on spending"
    return `${whose} can't be kept, because a price is missing. No call is placed until the installation has that price or the limit is removed.`
  }
  const { least, most } = reserved_per_call
  const each = least === most ? inMoney(most) : `${inMoney(least)} to ${inMoney(most)}`
  const coverage = `at least ${count(covers)} of ${counted(attempts, "call")}, counted at the most that each may cost, ${each}`
  if (cap === "max_spend") {
    const left = Math.max(0, Number(limit) - Number(spent) - Number(reserved))
    return `The ${money(left, currency)} left to spend cover ${coverage}. Raise the limit to ${inMoney(needed)} to cover all of them, or shorten the agent's longest call.`
  }
  return `The ${inMoney(limit)} that the account may spend in a day cover ${coverage}. The others may wait for the next day.`
}
