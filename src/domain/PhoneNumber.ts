/** A phone number of the account: it dials out and may take calls (decisions §2, Phone number). */
import { Schema } from "effect"
import { AgentId } from "./Agent.ts"
import { E164 } from "./E164.ts"
import { Name, visible } from "./Name.ts"
import { CreatedAt, UpdatedAt } from "./Timestamp.ts"

export const PhoneNumberId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("PhoneNumberId"))
export type PhoneNumberId = typeof PhoneNumberId.Type

export const Carrier = Schema.Literals(["lab", "sip", "telnyx", "twilio"])
export type Carrier = typeof Carrier.Type

const label = { description: "What the number is for, as a note for people. Empty by default." }

export const PhoneNumber = Schema.Struct({
  id: PhoneNumberId.annotate({ description: "The phone number's UUID, assigned by Parley." }),
  number: E164.annotate({ description: "The number that the carrier provides, in E.164 form." }),
  label: Name.annotate(label),
  carrier: Carrier.annotate({
    description: "`lab` is the simulated phone network. In production it requires PARLEY_LAB=1.",
  }),
  carrier_config: Schema.JsonObject.annotate({
    description:
      "Settings of the carrier. `twilio` needs `account_sid` and `auth_token`. `telnyx` needs `api_key`, `connection_id` (of a Call Control application) and `public_key` (of the Telnyx account). `sip` needs `server` (`host[:port]`, an IPv6 address with a port in brackets) and takes `transport` (`udp`, `tcp`, `tls`, or `auto` for what the server's DNS records ask for; default `udp`), `username` with `password`, `from_domain` (the domain of the caller's address; default: the server's host), `srtp` (`true`: every call must be encrypted) and `addresses` (IP addresses from which the trunk sends, besides the server). Secrets are masked as \"********\"; sending the mask back keeps them, unless a host or URL in the same object has changed. `calls_per_second` (0.1 to 100) limits how fast calls from this number begin. It defaults to 1 for `twilio` and to no limit for other carriers.",
  }),
  inbound_agent_id: Schema.NullOr(AgentId).annotate({
    description:
      "The agent that answers calls to this number. Null for none. Calls to a number of the carrier `sip` are delivered by its trunk, those to a number of `twilio` by its voice webhook at Twilio, and those to a number of `telnyx` by the webhook of its application (docs/telephony.md).",
  }),
  max_calls_per_day: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))).annotate({
    description:
      "The maximum number of calls that begin from this number on one day of the account's time zone: of all campaigns and direct calls, without transfers. Null (the default) for no limit.",
  }),
  min_seconds_between_calls: Schema.NullOr(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 86_400 })),
  ).annotate({
    description:
      "Seconds from the beginning of a call from this number to the next. Null (the default): only `calls_per_second` counts.",
  }),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
}).annotate({ identifier: "PhoneNumber" })
export type PhoneNumber = typeof PhoneNumber.Type
/** A label as a client may write it. */
export const LabelInput = Schema.String.check(Schema.isMaxLength(200), visible).annotate(label)
/** Read-only fields that a client may send back. */
export const phoneNumberReadOnly = ["id", "created_at", "updated_at"] as const
