/** A platform administrator's changes to accounts and their members. */
import { z } from "zod"
import { CallingWindow } from "./Campaigns.ts"
import {
  AccountSlug,
  Amount,
  between,
  DisplayName,
  Email,
  etag,
  Key,
  page,
  TimeZone,
  visible,
  writable,
} from "./Fields.ts"

const Cap = between(1, 1_000_000)
const Days = between(1, 3_650).nullable().exactOptional()
/** For how many days data is kept; an owner may change them, too. */
export const retention = {
  transcript_days: Days,
  recording_days: Days,
  call_days: Days,
  event_days: Days,
  audit_days: between(30, 3_650).nullable().exactOptional(),
}
const optional = {
  name: DisplayName.exactOptional(),
  concurrent_max: Cap.exactOptional(),
  calls_per_minute: Cap.exactOptional(),
  calls_per_day: Cap.exactOptional(),
  daily_spend_cap: Amount.nullable().exactOptional(),
  time_zone: TimeZone.exactOptional(),
  calling_window: CallingWindow.nullable().exactOptional(),
  consent_days: Days,
  ...retention,
  discoverable: z.boolean().exactOptional(),
  status: z.enum(["active", "suspended", "restored"]).exactOptional(),
}

export const NewAccount = writable({ slug: AccountSlug, ...optional }, ["created_at"])
export const AccountChange = writable(optional, ["slug", "created_at"])

export const AccountKey = z.strictObject({ slug: Key })
export const AccountUpdate = AccountChange.extend({ slug: Key, ...etag })
export const AccountList = z.strictObject(page()).prefault({})
export const MemberList = z.strictObject({ account: Key, ...page() })

const term = z
  .string()
  .regex(/^[^\p{Cc}]+$/u, "must not be empty")
  .max(500)
export const naming = { email: Email.exactOptional(), issuer: term.exactOptional(), subject: term.exactOptional() }

interface Naming {
  readonly email?: string
  readonly issuer?: string
  readonly subject?: string
}
const isOne = ({ email, issuer, subject }: Naming): boolean =>
  (email === undefined) === (issuer !== undefined && subject !== undefined) &&
  (issuer === undefined) === (subject === undefined)
export const oneName = [isOne, "must have either email, or issuer and subject"] as const

/** How a new member is named. To remove an existing member, `naming` accepts any name. */
const named = {
  email: Email.refine(...visible).exactOptional(),
  issuer: term.refine(...visible).exactOptional(),
  subject: term.refine(...visible).exactOptional(),
}
const member = { ...named, role: z.enum(["owner", "member", "viewer"]) }

/** A person by verified email, or by issuer and subject. */
export const NewMember = writable(member, ["created_at"]).refine(...oneName)
export const MemberOfAccount = writable({ ...member, account: Key }, ["created_at"]).refine(...oneName)
export const MemberToRemove = z.strictObject({ account: Key, ...naming }).refine(...oneName)
