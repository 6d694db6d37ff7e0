/** The assumptions of a preflight: the rates of outcomes, and how long calls take. */
import { z } from "zod"
import { between, decimalBetween, Key, Timestamp } from "./Fields.ts"

const rate = decimalBetween(0, 1).exactOptional()
const seconds = (maximum: number) => decimalBetween(0, maximum).exactOptional()

/** Rates written in decimals may miss a sum of 1 by rounding. */
const roundingError = 1e-9

const PreflightFields = z.strictObject({
  answer_rate: rate,
  voicemail_rate: rate,
  busy_rate: rate,
  rejected_rate: rate,
  invalid_number_rate: rate,
  carrier_error_rate: rate,
  no_answer_rate: rate,
  average_call_seconds: seconds(14_400),
  voicemail_seconds: seconds(600),
  ring_seconds: seconds(120),
  no_answer_seconds: seconds(120),
  refused_seconds: seconds(120),
  seed: between(0, 2_147_483_647).exactOptional(),
  starting_at: Timestamp.exactOptional(),
})

const sumOf = (stated: z.output<typeof PreflightFields>): number =>
  (stated.answer_rate ?? 0.4) +
  (stated.voicemail_rate ?? 0) +
  (stated.busy_rate ?? 0) +
  (stated.rejected_rate ?? 0) +
  (stated.invalid_number_rate ?? 0) +
  (stated.carrier_error_rate ?? 0)

const together = (stated: z.output<typeof PreflightFields>, context: z.core.$RefinementCtx) => {
  const sum = sumOf(stated)
  if (sum > 1 + roundingError) {
    const message = "must not bring the sum of the rates above 1"
    return context.addIssue({ code: "custom", path: ["answer_rate"], message })
  }
  if (stated.no_answer_rate === undefined || Math.abs(sum + stated.no_answer_rate - 1) <= roundingError) return
  const message = "must bring the sum of the rates to 1, or be omitted"
  context.addIssue({ code: "custom", path: ["no_answer_rate"], message })
}

export const PreflightAssumptions = PreflightFields.superRefine(together)
export const PreflightOfCampaign = PreflightFields.extend({ id: Key }).superRefine(together)
