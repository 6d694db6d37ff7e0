/**
 * The invariants of architecture.md, checked after every command against the test's record (`Truth`) and the rows.
 * Commands that ran together may have run in any order, so what the rules allowed before or after counts.
 */
import { isDeepStrictEqual } from "node:util"
import { Outcome } from "../../src/domain/Call.ts"
import type { CampaignRow, Rows } from "./Rows.ts"
import type { CampaignTruth, Truth } from "./Truth.ts"
import { checkContacts, settleEnds } from "./ContactInvariants.ts"
import { checkDials } from "./DialInvariants.ts"
import { holds } from "./Broken.ts"

export const check = (truth: Truth, rows: Rows, previous: Rows): void => {
  const begun = new Map(rows.calls.map(({ id, started_at }) => [id, started_at]))
  for (const attempt of truth.fresh) {
    const at = begun.get(attempt.id)
    holds("I6", at !== undefined, () => `the carrier was asked for ${attempt.id}, of which there is no row`)
    attempt.begun = at ?? 0
  }
  settleEnds(truth)
  checkDials(truth)
  checkCampaigns(truth, rows)
  checkBudget(truth, rows, previous)
  checkCalls(truth, rows)
  checkContacts(truth, rows)
  checkCounts(truth, rows)
}

const isOver = (status: string) => status === "completed" || status === "failed"

const checkCampaigns = (truth: Truth, rows: Rows): void => {
  const found = new Map(rows.campaigns.map((row) => [row.id, row]))
  const contactsOf = Map.groupBy(rows.contacts, ({ campaign_id }) => campaign_id)
  truth.campaigns = truth.campaigns.filter((campaign) => {
    const row = found.get(campaign.id)
    const removed = truth.acknowledged.get(campaign.id)?.includes("removed") === true
    holds("I6", (row === undefined) === removed, () => `campaign ${campaign.id} is there: ${row !== undefined}`)
    if (row === undefined) return false
    const open = (contactsOf.get(campaign.id) ?? []).filter(
      ({ status }) => status === "pending" || status === "in_progress",
    )
    checkStatus(truth, campaign, row, open.length)
    checkSettings(truth, campaign, row)
    campaign.status = row.status
    return true
  })
  holds("I6", truth.campaigns.length === rows.campaigns.length, () => "a campaign that no action created")
}

const checkStatus = (truth: Truth, campaign: CampaignTruth, row: CampaignRow, open: number): void => {
  const before = truth.before.statuses.get(campaign.id) ?? "draft"
  const acknowledged = truth.acknowledged.get(campaign.id) ?? []
  const from: ReadonlyArray<string> = acknowledged.length === 0 ? [before] : acknowledged
  const due = row.scheduled_at !== null && row.scheduled_at <= truth.now
  // True if the circuit breaker may have paused it.
  const failed = truth.ends.some(({ campaign: own, end }) => own === campaign && end?.outcome === "carrier_error")
  const finished = row.status === "completed" && row.end_reason === "finished"
  const byItself =
    (finished && (from.includes("running") || from.includes("paused") || due)) ||
    (row.status === "running" && from.includes("draft") && due) ||
    (row.status === "paused" && row.waiting_for === "carrier" && from.includes("running") && failed)
  const said = from.includes(row.status)
  holds("states", said || byItself, () => `${campaign.id} went from ${from.join("|")} to ${row.status}`)
  holds("I6", !finished || open === 0, () => `${campaign.id} is finished, and ${open} contacts wait`)
  // A campaign ends with its last call without a request, even while paused.
  const last = truth.alone && open === 0 && truth.ends.some(({ campaign: own }) => own === campaign)
  holds("states", !last || isOver(row.status), () => `${campaign.id} is ${row.status} after its last call`)
  // I10: only a user or its schedule starts a draft, and the schedule not before its time.
  if (row.started_at !== null && !campaign.by_hand) {
    const at = row.scheduled_at ?? Number.POSITIVE_INFINITY
    holds("I10", row.started_at >= at, () => `${campaign.id} began at ${row.started_at}, scheduled for ${at}`)
  }
  if (isOver(row.status)) {
    const pending = row.ended_at === null
    holds("I6", !pending, () => `${campaign.id} is over without an end`)
  }
  // I7, I8: a dial intended before the pause or the stop has an earlier time, to the microsecond, since all are written
  // under the budget's lock.
  if (row.status === "running") return
  const stopped_at = isOver(row.status) ? row.ended_at : row.updated_at
  for (const { begun, id, campaign: own } of truth.fresh) {
    if (own?.id !== campaign.id || stopped_at === null) continue
    holds(row.status === "paused" ? "I8" : "I7", begun < stopped_at, () => `${id} was intended after the ${row.status}`)
  }
}

const settings = [
  "max_concurrent_calls",
  "retries_per_contact",
  "retry_delay_seconds",
  "scheduled_at",
  "calling_window",
] as const

