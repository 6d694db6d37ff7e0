/** How the rows of a contact list were imported (decisions §2, CSV and Campaign). */
import { Schema } from "effect"

export const RowFault = Schema.Struct({
  line: Schema.Int.annotate({ description: "The physical line of the file on which the row begins, from 1." }),
  column: Schema.NullOr(Schema.String).annotate({
    description: "The header of the faulty column. Null if the row as a whole is faulty.",
  }),
  code: Schema.Literals([
    "invalid_phone_number",
    "invalid_timestamp",
    "invalid_consent",
    "invalid_priority",
    "invalid_additional_number",
    "invalid_subject",
    "too_few_cells",
    "too_many_cells",
    "cell_too_long",
    "invalid_quotes",
  ]).annotate({
    description: "The stable name of the fault.",
  }),
  detail: Schema.String.annotate({ description: "What is wrong with the row, as a sentence for people." }),
}).annotate({ identifier: "ImportError" })
export type RowFault = typeof RowFault.Type

/** Faults beyond these are counted only. */
export const faultsShown = 100

export const ImportReport = Schema.Struct({
  rows: Schema.Int.annotate({ description: "The number of rows in the file, without the header and blank lines." }),
  accepted: Schema.Int.annotate({ description: "The number of rows that became contacts." }),
  duplicates: Schema.Int.annotate({ description: "The number of rows whose phone number occurs in an earlier row." }),
  invalid: Schema.Int.annotate({ description: "The number of invalid rows. They were left out." }),
  errors: Schema.Array(RowFault)
    .check(Schema.isMaxLength(faultsShown))
    .annotate({ description: "The first 100 faults." }),
}).annotate({ identifier: "ImportReport", description: "How the rows of the contact list were imported." })
export type ImportReport = typeof ImportReport.Type
