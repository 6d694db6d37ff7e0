/** A campaign's state, reason and time in the words of a row. */
import type { Outputs } from "../../data/AccountPulse.ts"
import type { Campaign } from "../../data/Campaigns.ts"
import { stateOf } from "../../figures/StateSign.tsx"
import { countCalled } from "../../data/Tallies.ts"
import { count, counted, share } from "../../words/Figures.ts"
import { clock, duration, moment, planned, secondsBetween } from "../../words/Times.ts"
import { endWords as forecastEnd } from "../../words/Forecasts.ts"
import { inTime, whyItWaits } from "../../words/Waiting.ts"

export type LiveFigures = Outputs["account"]["running"][number]

/** The reason of an end, in words that fit after "failed:" and under "Completed". */
export const endWords = (reason: Campaign["end_reason"]): string => {
  switch (reason) {
    case "finished":
      return "finished"
    case "stopped":
      return "stopped"
    case "agent_missing":
      return "its agent is gone"
    case "phone_number_missing":
      return "its number is gone"
    case "carrier_rejected":
      return "the carrier refused the number"
    case null:
      return "for an unknown reason"
  }
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)
const bare = (sentence: string): string => sentence.replace(/\.$/, "")

/** The line under the state: a reason, a need or a time. */
export const stateLine = (
  campaign: Campaign,
  live: LiveFigures | undefined,
  /** Slots that no running campaign holds. */
  left: number | undefined,
  now: Date,
  zone: string,
): string => {
  const { counts, end_reason, max_concurrent_calls, scheduled_at } = campaign
  switch (stateOf(campaign)) {
    case "running":
      return live === undefined ? "Dialling" : bare(whyItWaits(live, now, zone).first)
    case "waiting":
      return `Needs ${counted(max_concurrent_calls, "slot")}${left === undefined ? "" : `, ${left} ${left === 1 ? "is" : "are"} left`}`
    case "scheduled":
      return scheduled_at === null ? "" : `Starts ${planned(new Date(scheduled_at), now, zone)}`
    case "paused":
      return campaign.waiting_for === "carrier" ? "The carrier failed too often" : "Until it is resumed"
    case "draft":
      return "Not started"
    case "stopped":
      return `At ${share(countCalled(counts), counts.total)}, ${count(counts.skipped)} not called`
    case "completed":
    case "failed":
      return capital(endWords(end_reason))
  }
}

/** When the campaign ends or starts, or when it ended and how long it took. */
export const whenWords = (campaign: Campaign, live: LiveFigures | undefined, now: Date, zone: string): string => {
  const { ended_at, scheduled_at, started_at, updated_at } = campaign
  switch (stateOf(campaign)) {
    case "running": {
      const end = live === undefined ? undefined : forecastEnd(live.forecast, now, zone)
      return end === undefined ? "–" : `ends ${end}`
    }
    case "waiting":
      return scheduled_at === null ? "–" : `due ${clock(new Date(scheduled_at), zone)}`
    case "scheduled":
      return scheduled_at === null ? "–" : inTime(new Date(scheduled_at), now)
    case "paused":
      return `paused ${duration(secondsBetween(new Date(updated_at), now))}`
    case "draft":
      return `edited ${moment(new Date(updated_at), now, zone)}`
    case "completed":
    case "stopped":
    case "failed": {
      if (ended_at === null) return "–"
      const took = started_at === null ? "" : `, ${duration(secondsBetween(new Date(started_at), new Date(ended_at)))}`
      return `${moment(new Date(ended_at), now, zone)}${took}`
    }
  }
}
