/** Inputs of the operations on the audit logs. */
import { z } from "zod"
import { auditActions, auditKinds } from "../../domain/AuditActions.ts"
import { between, PhoneNumberText, text, Timestamp, Uuid } from "./Fields.ts"

const Term = text(0, 500)

const request = {
  before: Uuid.exactOptional(),
  limit: between(1, 200).prefault(50),
  actor: Term.exactOptional(),
  action: z.enum(auditActions).exactOptional(),
  kind: z.enum(auditKinds).exactOptional(),
  object_id: Term.exactOptional(),
  from: Timestamp.exactOptional(),
  to: Timestamp.exactOptional(),
}

export const AuditList = z.strictObject({ ...request, phone_number: PhoneNumberText.exactOptional() }).prefault({})
export const PlatformAuditList = z.strictObject({ ...request, account: z.string().exactOptional() }).prefault({})
