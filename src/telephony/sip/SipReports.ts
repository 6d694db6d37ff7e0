/** A SIP call's states as a carrier's reports, so that they are stored and joined like those of every other carrier. */
import type { Outcome } from "../../domain/Call.ts"
import type { CarrierReport } from "../../domain/CarrierReport.ts"

const unanswered = { sequence: -1, answered_at: null, duration_seconds: null, sip_code: null }

/** The INVITE may have been sent. */
export const placed: CarrierReport = { ...unanswered, status: "initiated" }

export const answered = (answered_at: Date): CarrierReport => ({ ...unanswered, status: "in-progress", answered_at })

/** An answered call is over. */
export const completed: CarrierReport = { ...unanswered, status: "completed" }

/** The status and SIP code from which `outcomeOf` makes the same outcome again. */
const refusals = new Map<Outcome, Pick<CarrierReport, "status" | "sip_code">>([
  ["busy", { status: "busy", sip_code: 486 }],
  ["no_answer", { status: "no-answer", sip_code: 480 }],
  ["rejected", { status: "failed", sip_code: 603 }],
  ["invalid_number", { status: "failed", sip_code: 404 }],
])

export const refused = (outcome: Outcome): CarrierReport => ({
  ...unanswered,
  ...(refusals.get(outcome) ?? { status: "failed", sip_code: 500 }),
})