/** The settings are those that were acknowledged. Of several simultaneous changes, any one may have won. */
const checkSettings = (truth: Truth, campaign: CampaignTruth, row: CampaignRow): void => {
  const before = truth.before.settings.get(campaign.id) ?? campaign.settings
  const changes = truth.changes.get(campaign.id) ?? []
  for (const field of settings) {
    const last = changes.flatMap((change) => (field in change ? [change[field]] : []))
    const allowed = last.length === 0 ? [before[field]] : truth.alone ? last : [before[field], ...last]
    const is = allowed.some((value) => isDeepStrictEqual(value, row[field]))
    holds("settings", is, () => `${field} is ${JSON.stringify(row[field])}, not ${JSON.stringify(allowed)}`)
  }
  const { calling_window, max_concurrent_calls, retries_per_contact, retry_delay_seconds, scheduled_at } = row
  const stands = { calling_window, max_concurrent_calls, retries_per_contact, retry_delay_seconds, scheduled_at }
  campaign.settings = { ...campaign.settings, ...stands }
}

/**
 * I4: if running campaigns exceed `concurrent_max` because it was lowered, none has more slots than before the command.
 */
const checkBudget = (truth: Truth, rows: Rows, previous: Rows): void => {
  const running = rows.campaigns.filter(({ status }) => status === "running")
  const sum = running.reduce((all, { max_concurrent_calls }) => all + max_concurrent_calls, 0)
  const most = Math.max(truth.caps.concurrent_max, truth.before.caps.concurrent_max)
  if (sum <= most) return
  const had = new Map(
    previous.campaigns
      .filter(({ status }) => status === "running")
      .map(({ id, max_concurrent_calls }) => [id, max_concurrent_calls]),
  )
  for (const { id, max_concurrent_calls } of running) {
    holds("I4", max_concurrent_calls <= (had.get(id) ?? 0), () => `${id} makes it ${sum} of ${most} calls`)
  }
}

/** The calls are exactly the committed intents, and each ended once, with the first report (I14). */
const checkCalls = (truth: Truth, rows: Rows): void => {
  const gone = new Set(truth.campaigns.map(({ id }) => id))
  const known = [...truth.attempts.values()].filter(({ campaign }) => campaign === null || gone.has(campaign.id))
  holds("I6", known.length === rows.calls.length, () => `${rows.calls.length} calls, of ${known.length} committed`)
  for (const row of rows.calls) {
    const attempt = truth.attempts.get(row.id)
    holds("I6", attempt !== undefined, () => `${row.id} was never intended`)
    if (attempt === undefined) continue
    const { outcome = null } = attempt.end ?? {}
    holds("I14", row.outcome === outcome, () => `${row.id} is ${row.outcome}, its carrier said ${outcome}`)
    holds("I14", (row.ended_at === null) === (outcome === null), () => `${row.id} has ended: ${row.ended_at}`)
    holds("I1", row.attempt_number === attempt.attempt_number, () => `${row.id} is attempt ${row.attempt_number}`)
  }
}

const statuses = ["pending", "in_progress", "completed", "failed", "skipped"] as const

/** I6, I15 and the slots: the counts kept by triggers equal those of the rows. */
const checkCounts = (truth: Truth, rows: Rows): void => {
  const live = rows.calls.filter(({ ended_at }) => ended_at === null)
  holds("I3", rows.budget.in_use === live.length, () => `${rows.budget.in_use} slots for ${live.length} calls`)
  const contacts = Map.groupBy(rows.contacts, ({ campaign_id }) => campaign_id)
  const calls = Map.groupBy(rows.calls, ({ campaign_id }) => campaign_id ?? "")
  for (const progress of rows.progress) {
    const own = contacts.get(progress.campaign_id) ?? []
    const campaign = truth.campaigns.find(({ id }) => id === progress.campaign_id)
    holds("I6", progress.total === campaign?.contacts.size, () => `${progress.total} contacts of a list`)
    for (const status of statuses) {
      const count = own.filter((contact) => contact.status === status).length
      holds("I6", progress[status] === count, () => `${progress[status]} ${status} contacts are counted, of ${count}`)
    }
    const retried = own.filter(({ attempts, status }) => status === "pending" && attempts > 0).length
    holds("I6", progress.to_be_retried === retried, () => `${progress.to_be_retried} to be retried, of ${retried}`)
    for (const outcome of Outcome.literals) {
      const count = own.filter((contact) => isOver(contact.status) && contact.outcome === outcome).length
      const kept = progress[`ended_${outcome}`]
      holds("I6", kept === count, () => `${kept} contacts that ended as ${outcome} are counted, of ${count}`)
    }
    const dialled = calls.get(progress.campaign_id) ?? []
    const active = dialled.filter(({ ended_at }) => ended_at === null).length
    holds("I15", progress.active_calls === active, () => `${progress.active_calls} active calls, of ${active}`)
    holds("I15", progress.dialed === dialled.length, () => `${progress.dialed} dialed, of ${dialled.length}`)
    const outcomes = Object.values(progress.outcomes).reduce((sum, count) => sum + count, 0)
    holds("I15", outcomes === dialled.length - active, () => `${outcomes} outcomes of ${dialled.length - active} ends`)
    const ended = campaign !== undefined && isOver(campaign.status)
    holds("I6", !ended || progress.pending === 0, () => `an ended campaign has ${progress.pending} pending contacts`)
  }
}
