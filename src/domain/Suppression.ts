/**
 * An entry of the do-not-call list: no part of the product dials this number (decisions §2; I12), or no call about its
 * subject (decision 0089).
 */
import { Schema } from "effect"
import { E164 } from "./E164.ts"
import { CreatedAt, Timestamp } from "./Timestamp.ts"

export const SuppressionSource = Schema.Literals(["api", "import", "call"])
export type SuppressionSource = typeof SuppressionSource.Type

export const Suppression = Schema.Struct({
  phone_number: E164.annotate({ description: "The number that is not dialled, in E.164 form." }),
  source: SuppressionSource.annotate({
    description: "How the number came onto the list. `call`: the called person asked for it during a call.",
  }),
  call_id: Schema.NullOr(Schema.String.check(Schema.isUUID())).annotate({
    description: "The call in which the person asked for it. Null for other sources.",
  }),
  reason: Schema.NullOr(Schema.String.check(Schema.isMaxLength(1_000))).annotate({
    description: "Why the number is on the list, as a note for people.",
  }),
  created_at: CreatedAt,
  expires_at: Schema.NullOr(Timestamp).annotate({
    description: "When the entry stops blocking calls. Null if it never does.",
  }),
  subject: Schema.NullOr(Schema.String).annotate({
    description:
      "The entry forbids campaigns with this `subject`, in any case, and all calls that have none. Null: it forbids all calls.",
  }),
}).annotate({ identifier: "Suppression" })
export type Suppression = typeof Suppression.Type
/** Read-only fields that a client may send back. */
export const suppressionReadOnly = ["source", "call_id", "created_at"] as const
