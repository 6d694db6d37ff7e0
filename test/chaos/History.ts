/**
 * What happened in a chaos run, as one JSON line per event: requests and responses of clients, the carrier's view, what
 * was done to the processes, and the final rows of the databases. The checker reads nothing else, so a stored history
 * can be judged again.
 */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"

/** Milliseconds since 1970. All times of a history are from the machine's one clock. */
type Time = number

export interface AccountMade {
  readonly t: "account"
  readonly account: string
  readonly concurrent_max: number
  readonly calls_per_minute: number
  readonly calls_per_day: number
  readonly time_zone: string
  /** The prefix of the account's phone numbers, which no other account uses. */
  readonly prefix: string
}

export interface Ask {
  readonly t: "ask"
  readonly n: number
  readonly account: string
  /** `create`, `start`, `pause`, `resume`, `stop`, `change`, `delete`, `suppress`, `unsuppress`, `call`, `caps`, `hangup`. */
  readonly op: string
  /** The campaign, number or call that the operation is about. */
  readonly of: string | null
  readonly body: Record<string, any> | null
  readonly at: Time
}

export interface Answer {
  readonly t: "answer"
  readonly n: number
  /** 0 if there was no response. */
  readonly status: number
  readonly body: Record<string, any> | null
  readonly at: Time
}

/** An event of the carrier's ground truth. `create`: from then on it calls `number`. */
export interface CarrierFact {
  readonly t: "carrier"
  readonly event: "create" | "ring" | "answer" | "end"
  /** The call's id, as given by Parley. */
  readonly ref: string
  readonly number: string
  readonly at: Time
  /** For `end`: the outcome according to the carrier, in Parley's words. Null if the carrier cannot tell. */
  readonly outcome?: string | null
  /** For `end`: true if Parley asked the carrier to hang up. */
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

/** The beginning of a phase: `rolling`, `chaos`, `healed` or `over`. */
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

/** The state of an account's database at one instant. */
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
  /** Unique among the account's campaigns. */
  readonly name: string
  readonly status: string
  readonly end_reason: string | null
  readonly accepted: number
  readonly started_at: Time | null
  readonly ended_at: Time | null
  readonly scheduled_at: Time | null
  readonly redial_unknown: boolean
  /** The settings at the end of the run. */
  readonly max_concurrent_calls: number
  readonly retries_per_contact: number
  readonly retry_delay_seconds: number
  readonly calling_window: Record<string, any> | null
  /** The counts kept by triggers. */
  readonly counts: Record<string, number>
}

/** An event as webhooks and `GET /api/v1/events` report it. */
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

/** The parameters of the run, in its first line. */
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

/** Keeps the history in memory and in a file. */
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
