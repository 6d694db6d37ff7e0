/** The `carrier_config` of a Telnyx number: the Call Control application that places and receives its calls. */
import { Schema } from "effect"
import type { Issue } from "./Refusals.ts"

/** Text that a header can carry. */
const apiKey = /^[\x21-\x7e]{1,200}$/u
/** It is used in paths, so no other text is accepted. */
const connectionId = /^[0-9a-zA-Z-]{1,64}$/u
/** Base64 of 32 bytes. */
const publicKey = /^[A-Za-z0-9+/]{43}=$/u

export interface TelnyxCredentials {
  readonly api_key: string
  readonly connection_id: string
  /** Verifies Telnyx's webhooks. */
  readonly public_key: string
}

const names = ["api_key", "connection_id", "public_key"] as const

const isCredentials = Schema.is(
  Schema.Struct({ api_key: Schema.String, connection_id: Schema.String, public_key: Schema.String }),
)

/** The credentials in the config. Null if they are missing: the number is stored, but cannot dial yet. */
export const telnyxCredentialsOf = (carrier_config: Schema.JsonObject): TelnyxCredentials | null =>
  isCredentials(carrier_config) ? carrier_config : null

const demands: Record<(typeof names)[number], readonly [pattern: RegExp, detail: string]> = {
  api_key: [apiKey, "must be an API key (V2) of the Telnyx account"],
  connection_id: [connectionId, "must be the ID of a Call Control application: digits"],
  public_key: [publicKey, "must be the public key of the Telnyx account: 44 characters of base64"],
}

/** What is wrong with the credentials, for the client that writes them: all must be given, or none. */
export const telnyxIssues = (carrier_config: Schema.JsonObject): ReadonlyArray<Issue> => {
  if (names.every((name) => carrier_config[name] === undefined)) return []
  return names.flatMap((name) => {
    const [pattern, detail] = demands[name]
    const value = carrier_config[name]
    const isRight = typeof value === "string" && pattern.test(value)
    return isRight ? [] : [{ pointer: `/carrier_config/${name}`, detail }]
  })
}
