/**
 * The test's own record: the commands it sent, what the product acknowledged, and every dial that reached a carrier.
 * The invariants are checked against this record and the rows together.
 */
import type { Outcome } from "../../src/domain/Call.ts"
import type { RetryByOutcome } from "../../src/domain/RetryByOutcome.ts"
import type { CallingWindow } from "../../src/domain/CallingWindow.ts"
import type { CampaignStatus } from "../../src/domain/Campaign.ts"
import type { ContactStatus, SkipReason } from "../../src/domain/Contact.ts"

export interface Caps {
  readonly concurrent_max: number
  readonly calls_per_minute: number
  readonly calls_per_day: number
  readonly calling_window: CallingWindow | null
}

export interface Settings {
  readonly max_concurrent_calls: number
  readonly retries_per_contact: number
  readonly retry_delay_seconds: number
  readonly retry_by_outcome: RetryByOutcome | null
  readonly redial_unknown: boolean
  readonly calling_window: CallingWindow | null
  readonly max_calls_per_minute: number | null
  /** Milliseconds since 1970. */
  readonly scheduled_at: number | null
}

export interface ContactTruth {
  readonly id: string
  readonly number: string
  readonly zones: ReadonlyArray<string>
  status: ContactStatus
  skip_reason: SkipReason | null
  /** The end of the previous attempt plus the delay at that time. Null before the first attempt. */
  not_before: number | null
  /** The callback that was promised in the live call; null if none was. Not sure if the response was lost. */
  promised: { readonly at: number; readonly isSure: boolean } | null
  /** The time of the outstanding callback, which the next attempt is; null if it is a retry. */
  called_back_at: number | null
  /** The attempts that ended, by outcome. */
  readonly ended: Partial<Record<Outcome, number>>
  /** The attempts that were callbacks. */
  callbacks: number
  /** The possible states after the present command, if it ended the contact's attempt. */
  next?: ReadonlySet<ContactStatus> | undefined
}

export interface CampaignTruth {
  readonly id: string
  readonly contacts: ReadonlyMap<string, ContactTruth>
  settings: Settings
  status: CampaignStatus
  /** True if a user has started it, whatever its schedule. */
  by_hand: boolean
  /** The epoch of the process that took the campaign over last. */
  epoch: number
}

export interface End {
  readonly outcome: Outcome
  readonly accepted: boolean
  readonly at: number
}

/** A dial whose intent is committed. */
export interface Attempt {
  readonly id: string
  readonly campaign: CampaignTruth | null
  readonly contact: ContactTruth | null
  readonly attempt_number: number | null
  readonly number: string
  /** The node that conducts it. */
  node: string
  /** Milliseconds with a precision of a microsecond, so that a later dial has a later time. Known from the rows. */
  begun: number
  /** True if the carrier has heard of it. */
  readonly told: boolean
  end: End | null
}

/** A process. It gets a new node at each restart. */
export interface Worker {
  node: string
  readonly conducts: Set<string>
  /** The epochs under which it dials the campaigns that it has taken up. */
  readonly epochs: Map<string, number>
}

/** The rules at the beginning of the command. Of two commands that run together, either may have come first. */
interface Before {
  readonly caps: Caps
  readonly statuses: ReadonlyMap<string, CampaignStatus>
  readonly settings: ReadonlyMap<string, Settings>
  readonly suppressions: ReadonlyMap<string, number>
}

export class Truth {
  now: number
  caps: Caps
  readonly zone: string
  campaigns: Array<CampaignTruth> = []
  readonly attempts = new Map<string, Attempt>()
  /** For each number, when its entry on the do-not-call list expires. */
  suppressions = new Map<string, number>()
  readonly workers: ReadonlyArray<Worker>
  /** Nodes that are dead. `knownGone` holds those that were dead when the present command began. */
  readonly gone = new Set<string>()
  knownGone: ReadonlySet<string> = new Set()
  before: Before
  /** True if no other action runs at the same time, so that the response is predictable. */
  alone = true
  /** True if at least one transaction of this command was committed, so that a failed command may have changed rows. */
  partly = false
  /** The results of the present command: dials, ends, and the states with which operations were answered. */
  fresh: Array<Attempt> = []
  ends: Array<Attempt> = []
  readonly acknowledged = new Map<string, Array<CampaignStatus | "removed">>()
  readonly changes = new Map<string, Array<Partial<Settings>>>()

