/** Calling hours in words. */
import type { AccountPulse } from "../../data/AccountPulse.ts"
import { placeOf } from "../../words/Times.ts"

type Window = AccountPulse["account"]["calling_window"]

const capitalizeDay = (day: string): string => day.slice(0, 1).toUpperCase() + day.slice(1)

/** "Mon to Fri, 09:00 to 20:00 in each contact's time zone". */
export const windowSentence = (window: Window): string => {
  if (window === null) return "at any hour, unless a campaign says otherwise"
  const { days, end, start, time_zone } = window
  const week = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
  const at = days.map((day) => week.indexOf(day)).toSorted((a, b) => a - b)
  const first = at[0] ?? 0
  const last = at.at(-1) ?? 0
  const span =
    at.length > 2 && last - first === at.length - 1
      ? `${capitalizeDay(week[first] ?? "")} to ${capitalizeDay(week[last] ?? "")}`
      : at.map((index) => capitalizeDay(week[index] ?? "")).join(", ")
  return `${span}, ${start} to ${end} ${time_zone === "contact" ? "in each contact's time zone" : `in ${placeOf(time_zone)}`}`
}
