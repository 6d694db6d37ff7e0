/** Which variables the templates of a campaign's agent will lack, found before the first call. */
import { Schema } from "effect"
import { E164 } from "./E164.ts"

const where = Schema.Array(Schema.String).annotate({
  description: "Where it is used: `system_prompt`, `first_message`, `playbook:NAME`, `faq:NAME`.",
})
const sentence = Schema.NullOr(Schema.String).annotate({
  description:
    "The first sentence that has a hole where it should stand, as it would be said or read: first words greet without the name; null where none says it as it is.",
})
const name = Schema.String.annotate({ description: "As the template writes it." })

export const UnknownVariable = Schema.Struct({ name, where, sentence }).annotate({ identifier: "UnknownVariable" })

export const EmptyVariable = Schema.Struct({
  name,
  where,
  rows: Schema.Int.annotate({ description: "Contacts whose column is empty." }),
  first: Schema.Struct({ position: Schema.Int, phone_number: E164 }).annotate({ description: "The first of them." }),
  sentence,
}).annotate({ identifier: "EmptyVariable" })

export const VariableReport = Schema.Struct({
  columns: Schema.Array(Schema.String).annotate({ description: "The contact list's, in file order." }),
  unknown: Schema.Array(UnknownVariable).annotate({
    description: "Neither a column nor one that every call has, and without a `default`: empty in every call.",
  }),
  empty: Schema.Array(EmptyVariable).annotate({
    description: "Columns that are used without a `default`, and are empty for some contacts.",
  }),
}).annotate({ identifier: "VariableReport" })
export type VariableReport = typeof VariableReport.Type
