/** A campaign as an operator orders it. Its contacts and settings are drawn by dice. */
import type { Dice } from "./Dice.ts"

export interface CampaignOrder {
  readonly numbers: ReadonlyArray<string>
  /** The fields of the form besides the contacts. */
  readonly fields: Record<string, string>
  readonly window: object | null
  readonly isScheduled: boolean
}

export interface Choices {
  readonly name: string
  readonly line: { readonly agent_id: string; readonly phone_number_id: string }
  /** The account's cap on concurrent calls. A campaign takes at most half of it. */
  readonly concurrent_max: number
  /** The most contacts of the campaign. */
  readonly most: number
  /** Numbers of the account's other campaigns, some of which this one calls too. */
  readonly others: ReadonlyArray<string>
  readonly newNumber: () => string
}

const everyDay = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

/** A full hour in UTC, relative to the present one. */
const hourFromNow = (hours: number) => `${String((new Date().getUTCHours() + hours + 24) % 24).padStart(2, "0")}:00`

const openWindow = () => ({ days: everyDay, start: hourFromNow(-1), end: hourFromNow(2), time_zone: "UTC" })
const closedWindow = () => ({ days: everyDay, start: hourFromNow(3), end: hourFromNow(5), time_zone: "UTC" })

export const chooseSlots = (dice: Dice, concurrent_max: number) =>
  dice.whole(1, Math.max(1, Math.floor(concurrent_max / 2)))

export const chooseOrder = (
  dice: Dice,
  { concurrent_max, line, most, name, newNumber, others }: Choices,
): CampaignOrder => {
  const numbers = Array.from({ length: dice.whole(4, most) }, () =>
    others.length > 0 && dice.chance(0.06) ? dice.pick(others) : newNumber(),
  )
  const scheduled_at = dice.chance(0.2) ? new Date(Date.now() + dice.whole(500, 5_000)).toISOString() : null
  const window = dice.chance(0.2) ? (dice.chance(0.6) ? openWindow() : closedWindow()) : null
  const fields = {
    name,
    ...line,
    max_concurrent_calls: String(chooseSlots(dice, concurrent_max)),
    retries_per_contact: String(dice.whole(0, 3)),
    retry_delay_seconds: String(dice.whole(0, 4)),
    redial_unknown: String(dice.chance(0.3)),
    ...(scheduled_at !== null && { scheduled_at }),
    ...(window !== null && { calling_window: JSON.stringify(window) }),
  }
  return { numbers, fields, window, isScheduled: scheduled_at !== null }
}

export const toForm = ({ fields, numbers }: CampaignOrder): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append("contacts", new Blob([`phone_number\n${numbers.join("\n")}\n`], { type: "text/csv" }), "contacts.csv")
  return form
}
