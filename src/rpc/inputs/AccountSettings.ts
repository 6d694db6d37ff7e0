/** Inputs of an owner's changes to the account and its members. */
import { z } from "zod"
import { naming, NewMember, oneName, retention } from "./Accounts.ts"
import { DisplayName, etag, page, TimeZone } from "./Fields.ts"

export const Settings = z.strictObject({
  name: DisplayName.exactOptional(),
  time_zone: TimeZone.exactOptional(),
  ...retention,
})
export const SettingsUpdate = Settings.extend(etag)
export const MemberList = z.object(page()).prefault({})
export const Member = NewMember
export const MemberToRemove = z.object(naming).refine(...oneName)
