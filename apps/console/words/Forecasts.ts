/** The server's forecast of a campaign's end in words: the day and time, and the limit that decides it. */
import type { CampaignView } from "../data/LiveViews.ts"
import { planned } from "./Times.ts"

export type Forecast = NonNullable<CampaignView["snapshot"]["forecast"]>

const limits: Record<NonNullable<Forecast["limited_by"]>, string> = {
  slots: "its slots",
  number_pace: "the pace of its phone number",
  concurrent_cap: "the account's concurrent calls",
  per_minute_cap: "the calls per minute",
  daily_cap: "the calls per day",
  spend_cap: "the most that it may spend",
  caller_number: "the limits of its phone numbers",
  calling_window: "the calling hours",
  rule: "a rule of its packs",
  time_of_day: "retries at another time of the day",
  quiet_period: "the quiet period after answered calls",
  budget: "the slots that other campaigns hold",
  retry_delay: "the delay before retries",
  callback: "the times of callbacks",
  carrier: "its carrier",
  restored: "the restore from a backup",
}

/** "limited by the account's daily spending limit until tomorrow 12:00 AM". */
export const limitWords = ({ limited_by, limited_until, spend_cap }: Forecast, now: Date, zone: string): string => {
  if (limited_by === null) return ""
  const limit = spend_cap === "daily_spend_cap" ? "the account's daily spending limit" : limits[limited_by]
  const until =
    limited_until === undefined || limited_until === null ? "" : ` until ${planned(new Date(limited_until), now, zone)}`
  return `limited by ${limit}${until}`
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Rounds the end, since an exact time would change with each call. */
const roundEnd = (end: number, now: number): Date => {
  const left = end - now
  const step = left > day ? 30 * minute : left > hour ? 5 * minute : minute
  return new Date(Math.ceil(end / step) * step)
}

/**
 * "today at 4:45 PM", "tomorrow 9:00 AM", "Mon 23 Nov, 9:00 AM". Undefined if the campaign does not end within a year, or
 * has ended.
 */
export const endWords = (forecast: Pick<Forecast, "ends_at"> | null, now: Date, zone: string): string | undefined => {
  const ends_at = forecast?.ends_at ?? null
  return ends_at === null ? undefined : planned(roundEnd(Date.parse(ends_at), now.getTime()), now, zone)
}
