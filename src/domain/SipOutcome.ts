/** The outcome of a call by the final answer of its SIP dialog: every code has one outcome (RFC 3261 §21). */
import type { Outcome } from "./Call.ts"

const outcomes = new Map<number, Outcome>([
  // The number is not assigned (any more), or cannot be a number.
  ...([404, 410, 484, 485, 604] as const).map((code) => [code, "invalid_number"] as const),
  // It rang out, no phone was registered, or the ringing was stopped.
  ...([408, 480, 487] as const).map((code) => [code, "no_answer"] as const),
  ...([486, 600] as const).map((code) => [code, "busy"] as const),
  // A person declined (603, 607: for good), or a network declined on their behalf (608).
  ...([603, 607, 608] as const).map((code) => [code, "rejected"] as const),
])

/**
 * Outcomes by the causes of the telephone network, which gateways send beside the SIP status (RFC 3326; ITU-T Q.850).
 */
const causes = new Map<number, Outcome>([
  // Unallocated, changed, or of an invalid format.
  ...([1, 22, 28] as const).map((cause) => [cause, "invalid_number"] as const),
  // No user responding, no answer, subscriber absent.
  ...([18, 19, 20] as const).map((cause) => [cause, "no_answer"] as const),
  [17, "busy"],
  [21, "rejected"],
])

/**
 * The outcome of a call by its SIP status and the cause of the telephone network, if there is one. A listed cause takes
 * precedence: it comes from nearer to the phone than the status that a gateway derived from it. Codes that are not
 * listed are faults of Parley, the trunk or the network: configuration, credentials, capacity.
 */
export const outcomeOfSip = (code: number, cause: number | null = null): Outcome =>
  (cause === null ? undefined : causes.get(cause)) ?? outcomes.get(code) ?? "carrier_error"