  constructor(now: number, zone: string, caps: Caps, workers: ReadonlyArray<Worker>) {
    this.now = now
    this.zone = zone
    this.caps = caps
    this.workers = workers
    this.before = this.rules()
  }

  begin(): void {
    this.alone = true
    this.partly = false
    this.knownGone = new Set(this.gone)
    this.before = this.rules()
    this.fresh = []
    this.ends = []
    this.acknowledged.clear()
    this.changes.clear()
  }

  private rules(): Before {
    return {
      caps: this.caps,
      statuses: new Map(this.campaigns.map(({ id, status }) => [id, status])),
      settings: new Map(this.campaigns.map(({ id, settings }) => [id, settings])),
      suppressions: new Map(this.suppressions),
    }
  }

  acknowledge(campaign: CampaignTruth, status: CampaignStatus | "removed"): void {
    this.acknowledged.set(campaign.id, [...(this.acknowledged.get(campaign.id) ?? []), status])
  }

  change(campaign: CampaignTruth, change: Partial<Settings>): void {
    campaign.settings = { ...campaign.settings, ...change }
    this.changes.set(campaign.id, [...(this.changes.get(campaign.id) ?? []), change])
  }

  dialled(attempt: Attempt): void {
    this.attempts.set(attempt.id, attempt)
    this.fresh.push(attempt)
  }

  ended(attempt: Attempt, end: End): void {
    attempt.end = end
    this.ends.push(attempt)
  }

  get live(): ReadonlyArray<Attempt> {
    return [...this.attempts.values()].filter(({ end }) => end === null)
  }

  /** True if the number is on the do-not-call list now; `wasSuppressed` if it was when the command began. */
  isSuppressed(number: string): boolean {
    const until = this.suppressions.get(number)
    return until !== undefined && until > this.now
  }

  wasSuppressed(number: string): boolean {
    const until = this.before.suppressions.get(number)
    return until !== undefined && until > this.now
  }
}

/** What decisions §2 says about an outcome: completed, failed, or worth another attempt. */
export const expectedVerdict: Record<Outcome, "completed" | "failed" | "retry" | "only_if_allowed"> = {
  answered: "completed",
  voicemail: "retry",
  no_answer: "retry",
  busy: "retry",
  carrier_error: "retry",
  rejected: "failed",
  invalid_number: "failed",
  unknown: "only_if_allowed",
}

type OutcomeRule = { readonly retries?: number; readonly delay_seconds?: number } | undefined

const ruleFor = (outcome: Outcome, { retry_by_outcome: by }: Settings): OutcomeRule =>
  by === null ? undefined : Object.entries(by).find(([name]) => name === outcome)?.[1]

/** When the next attempt is due after this end, by the outcome's delay or the campaign's. */
export const retryAt = ({ at, outcome }: End, settings: Settings): number =>
  at + (ruleFor(outcome, settings)?.delay_seconds ?? settings.retry_delay_seconds) * 1_000

/** The contact's state after an attempt, by the table of decisions §2. */
export const stateAfter = (
  { accepted, outcome }: End,
  attempt_number: number,
  settings: Settings,
  { callbacks, ended }: Pick<ContactTruth, "callbacks" | "ended">,
): ContactStatus => {
  if (accepted) return "completed"
  const verdict = expectedVerdict[outcome]
  if (verdict === "completed" || verdict === "failed") return verdict
  if (verdict === "only_if_allowed" && !settings.redial_unknown) return "failed"
  if (attempt_number > settings.retries_per_contact + callbacks) return "failed"
  const most = ruleFor(outcome, settings)?.retries
  return most !== undefined && (ended[outcome] ?? 0) > most ? "failed" : "pending"
}
