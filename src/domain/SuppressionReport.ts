/** How the rows of a do-not-call list were imported. */
import { Schema } from "effect"
import { faultsShown, RowFault } from "./ImportReport.ts"

export const SuppressionReport = Schema.Struct({
  rows: Schema.Int.annotate({ description: "The number of rows in the file, without a header and blank lines." }),
  added: Schema.Int.annotate({ description: "The number of rows whose number is new on the list." }),
  extended: Schema.Int.annotate({
    description: "The number of rows whose number was on the list until an earlier time than the row says.",
  }),
  unchanged: Schema.Int.annotate({
    description:
      "The number of rows that change nothing: their number is on the list already, or occurs twice in the file.",
  }),
  invalid: Schema.Int.annotate({ description: "The number of invalid rows. They were left out." }),
  errors: Schema.Array(RowFault)
    .check(Schema.isMaxLength(faultsShown))
    .annotate({ description: "The first 100 faults." }),
}).annotate({ identifier: "SuppressionReport", description: "How the rows of the do-not-call list were imported." })
export type SuppressionReport = typeof SuppressionReport.Type
