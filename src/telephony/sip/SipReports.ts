/** The states of a SIP call as carrier reports, so that they are stored and joined like any carrier's. */
import type { Outcome } from "../../domain/Call.ts"
import { type CarrierReport, reportOf } from "../../domain/CarrierReport.ts"

/** The INVITE may have been sent. */
export const placed: CarrierReport = reportOf("initiated")

export const answered = (answered_at: Date): CarrierReport => reportOf("in-progress", { answered_at })

/** An answered call is over. */
export const completed: CarrierReport = reportOf("completed")

/** The status and SIP code from which `outcomeOf` computes the same outcome. */
const refusals = new Map<Outcome, CarrierReport>([
  ["busy", reportOf("busy", { sip_code: 486 })],
  ["no_answer", reportOf("no-answer", { sip_code: 480 })],
  ["rejected", reportOf("failed", { sip_code: 603 })],
  ["invalid_number", reportOf("failed", { sip_code: 404 })],
])

export const refused = (outcome: Outcome): CarrierReport =>
  refusals.get(outcome) ?? reportOf("failed", { sip_code: 500 })
