/** Whether a contact is called again, when, and why, in one or two sentences. */
import type { Outputs } from "../../data/AccountPulse.ts"
import { outcomeWords } from "../../figures/Outcomes.ts"
import { calledZone } from "../../words/CalledZone.ts"
import { duration, moment, placeOf, planned } from "../../words/Times.ts"
import type { OpenCampaign } from "./CurrentCampaign.ts"
import { hoursWords } from "./SettingsLine.ts"

type Contact = Outputs["campaigns"]["contacts"]["get"]

interface Said {
  readonly first: string
  readonly second?: string
}

const skips = {
  stopped: "Skipped: the campaign was stopped.",
  do_not_call: "Skipped: on the do-not-call list.",
  no_consent: "Skipped: no consent as the campaign requires it.",
  outside_window: "Skipped: their calling hours never come.",
  rule: "Skipped: a rule of the campaign's packs never permits the call.",
  erased: "Skipped: the person was erased.",
  withdrawn: "Skipped: withdrawn from the campaign.",
  final_disposition: "Skipped: the disposition of a call is final.",
} as const

export const calledAgain = (
  contact: Contact,
  campaign: OpenCampaign,
  /** The campaign's hours, or the account's. */
  hours: OpenCampaign["calling_window"],
  now: Date,
  zone: string,
): Said => {
  const { attempts, callback_at, callbacks, next_attempt_at, outcome, skip_reason, status } = contact
  const most = campaign.retries_per_contact + 1 + callbacks
  if (skip_reason !== null) return { first: skips[skip_reason] }
  if (status === "in_progress" && contact.withdrawn_at !== null) {
    return { first: "In a call right now.", second: "Withdrawn: not called again after it." }
  }
  if (status === "in_progress") return { first: "In a call right now.", second: tryOf(attempts, most) }
  if (status === "completed") {
    return {
      first:
        outcome === "voicemail"
          ? "Not called again: a voicemail was reached."
          : "Not called again: a person was reached.",
    }
  }
  if (status === "failed") return { first: givenUp(contact, most) }
  const when = next_attempt_at === null ? undefined : moment(new Date(next_attempt_at), now, zone)
  if (callback_at !== null && when !== undefined) {
    const own = calledZone(contact, zone)
    const at = planned(new Date(next_attempt_at ?? callback_at), now, own)
    return {
      first: `Called back ${at} in ${placeOf(own)}.`,
      second: "They asked for it in the last call. It uses none of the retries.",
    }
  }
  if (contact.waiting_for === "quiet_period" && when !== undefined) {
    return {
      first: `Called at ${when} at the earliest.`,
      second: `They answered a call less than ${duration(campaign.quiet_after_answer_seconds ?? 0)} before.`,
    }
  }
  if (contact.waiting_for === "time_of_day" && when !== undefined) {
    const time =
      campaign.retry_time_of_day === "best"
        ? "At the time of day when people answer most."
        : "At another time of the day than before."
    return {
      first: `Called again at ${when} at the earliest.`,
      second: `${time} ${tryOf(attempts + 1, most)}`,
    }
  }
  if (attempts === 0) {
    return when === undefined
      ? { first: "Not called yet.", second: "Called when it is their turn." }
      : { first: `Called at ${when} at the earliest.`, second: `Their hours: ${hoursWords(hours)}.` }
  }
  const after = outcome === null ? "" : ` after ${outcomeWords[outcome].toLowerCase()}`
  const window = hours === null ? "" : `, inside ${hoursWords(hours)}`
  return {
    first: when === undefined ? "Called again when it is their turn." : `Called again at ${when} at the earliest.`,
    second: `${capital(duration(delayAfter(outcome, campaign)))}${after}${window}. ${tryOf(attempts + 1, most)}`,
  }
}

const delayAfter = (outcome: Contact["outcome"], { retry_by_outcome, retry_delay_seconds }: OpenCampaign): number =>
  Object.entries(retry_by_outcome ?? {}).find(([name]) => name === outcome)?.[1].delay_seconds ?? retry_delay_seconds

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

const tryOf = (number: number, most: number): string =>
  number === most ? `It is the last of ${most} attempts.` : `It is attempt ${number} of ${most}.`

const givenUp = ({ attempts, outcome }: Contact, most: number): string => {
  if (outcome === "rejected") return "Not called again: declined."
  if (outcome === "invalid_number") return "Not called again: the number does not exist."
  if (outcome === "unknown") {
    return "Not called again automatically: the carrier went silent after the dial, so the phone may have rung."
  }
  return attempts >= most ? `Not called again: all ${most} attempts are used.` : "Not called again."
}
