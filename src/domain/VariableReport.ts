/**
 * The variables that the templates of a campaign's agent use and that its contacts do not have, found before the first
 * call.
 */
import { Schema } from "effect"
import { E164 } from "./E164.ts"

const where = Schema.Array(Schema.String).annotate({
  description:
    "The templates that use the variable: `disclosure`, `system_prompt`, `first_message`, `playbook:NAME` or `faq:NAME`.",
})
const sentence = Schema.NullOr(Schema.String).annotate({
  description:
    "The first sentence that has a gap in place of the variable, as the agent would say or read it. A greeting leaves out a missing name. Null if no sentence is spoken as it is written.",
})
const name = Schema.String.annotate({ description: "The variable as the template writes it." })

export const UnknownVariable = Schema.Struct({ name, where, sentence }).annotate({ identifier: "UnknownVariable" })

export const EmptyVariable = Schema.Struct({
  name,
  where,
  rows: Schema.Int.annotate({ description: "The number of contacts whose column is empty." }),
  first: Schema.Struct({
    position: Schema.Int.annotate({ description: "The contact's position in the file, from 1." }),
    phone_number: E164.annotate({ description: "The contact's number, in E.164 form." }),
  }).annotate({
    description: "The first of these contacts.",
  }),
  sentence,
}).annotate({ identifier: "EmptyVariable" })

export const VariableReport = Schema.Struct({
  columns: Schema.Array(Schema.String).annotate({ description: "The columns of the contact list, in file order." }),
  unknown: Schema.Array(UnknownVariable).annotate({
    description:
      "Variables that are neither a column nor available in every call, and have no `default`. They are empty in every call.",
  }),
  empty: Schema.Array(EmptyVariable).annotate({
    description: "Columns that a template uses without a `default` and that are empty for some contacts.",
  }),
}).annotate({ identifier: "VariableReport" })
export type VariableReport = typeof VariableReport.Type
