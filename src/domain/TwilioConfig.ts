/** The `carrier_config` of a Twilio number: the Twilio account that owns it. */
import { Schema } from "effect"
import type { Issue } from "./Refusals.ts"

/** An account SID. It is used in paths, so no other text is accepted. */
const accountSid = /^AC[0-9a-zA-Z]{1,62}$/u
/** Text that a header can carry. */
const authToken = /^[\x20-\x7e]{1,200}$/u

export interface TwilioCredentials {
  readonly account_sid: string
  readonly auth_token: string
}

const isCredentials = Schema.is(Schema.Struct({ account_sid: Schema.String, auth_token: Schema.String }))

/** The credentials in the config. Null if they are missing: the number is stored, but cannot dial yet. */
export const credentialsOf = (carrier_config: Schema.JsonObject): TwilioCredentials | null =>
  isCredentials(carrier_config) ? carrier_config : null

/** What is wrong with the credentials, for the client that writes them: both must be given, or neither. */
export const twilioIssues = (carrier_config: Schema.JsonObject): ReadonlyArray<Issue> => {
  const { account_sid, auth_token } = carrier_config
  if (account_sid === undefined && auth_token === undefined) return []
  const isSid = typeof account_sid === "string" && accountSid.test(account_sid)
  const isToken = typeof auth_token === "string" && authToken.test(auth_token)
  return [
    ...(isSid ? [] : [{ pointer: "/carrier_config/account_sid", detail: "must be an account SID: AC and 32 digits" }]),
    ...(isToken ? [] : [{ pointer: "/carrier_config/auth_token", detail: "must be the auth token of the account" }]),
  ]
}
