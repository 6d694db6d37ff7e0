/** A campaign's settings in one line: agent, numbers, start, retries, hours, rule packs. */
import { useAccountPulse } from "../../data/AccountPulse.ts"
import { count, counted } from "../../words/Figures.ts"
import { formatNumber } from "../../words/PhoneNumbers.ts"
import { duration, moment, placeOf } from "../../words/Times.ts"
import type { OpenCampaign } from "./CurrentCampaign.ts"

type Window = OpenCampaign["calling_window"]

interface Beside {
  readonly agent: string | undefined
  /** Undefined until it is known. */
  readonly hours: Window | undefined
  /** The first number that it calls from. Undefined until it is known. */
  readonly number: string | undefined
  readonly now: Date
  readonly zone: string
}

/** "Nora v14". A started campaign keeps its version. A draft has none yet and takes the newest at the start. */
const withVersion = (agent: string, version: number | null): string =>
  version === null ? agent : `${agent} v${version}`

/** "9 AM" for "09:00", "8:30 PM" for "20:30". */
const hour = (time: string): string => {
  const [hours = 0, minutes = 0] = time.split(":").map(Number)
  const twelve = hours % 12 === 0 ? 12 : hours % 12
  const shown = minutes === 0 ? `${twelve}` : `${twelve}:${String(minutes).padStart(2, "0")}`
  return `${shown} ${hours % 24 < 12 ? "AM" : "PM"}`
}

/** The hours in which a campaign calls: its own, or the account's. Undefined until the account's are known. */
export const useHours = ({ calling_window }: Pick<OpenCampaign, "calling_window">): Window | undefined => {
  const account = useAccountPulse()?.account
  return calling_window ?? account?.calling_window
}

export const hoursWords = (window: Window): string =>
  window === null
    ? "at any hour"
    : `${hour(window.start)} to ${hour(window.end)} ${window.time_zone === "contact" ? "in each contact's time zone" : `in ${placeOf(window.time_zone)}`}`

const timesOfDay = {
  rotate: "at another time of the day",
  best: "at the time of day when people answer most",
} as const

export const retryWords = ({
  retries_per_contact,
  retry_by_outcome,
  retry_delay_seconds,
  retry_time_of_day,
}: Pick<
  OpenCampaign,
  "retries_per_contact" | "retry_by_outcome" | "retry_delay_seconds" | "retry_time_of_day"
>): string =>
  retries_per_contact === 0
    ? "no retries"
    : `${counted(retries_per_contact, "retry", "retries")}, ${duration(retry_delay_seconds)} apart${retry_by_outcome === null ? "" : ", others by outcome"}${retry_time_of_day === null ? "" : `, ${timesOfDay[retry_time_of_day]}`}`

/** "+1 617 555 0100 and 3 more": the numbers that a campaign calls from. */
export const numberWords = (
  first: string,
  { caller_numbers, phone_number_id }: Pick<OpenCampaign, "caller_numbers" | "phone_number_id">,
): string => {
  const further = caller_numbers.filter((id) => id !== phone_number_id).length
  return further === 0 ? formatNumber(first) : `${formatNumber(first)} and ${count(further)} more`
}

export const settingsLine = (campaign: OpenCampaign, { agent, hours, now, number, zone }: Beside): string =>
  [
    agent === undefined ? undefined : withVersion(agent, campaign.agent_version),
    number === undefined ? undefined : `from ${numberWords(number, campaign)}`,
    campaign.started_at === null ? undefined : `started ${moment(new Date(campaign.started_at), now, zone)}`,
    retryWords(campaign),
    hours === undefined ? undefined : hoursWords(hours),
    campaign.rule_packs.length === 0 ? undefined : `rule packs ${campaign.rule_packs.join(", ")}`,
  ]
    .filter((part) => part !== undefined)
    .join(" · ")
