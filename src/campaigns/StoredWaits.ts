/** What campaigns wait for, as it is stored: earlier releases do not know all values. */
import type { WaitingFor } from "../domain/Campaign.ts"
import type { SpendCap } from "../domain/SpendCap.ts"

/**
 * SQL for what a campaign `c` waits for. Some waits are stored as another one with a detail, because earlier releases
 * do not know them: a wait for callbacks as one for retries, waits for money or for a number as one for the next day.
 */
export const waitingForOf = `case
  when c.waiting_for = 'retry_delay' and c.waiting_detail = 'callback' then 'callback'
  when c.waiting_for = 'daily_cap' and c.waiting_detail in ('spend_cap', 'daily_spend_cap') then 'spend_cap'
  when c.waiting_for = 'daily_cap' and c.waiting_detail = 'caller_number' then 'caller_number'
  else c.waiting_for end`

/** How a wait is stored: the value, and its detail. */
export const storedAs = (waitingFor: WaitingFor | null, spendCap: SpendCap | null) => {
  if (waitingFor === "callback") return ["retry_delay", "callback"]
  if (waitingFor === "spend_cap") return ["daily_cap", spendCap === "daily_spend_cap" ? spendCap : "spend_cap"]
  if (waitingFor === "caller_number") return ["daily_cap", waitingFor]
  return [waitingFor, null]
}
