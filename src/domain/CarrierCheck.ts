/** The result of asking a phone number's carrier, without placing a call, whether calls can be placed. */
import { Schema } from "effect"

export const CarrierCheck = Schema.Struct({
  ok: Schema.Boolean.annotate({
    description: "Whether calls can be placed from the number, as far as the carrier tells without a call.",
  }),
  detail: Schema.String.annotate({ description: "What was found and, if something is wrong, what to change." }),
  duration_ms: Schema.Int.annotate({ description: "How long the carrier took to answer, in milliseconds." }),
}).annotate({ identifier: "CarrierCheck" })
export type CarrierCheck = typeof CarrierCheck.Type
/** What was found, without how long it took. */
export type Checked = Pick<CarrierCheck, "ok" | "detail">
