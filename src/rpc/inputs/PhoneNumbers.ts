/** Inputs of the operations on phone numbers. */
import { z } from "zod"
import { AgentId, between, etag, JsonObject, Key, visible, page, PhoneNumberText, Search, writable } from "./Fields.ts"

const readOnly = ["id", "created_at", "updated_at"]

const Carrier = z.enum(["lab", "sip", "telnyx", "twilio"])
const optional = {
  label: z
    .string()
    .max(200)
    .refine(...visible)
    .exactOptional(),
  carrier_config: JsonObject.exactOptional(),
  inbound_agent_id: AgentId.nullable().exactOptional(),
  max_calls_per_day: between(1, 1_000_000).nullable().exactOptional(),
  min_seconds_between_calls: between(1, 86_400).nullable().exactOptional(),
}

export const NewPhoneNumber = writable({ number: PhoneNumberText, carrier: Carrier, ...optional }, readOnly)
export const PhoneNumberChange = writable(
  { number: PhoneNumberText.exactOptional(), carrier: Carrier.exactOptional(), ...optional },
  readOnly,
)

export const PhoneNumberKey = z.strictObject({ id: Key })
export const PhoneNumberUpdate = PhoneNumberChange.extend({ id: Key, ...etag })
export const PhoneNumberList = z
  .strictObject({ ...page(), carrier: Carrier.exactOptional(), search: Search.exactOptional() })
  .prefault({})
