/** What must hold for every dial at the moment of its intent: I1, I2, I3, I5, I7–I12. */
import { dayAt, isOpen } from "./Calendar.ts"
import { holds } from "./Broken.ts"
import type { Attempt, CampaignTruth, Truth } from "./Truth.ts"

const minute = 60_000

export const checkDials = (truth: Truth): void => {
  const fresh = truth.fresh.toSorted((a, b) => a.begun - b.begun)
  for (const dial of fresh) {
    const others = [...truth.attempts.values()].filter(({ begun, id }) => id !== dial.id && begun <= dial.begun)
    // A call that ended in this command may have ended before the dial, so it does not count.
    const live = others.filter(({ end }) => end === null)
    checkAccount(truth, dial, others, live)
    if (dial.campaign !== null) checkCampaign(truth, dial, dial.campaign, others, live)
  }
}

type Attempts = ReadonlyArray<Attempt>

const checkAccount = (truth: Truth, dial: Attempt, others: Attempts, live: Attempts): void => {
  const { caps } = truth
  const { caps: before } = truth.before
  const twice = live.find(({ number }) => number === dial.number)
  holds("I1", twice === undefined, () => `${dial.id} and ${twice?.id} both live with ${dial.number}`)
  const slots = Math.max(caps.concurrent_max, before.concurrent_max)
  holds("I3", live.length < slots, () => `${dial.id} is one of ${live.length + 1} calls of ${slots}`)
  const lastMinute = others.filter(({ begun }) => begun > dial.begun - minute).length
  const perMinute = Math.max(caps.calls_per_minute, before.calls_per_minute)
  holds("I9", lastMinute < perMinute, () => `${dial.id} is number ${lastMinute + 1} of ${perMinute} in a minute`)
  const day = dayAt(truth.zone, dial.begun)
  const today = others.filter(({ begun }) => dayAt(truth.zone, begun) === day).length
  const perDay = Math.max(caps.calls_per_day, before.calls_per_day)
  holds("I9", today < perDay, () => `${dial.id} is number ${today + 1} of ${perDay} on ${day}`)
  const suppressed = truth.isSuppressed(dial.number) && truth.wasSuppressed(dial.number)
  holds("I12", !suppressed, () => `${dial.id} goes to ${dial.number}, which is on the list`)
}

const checkCampaign = (
  truth: Truth,
  dial: Attempt,
  campaign: CampaignTruth,
  others: Attempts,
  live: Attempts,
): void => {
  const { contact, attempt_number } = dial
  if (contact === null || attempt_number === null) return
  const settings = campaign.settings
  const before = truth.before.settings.get(campaign.id) ?? settings
  const running = [truth.before.statuses.get(campaign.id), ...(truth.acknowledged.get(campaign.id) ?? [])]
  const due = settings.scheduled_at !== null && settings.scheduled_at <= dial.begun && running[0] === "draft"
  holds("I7/I8", due || running.includes("running"), () => `${dial.id} of a campaign that is ${running.join(", ")}`)

  const own = others.filter((other) => other.campaign?.id === campaign.id)
  const active = live.filter((other) => other.campaign?.id === campaign.id).length
  const slots = Math.max(settings.max_concurrent_calls, before.max_concurrent_calls)
  holds("I2", active < slots, () => `${dial.id} is one of ${active + 1} calls of ${slots}`)
  const perMinute = settings.max_calls_per_minute
  if (perMinute !== null) {
    const lastMinute = own.filter(({ begun }) => begun > dial.begun - minute).length
    holds("pace", lastMinute < perMinute, () => `${dial.id} is number ${lastMinute + 1} of ${perMinute} in a minute`)
  }

  const earlier = own.filter((other) => other.contact?.id === contact.id)
  const isCallback = contact.called_back_at !== null
  if (isCallback) contact.callbacks++
  contact.called_back_at = null
  const most = 1 + Math.max(settings.retries_per_contact, before.retries_per_contact) + contact.callbacks
  holds("I5", attempt_number === earlier.length + 1, () => `${dial.id} counts as attempt ${attempt_number}`)
  // A callback is a promise, so it is dialled even if the retries were lowered below the attempts already made.
  holds("I5", isCallback || attempt_number <= most, () => `${dial.id} is attempt ${attempt_number} of ${most}`)
  const notBefore = contact.not_before ?? 0
  holds(
    "I5",
    dial.begun >= notBefore,
    () => `${dial.id} comes ${notBefore - dial.begun} ms before its retry delay is over`,
  )
  const waits = contact.next?.has("pending") ?? contact.status === "pending"
  holds("I1", waits, () => `${dial.id} goes to a contact that is ${contact.status}`)

  const scheduled = settings.scheduled_at
  const tooEarly = !campaign.by_hand && scheduled !== null && dial.begun < scheduled
  holds("I10", !tooEarly, () => `${dial.id} comes before ${scheduled}`)
  const windows = [
    settings.calling_window ?? truth.caps.calling_window,
    before.calling_window ?? truth.before.caps.calling_window,
  ]
  const open = windows.some((window) => window === null || isOpen(window, contact.zones, dial.begun))
  holds("I11", open, () => `${dial.id} comes outside of hours in ${contact.zones.join(", ") || "an unknown zone"}`)
  contact.status = "in_progress"
  contact.next = undefined
}
