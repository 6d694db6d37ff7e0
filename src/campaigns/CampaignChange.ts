/** A change of a campaign's settings: which of them differ, and what a campaign that has started keeps. */
import { changeableWhileRunning, isTerminal } from "../domain/Campaign.ts"
import { microsOf } from "../domain/Money.ts"
import { InvalidState } from "../domain/Refusals.ts"
import type * as Campaigns from "./Campaigns.ts"

/** `loosen_rules`: permits the removal of rule packs from a campaign that has started. */
export interface CampaignChange extends Partial<Campaigns.CampaignSettings> {
  readonly loosen_rules?: boolean
}

/** What a campaign that has started keeps of its packs as they were frozen; a draft takes them as the installation has them. */
export const keptBy = ({ rules, status }: Campaigns.CampaignRow) => (status === "draft" ? [] : rules)

export const keepsRules = ({ status }: Campaigns.CampaignRow, packs: ReadonlyArray<string>) =>
  new InvalidState({
    state: status,
    detail: `A ${status} campaign keeps its rule packs, and you left out ${packs.join(", ")}. To remove them all the same, send loosen_rules: true; the audit log records it`,
  })

/** Fields whose values differ; a field that is sent back unchanged is ignored (decisions §2, Updates). */
export const differences = (
  before: Campaigns.CampaignSettings,
  after: Campaigns.CampaignSettings,
): ReadonlyArray<string> =>
  Object.entries(after).flatMap(([field, value]) => {
    const present: unknown = before[field as keyof Campaigns.CampaignSettings]
    return comparable(present) === comparable(value) ? [] : [field]
  })

/** The value as text to compare, with sorted keys: jsonb keeps no order of keys. */
const comparable = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )

/** The settings of a stored campaign. */
export const settingsOf = (row: Campaigns.CampaignRow): Campaigns.CampaignSettings => ({
  name: row.name,
  agent_id: row.agent_id,
  phone_number_id: row.phone_number_id,
  max_concurrent_calls: row.max_concurrent_calls,
  retries_per_contact: row.retries_per_contact,
  retry_delay_seconds: row.retry_delay_seconds,
  retry_by_outcome: row.retry_by_outcome,
  retry_time_of_day: row.retry_time_of_day,
  scheduled_at: row.scheduled_at,
  calling_window: row.calling_window,
  required_consent: row.required_consent,
  max_calls_per_minute: row.max_calls_per_minute,
  quiet_after_answer_seconds: row.quiet_after_answer_seconds,
  redial_unknown: row.redial_unknown,
  callbacks_per_contact: row.callbacks_per_contact,
  rule_packs: row.rule_packs,
  subject: row.subject,
  opt_out_scope: row.opt_out_scope,
  max_spend: row.max_spend,
  caller_numbers: row.caller_numbers,
  local_presence: row.local_presence,
  number_rest: row.number_rest,
})

/**
 * Whether a change can cause calls that would not have begun otherwise: it schedules the campaign, or gives more slots,
 * retries or money to a running or scheduled one, or takes rules from it (decisions §2, Keys). A paused or unscheduled
 * campaign needs a start, which checks the scope itself.
 */
export const leadsToCalls = (
  { max_concurrent_calls, max_spend, retries_per_contact, rule_packs, status }: Campaigns.CampaignRow,
  settings: Campaigns.CampaignSettings,
  changed: ReadonlyArray<string>,
): boolean => {
  const isScheduled = status === "draft" && settings.scheduled_at !== null
  if (isScheduled && changed.includes("scheduled_at")) return true
  const hasMore =
    settings.max_concurrent_calls > max_concurrent_calls ||
    settings.retries_per_contact > retries_per_contact ||
    spendable(settings.max_spend) > spendable(max_spend) ||
    rule_packs.some((pack) => !settings.rule_packs.includes(pack))
  return hasMore && (isScheduled || status === "running")
}

const spendable = (max_spend: string | null) => (max_spend === null ? Infinity : microsOf(max_spend))

/** Whether the field may change in the campaign's status. */
export const mayChange = ({ status }: Campaigns.CampaignRow, field: string): boolean =>
  status === "draft" || (!isTerminal(status) && changeableWhileRunning.has(field))
