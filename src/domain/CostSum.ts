/** The costs of several calls together: of a campaign, a contact or a day. */
import { Schema } from "effect"
import { Cost, CostPart } from "./Call.ts"

export const CostSum = Schema.Struct({
  amount: Schema.Finite.annotate({ description: "The sum, in `currency`." }),
  currency: Cost.fields.currency,
  parts: Schema.optionalKey(Schema.Record(Schema.String, Schema.Finite)).annotate({
    description:
      "The amount by part, as on a call. Calls that ended before Parley kept parts for sums are in `amount` only. Absent if no call had a part.",
  }),
  not_priced: Schema.optionalKey(Schema.Array(CostPart)).annotate({
    description:
      "Parts that have no price in at least one call, so that `amount` is too small. Absent if there are none.",
  }),
}).annotate({ identifier: "CostSum" })
