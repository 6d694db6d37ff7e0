/** How the rows of a contact list were imported (decisions §2, CSV and Campaign). */
import { Schema } from "effect"

export const RowFault = Schema.Struct({
  line: Schema.Int.annotate({ description: "The physical line on which the row begins, from 1." }),
  column: Schema.NullOr(Schema.String).annotate({
    description: "The header's name; null when the row itself is wrong.",
  }),
  code: Schema.Literals(["invalid_phone_number", "too_few_cells", "too_many_cells", "cell_too_long", "invalid_quotes"]),
  detail: Schema.String,
}).annotate({ identifier: "ImportError" })
export type RowFault = typeof RowFault.Type

/** Faults beyond these are counted only. */
export const faultsShown = 100

export const ImportReport = Schema.Struct({
  rows: Schema.Int.annotate({ description: "Rows of the file, blank lines and the header apart." }),
  accepted: Schema.Int,
  duplicates: Schema.Int.annotate({ description: "Rows whose number stood in an earlier row." }),
  invalid: Schema.Int,
  errors: Schema.Array(RowFault).check(Schema.isMaxLength(faultsShown)),
}).annotate({ identifier: "ImportReport" })
export type ImportReport = typeof ImportReport.Type
