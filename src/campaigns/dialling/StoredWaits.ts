/** What campaigns wait for, as it is stored: earlier releases do not know all values. */
import type { WaitingFor } from "../../domain/Campaign.ts"
import { spendCapSentences, type SpendWait } from "../../domain/SpendCap.ts"

/** A missing price is stored behind the cap that needs it, as its sentence. */
const namesPrice = "c.waiting_for = 'daily_cap' and c.waiting_detail ~ '^(daily_)?spend_cap: '"

/**
 * SQL for what a campaign `c` waits for. Some waits are stored as another one with a detail, because earlier releases
 * do not know them: a wait for callbacks as one for retries, waits for money or for a number as one for the next day.
 */
export const waitingForOf = `case
  when c.waiting_for = 'retry_delay' and c.waiting_detail = 'callback' then 'callback'
  when c.waiting_for = 'daily_cap' and c.waiting_detail in ('spend_cap', 'daily_spend_cap') then 'spend_cap'
  when ${namesPrice} then 'spend_cap'
  when c.waiting_for = 'daily_cap' and c.waiting_detail = 'caller_number' then 'caller_number'
  else c.waiting_for end`

/** SQL for the sentence about the missing price that a campaign `c` waits for; null if none is missing. */
export const missingPriceOf = `case when ${namesPrice} then substr(c.waiting_detail, strpos(c.waiting_detail, ': ') + 2) end`

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`

/** SQL for the sentence of a campaign `c` that waits for its carrier or for money; null for other waits. */
export const waitingDetailOf = `case
  when c.waiting_for = 'carrier' then c.waiting_detail
  when c.waiting_for = 'daily_cap' then case c.waiting_detail
    when 'spend_cap' then ${quoted(spendCapSentences.max_spend)}
    when 'daily_spend_cap' then ${quoted(spendCapSentences.daily_spend_cap)}
    else ${missingPriceOf} end
  end`

/** How a wait is stored: the value, and its detail. */
export const storedAs = (waitingFor: WaitingFor | null, spend: SpendWait | null) => {
  if (waitingFor === "callback") return ["retry_delay", "callback"]
  if (waitingFor === "spend_cap") {
    const cap = spend?.cap === "daily_spend_cap" ? spend.cap : "spend_cap"
    const missing = spend?.missing_price ?? null
    return ["daily_cap", missing === null ? cap : `${cap}: ${missing}`]
  }
  if (waitingFor === "caller_number") return ["daily_cap", waitingFor]
  return [waitingFor, null]
}
