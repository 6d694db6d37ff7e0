/** Inputs of the operations on the do-not-call list. */
import { z } from "zod"
import { Key, page, PhoneNumberText, Search, Subject, Timestamp, writable } from "./Fields.ts"

export const NewSuppression = writable(
  {
    phone_number: PhoneNumberText,
    reason: z.string().max(1_000).nullable().exactOptional(),
    expires_at: Timestamp.nullable().exactOptional(),
    subject: Subject.nullable().exactOptional(),
  },
  ["source", "call_id", "created_at"],
)

export const SuppressionKey = z.strictObject({ phone_number: Key, subject: Subject.nullable().exactOptional() })
export const SuppressionList = z
  .strictObject({ ...page(), search: Search.exactOptional(), subject: Subject.exactOptional() })
  .prefault({})
