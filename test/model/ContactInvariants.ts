/** The state of each contact is that of the table in decisions §2, and nothing is lost (I5, I6, I14). */
import { callbacksAtMost } from "../../src/domain/Callback.ts"
import type { ContactStatus } from "../../src/domain/Contact.ts"
import { holds } from "./Broken.ts"
import { canOpen } from "./Calendar.ts"
import type { ContactRow, Rows } from "./Rows.ts"
import { type Attempt, type CampaignTruth, type ContactTruth, retryAt, stateAfter, type Truth } from "./Truth.ts"

export const checkContacts = (truth: Truth, rows: Rows): void => {
  const found = new Map(rows.contacts.map((row) => [row.id, row]))
  const live = new Map(rows.calls.filter(({ ended_at }) => ended_at === null).map((call) => [call.contact_id, call.id]))
  const calls = Map.groupBy(rows.calls, ({ contact_id }) => contact_id)
  for (const campaign of truth.campaigns) {
    for (const contact of campaign.contacts.values()) {
      const row = found.get(contact.id)
      holds("I6", row !== undefined, () => `contact ${contact.id} is lost`)
      if (row === undefined) continue
      const inCall = row.status === "in_progress"
      holds("I6", inCall === live.has(contact.id), () => `${contact.id} is ${row.status}; in a call: ${!inCall}`)
      holds("I6", !inCall || row.last_call_id === live.get(contact.id), () => `${contact.id} has another last call`)
      const attempts = (calls.get(contact.id) ?? []).length
      holds("I5", row.attempts === attempts, () => `${contact.id} counts ${row.attempts} attempts of ${attempts}`)
      checkContact(truth, campaign, contact, row)
    }
  }
}

/** Computes the expected states of contacts from the calls that ended in this command. */
export const settleEnds = (truth: Truth): void => truth.ends.forEach((attempt) => settle(truth, attempt))

/** A retry is due one delay after the previous end. If this command changed the delay, either delay is right. */
const settle = (truth: Truth, { attempt_number, campaign, contact, end }: Attempt): void => {
  if (campaign === null || contact === null || end === null || attempt_number === null) return
  const settings = [campaign.settings, truth.before.settings.get(campaign.id) ?? campaign.settings]
  contact.ended[end.outcome] = (contact.ended[end.outcome] ?? 0) + 1
  const byOutcome = settings.map((own) => stateAfter(end, attempt_number, own, contact))
  const retry_at = Math.min(...settings.map((own) => retryAt(end, own)))
  const { promised } = contact
  contact.promised = null
  if (promised === null) {
    contact.next = new Set(byOutcome)
    contact.not_before = retry_at
    return
  }
  // A promised callback comes next, unless the campaign is over or the person has asked not to be called again.
  const statuses = [truth.before.statuses.get(campaign.id) ?? "", ...(truth.acknowledged.get(campaign.id) ?? [])]
  const mayBeDropped = !promised.isSure || statuses.some(isOver) || truth.isSuppressed(contact.number)
  contact.next = new Set(["pending", ...(mayBeDropped ? byOutcome : [])])
  contact.not_before = mayBeDropped ? Math.min(promised.at, retry_at) : promised.at
  contact.called_back_at = promised.at
}

const isOver = (status: string) => status === "completed" || status === "failed"

const checkContact = (truth: Truth, campaign: CampaignTruth, contact: ContactTruth, row: ContactRow): void => {
  const expected: ReadonlySet<ContactStatus> = contact.next ?? new Set([contact.status])
  const skipped = row.status === "skipped" && contact.status !== "skipped"
  if (skipped) {
    holds("I6", expected.has("pending"), () => `${contact.id} was ${[...expected].join()} and is skipped`)
    holds("I6", maySkip(truth, campaign, contact, row), () => `${contact.id} is skipped: ${row.skip_reason}`)
  } else {
    // The change has lowered the retries below the attempts already made.
    const { retries_per_contact } = campaign.settings
    const lowered = retries_per_contact < (truth.before.settings.get(campaign.id)?.retries_per_contact ?? 0)
    const usedUp =
      row.status === "failed" &&
      expected.has("pending") &&
      lowered &&
      row.attempts > retries_per_contact + row.callbacks
    holds("I5", usedUp || expected.has(row.status), () => `${contact.id} is ${row.status}, not ${[...expected].join()}`)
  }
  // A promise that could have been dropped was kept.
  if (row.callback_at !== null && row.callback_at === contact.called_back_at) contact.not_before = row.callback_at
  if (row.status === "pending" && contact.not_before !== null && row.attempts > 0) {
    const due = row.due_at ?? 0
    const early = contact.not_before - due
    // A contact that is freed by a changed window has waited long enough for its retry.
    holds(
      "I5",
      early <= 0 || contact.not_before <= truth.now,
      () => `${contact.id} is due ${early} ms before its retry delay is over`,
    )
    const late = row.waits_for === "retry_delay" ? -early : 0
    const isOneOfTwo = contact.next !== undefined && !truth.alone
    holds("I8", late <= 0 || isOneOfTwo, () => `${contact.id}'s retry clock was put off by ${late} ms`)
    if (isOneOfTwo && row.waits_for === "retry_delay") contact.not_before = Math.max(contact.not_before, due)
  }
  holds("I5", row.callbacks <= callbacksAtMost, () => `${contact.id} was called back ${row.callbacks} times`)
  const { callback_at } = row
  contact.promised = row.status === "in_progress" && callback_at !== null ? { at: callback_at, isSure: true } : null
  contact.called_back_at = row.status === "pending" ? row.callback_at : null
  contact.status = row.status
  contact.skip_reason = row.skip_reason
  contact.next = undefined
}

/** True if the reason for skipping the contact is valid. */
const maySkip = (truth: Truth, campaign: CampaignTruth, contact: ContactTruth, row: ContactRow): boolean => {
  const { calling_window } = campaign.settings
  const windows = [
    calling_window ?? truth.caps.calling_window,
    truth.before.settings.get(campaign.id)?.calling_window ?? truth.before.caps.calling_window,
  ]
  switch (row.skip_reason) {
    case "stopped":
      return isOver(campaign.status)
    case "do_not_call":
      return truth.isSuppressed(contact.number) || truth.wasSuppressed(contact.number)
    case "outside_window":
      return windows.some((window) => window !== null && !canOpen(window, contact.zones))
    default:
      return false
  }
}
