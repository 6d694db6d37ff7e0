/**
 * A carrier's report on a call. Reports arrive repeatedly, late and in any order, and some come from Parley's
 * look-ups. The state of a call is the join of its reports, so neither their order nor their number changes the result
 * (I14).
 */
import { Schema } from "effect"
import type { Outcome } from "./Call.ts"
import { outcomeOfSip } from "./SipOutcome.ts"

/** The statuses, in the order in which a call can pass through them. */
export const CarrierStatus = Schema.Literals([
  "queued",
  "initiated",
  "ringing",
  "in-progress",
  "canceled",
  "failed",
  "busy",
  "no-answer",
  "completed",
  // The call is over, but the carrier does not say how it ended.
  "ended",
])
export type CarrierStatus = typeof CarrierStatus.Type

const ranks: Record<CarrierStatus, number> = {
  queued: 0,
  initiated: 1,
  ringing: 2,
  "in-progress": 3,
  canceled: 4,
  failed: 4,
  busy: 4,
  "no-answer": 4,
  completed: 4,
  ended: 4,
}

export const CarrierReport = Schema.Struct({
  status: CarrierStatus,
  /** The carrier's sequence number of the report; -1 for the answer to one of Parley's look-ups. */
  sequence: Schema.Int,
  /** When the call was answered, as the carrier reports it. */
  answered_at: Schema.NullOr(Schema.Date),
  /** Talk time in seconds; 0 or null when there was none. */
  duration_seconds: Schema.NullOr(Schema.Int),
  sip_code: Schema.NullOr(Schema.Int),
})
export type CarrierReport = typeof CarrierReport.Type

/**
 * A report with this status and the fields in `known`; the others are unknown. Without a sequence number in `known`, it
 * ranks as the answer to a look-up.
 */
export const reportOf = (status: CarrierStatus, known: Partial<Omit<CarrierReport, "status">> = {}): CarrierReport => ({
  status,
  sequence: -1,
  answered_at: null,
  duration_seconds: null,
  sip_code: null,
  ...known,
})

export const isTerminal = (status: CarrierStatus): boolean => ranks[status] === ranks.completed

/** Whether the phone rings or has rung. */
export const hasRung = ({ status }: CarrierReport): boolean => ranks[status] >= ranks.ringing

/** Whether a person or a machine answered the call. */
export const wasAnsweredBy = ({ answered_at, duration_seconds, status }: CarrierReport): boolean =>
  status === "in-progress" || status === "completed" || answered_at !== null || (duration_seconds ?? 0) > 0

/**
 * The criteria by which `join` orders reports, the most important first: the later status; among final statuses the
 * answered one first, and last the one that does not say how the call ended; the carrier's later sequence number, which
 * also ranks above the answer to a look-up; the position of the status in `CarrierStatus`.
 */
const places: ReadonlyArray<(report: CarrierReport) => number> = [
  ({ status }) => ranks[status],
  ({ status }) => (status === "completed" ? 2 : status === "ended" ? 0 : 1),
  ({ sequence }) => sequence,
  ({ status }) => CarrierStatus.literals.indexOf(status),
]

const isLater = (one: CarrierReport, other: CarrierReport): boolean => {
  for (const place of places) {
    const [a, b] = [place(one), place(other)]
    if (a !== b) return a > b
  }
  return false
}

const least = (a: Date | null, b: Date | null): Date | null => (a === null ? b : b === null || a <= b ? a : b)
const most = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : Math.max(a, b))

/** The state that both reports together show. Commutative, associative, idempotent: a semilattice. */
export const join = (one: CarrierReport, other: CarrierReport): CarrierReport => {
  let latest = other
  if (isLater(one, other)) latest = one // guard: a report does not replace a later one (I14)
  return {
    status: latest.status,
    sequence: latest.sequence,
    answered_at: least(one.answered_at, other.answered_at),
    duration_seconds: most(one.duration_seconds, other.duration_seconds),
    sip_code: most(one.sip_code, other.sip_code),
  }
}

/**
 * The outcome of an ended call; null while the call is live. A call that Parley cancelled while it rang was not
 * answered.
 */
export const outcomeOf = (report: CarrierReport): Outcome | null => {
  if (!isTerminal(report.status)) return null
  if (wasAnsweredBy(report)) return "answered"
  const bySip = report.sip_code === null ? null : outcomeOfSip(report.sip_code)
  switch (report.status) {
    case "busy":
      return bySip === "rejected" ? "rejected" : "busy"
    case "no-answer":
      return bySip === "rejected" || bySip === "invalid_number" ? bySip : "no_answer"
    case "canceled":
      return "no_answer"
    case "ended":
      return "unknown"
    default:
      return bySip ?? "carrier_error"
  }
}
