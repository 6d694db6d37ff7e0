/**
 * What happened in a chaos run, one JSON line an event: what clients asked and were answered, what the carrier saw,
 * what was done to the processes, and what stands in the databases at the end. The checker reads nothing else, so a
 * history that was kept can be judged again.
 */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"

/** Milliseconds of the one clock of the machine, as all times here. */
type Time = number

export interface AccountMade {
  readonly t: "account"
  readonly account: string
  readonly concurrent_max: number
  readonly calls_per_minute: number
  readonly calls_per_day: number
  readonly time_zone: string
  /** What the numbers of its contacts begin with: no other account's do. */
  readonly prefix: string
}

export interface Ask {
  readonly t: "ask"
  readonly n: number
  readonly account: string
  /** `create`, `start`, `pause`, `resume`, `stop`, `change`, `delete`, `suppress`, `unsuppress`, `call`, `caps`, `hangup`. */
  readonly op: string
  /** The campaign, the number or the call that it is about. */
  readonly of: string | null
  readonly body: Record<string, any> | null
  readonly at: Time
}

export interface Answer {
  readonly t: "answer"
  readonly n: number
  /** 0: none came. */
  readonly status: number
  readonly body: Record<string, any> | null
  readonly at: Time
}

/** The carrier's ground truth. `create`: from here on it calls `number`. */
export interface CarrierFact {
  readonly t: "carrier"
  readonly event: "create" | "ring" | "answer" | "end"
  /** The id of the call, as Parley gave it. */
  readonly ref: string
  readonly number: string
  readonly at: Time
  /** With `end`: what the carrier says became of it, as Parley names it; null where it cannot say. */
  readonly outcome?: string | null
  /** With `end`: Parley asked the carrier to hang up. */
  readonly hung_up?: boolean
}

export interface ProcessEvent {
  readonly t: "process"
  readonly event: "start" | "ready" | "kill" | "pause" | "continue" | "term" | "exit"
  readonly process: number
  readonly pid: number
  readonly at: Time
  readonly code?: number | string | null
  readonly why?: string
}

export interface Fault {
  readonly t: "fault"
  readonly kind: string
  readonly detail: string
  readonly at: Time
}

/** `rolling`, `chaos`, `healed`, `over`: from then on. */
export interface Phase {
  readonly t: "phase"
  readonly phase: string
  readonly at: Time
}

export interface Snapshot {
  readonly t: "sse"
  readonly account: string
  readonly campaign: string
  readonly stream: number
  readonly event: string
  readonly data: Record<string, any> | null
  readonly at: Time
}

/** One instant of an account's database. */
export interface Sample {
  readonly t: "sample"
  readonly account: string
  readonly at: Time
  readonly concurrent_max: number
  readonly in_use: number
  readonly live: number
  readonly running_sum: number
  readonly campaigns: ReadonlyArray<{
    readonly id: string
    readonly status: string
    readonly max: number
    readonly live: number
    readonly active: number
    readonly counts: Record<string, number>
    readonly actual: Record<string, number>
  }>
}

export interface CallRow {
  readonly t: "call"
  readonly account: string
  readonly id: string
  readonly campaign_id: string | null
  readonly contact_id: string | null
  readonly attempt_number: number | null
  readonly to_number: string
  readonly status: string
  readonly outcome: string | null
  readonly end_reason: string | null
  readonly started_at: Time
  readonly answered_at: Time | null
  readonly ended_at: Time | null
}

export interface ContactRow {
  readonly t: "contact"
  readonly account: string
  readonly id: string
  readonly campaign_id: string
  readonly position: number
  readonly phone_number: string
  readonly status: string
  readonly outcome: string | null
  readonly attempts: number
  readonly skip_reason: string | null
}

export interface CampaignRow {
  readonly t: "campaign"
  readonly account: string
  readonly id: string
  /** Each has its own. */
  readonly name: string
  readonly status: string
  readonly end_reason: string | null
  readonly accepted: number
  readonly started_at: Time | null
  readonly ended_at: Time | null
  readonly scheduled_at: Time | null
  readonly redial_unknown: boolean
  /** As they are at the end. */
  readonly max_concurrent_calls: number
  readonly retries_per_contact: number
  readonly retry_delay_seconds: number
  readonly calling_window: Record<string, any> | null
  /** As the triggers counted. */
  readonly counts: Record<string, number>
}

/** What webhooks and `GET /api/v1/events` tell. */
export interface EventRow {
  readonly t: "event"
  readonly account: string
  readonly seq: number
  readonly type: string
  readonly subject: string
}

export interface BudgetRow {
  readonly t: "budget"
  readonly account: string
  readonly in_use: number
}

/** What the run was, in its first line. */
export interface Beginning {
  readonly t: "run"
  readonly seed: number
  readonly processes: number
  readonly carrier: "lab" | "sip" | "telnyx-stream" | "twilio" | "twilio-stream"
  readonly drain_seconds: number
}

export type Event =
  | Beginning
  | AccountMade
  | Ask
  | Answer
  | CarrierFact
  | ProcessEvent
  | Fault
  | Phase
  | Snapshot
  | Sample
  | CallRow
  | ContactRow
  | CampaignRow
  | EventRow
  | BudgetRow

export type History = ReadonlyArray<Event>

export interface Recorder {
  readonly events: Array<Event>
  readonly add: (event: Event) => void
}

/** Keeps the history in memory and in the file. */
export const record = (file: string): Recorder => {
  writeFileSync(file, "")
  const events: Array<Event> = []
  return {
    events,
    add: (event) => {
      events.push(event)
      appendFileSync(file, `${JSON.stringify(event)}\n`)
    },
  }
}

export const read = (file: string): History =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
