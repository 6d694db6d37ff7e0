/** The outcomes of calls: their order in every bar and chart, best first, and their words. */
import type { Outcome } from "../../../src/domain/Call.ts"

export { outcomes } from "../../../src/domain/Outcomes.ts"
export type { Outcome }

export const outcomeWords: Record<Outcome, string> = {
  answered: "Answered",
  voicemail: "Voicemail",
  no_answer: "No answer",
  busy: "Busy",
  rejected: "Declined",
  invalid_number: "Invalid number",
  carrier_error: "Carrier error",
  unknown: "Unknown",
}

/** What a contact's row can show in place of an outcome. */
export type Phase = "not_called" | "ringing" | "in_call" | "skipped"

export const phaseWords: Record<Phase, string> = {
  not_called: "Not called",
  ringing: "Ringing",
  in_call: "In call",
  skipped: "Skipped",
}

export const isOutcome = (value: string): value is Outcome => Object.hasOwn(outcomeWords, value)
