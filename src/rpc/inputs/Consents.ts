/** Inputs of the operations on the consent ledger. */
import { z } from "zod"
import { consentBases, consentChannels, mostConsentsAtOnce } from "../../domain/ConsentValues.ts"
import { Key, page, PhoneNumberText, Search, text, Timestamp, visible } from "./Fields.ts"

const Line = text(1, 200).refine(...visible)

const isRecent = (written: string): boolean => new Date(written).getUTCFullYear() >= 1900
const Moment = Timestamp.refine(isRecent, "must be in 1900 or later")

const shared = {
  phone_number: PhoneNumberText,
  subject: Line.nullable().exactOptional(),
  seller: Line.nullable().exactOptional(),
  channel: z.enum(consentChannels).exactOptional(),
  text: text(1, 2_000).nullable().exactOptional(),
  source: Line.nullable().exactOptional(),
  external_id: Line.nullable().exactOptional(),
}
export const NewConsent = z.strictObject({
  ...shared,
  basis: z.enum(consentBases),
  at: Moment,
  expires_at: Moment.nullable().exactOptional(),
})
const NewRevocation = z.strictObject({ ...shared, at: Moment.exactOptional() })

/** The length is checked after the entries, as by the REST API: zod's own check of it would hide their faults. */
const batchOf = <Entry extends z.ZodType>(entry: Entry) =>
  z
    .array(entry)
    .min(1)
    .refine(({ length }) => length <= mostConsentsAtOnce, `must have at most ${mostConsentsAtOnce} items`)

export const RecordConsents = z.strictObject({ consents: batchOf(NewConsent) })
export const RevokeConsents = z.strictObject({ revocations: batchOf(NewRevocation) })
export const ConsentKey = z.strictObject({ id: Key })
export const ConsentList = z
  .strictObject({ ...page(), phone_number: PhoneNumberText.exactOptional(), search: Search.exactOptional() })
  .prefault({})
