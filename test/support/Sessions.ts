/** One call without a database: a session to a lab number, for tests with their own clock. */
import { ConfigProvider, Deferred, Effect, Layer } from "effect"
import type * as CallSession from "../../src/calls/live/CallSession.ts"
import type { AgentKit } from "../../src/catalog/AgentKit.ts"
import { CallRecord } from "../../src/conversation/CallRecord.ts"
import { AccountSlug, accountDefaults } from "../../src/domain/Account.ts"
import { AgentId } from "../../src/domain/Agent.ts"
import { CallId } from "../../src/domain/Call.ts"
import { E164 } from "../../src/domain/E164.ts"
import { PhoneNumberId } from "../../src/domain/PhoneNumber.ts"
import * as Carriers from "../../src/telephony/Carriers.ts"
import { SipCarrier } from "../../src/telephony/sip/SipCarrier.ts"
import { Telnyx } from "../../src/telephony/telnyx/Telnyx.ts"
import { Twilio } from "../../src/telephony/twilio/Twilio.ts"
import { kit as kitOf } from "./Kit.ts"

const id = "019aa3f2-7c1e-7a42-9d3b-5f0c1e2d3a4b"
const moment = new Date(0)

/** No call here goes over an external carrier. */
const none = {
  obstacle: "not here",
  dial: () => Effect.die("not here"),
  rejoin: () => Effect.die("not here"),
  close: () => Effect.die("not here"),
}
const noCarriers: [Layer.Layer<Twilio>, Layer.Layer<Telnyx>, Layer.Layer<SipCarrier>] = [
  Layer.succeed(Twilio, none),
  Layer.succeed(Telnyx, none),
  Layer.succeed(SipCarrier, { ...none, receive: () => {}, registrar: null }),
]

/** The lab's network at the given speed. */
export const labAt = (speed: number) =>
  Carriers.telephony.pipe(
    Layer.provide(noCarriers),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ LAB_SPEED: String(speed) }))),
  )

export const sessionTo = (
  to: string,
  kit: AgentKit = kitOf(),
  change: Partial<CallSession.Session> = {},
): CallSession.Session => ({
  tenant: {
    id,
    account: { ...accountDefaults, slug: AccountSlug.make("acme"), name: "Acme", created_at: moment },
    revision: 1,
    server: null,
    database: "",
    moving: null,
    login: { role: "", password: "" },
    isReadable: true,
    dataKey: new Uint8Array(),
    schemaVersion: 0,
    servesFrom: 0,
  },
  call: {
    id: CallId.make(id),
    direction: "outbound",
    agent_id: AgentId.make(id),
    agent_name: "Rosa",
    agent_version: 1,
    phone_number_id: PhoneNumberId.make(id),
    to_number: to,
    from_number: "+14155550100",
    variables: {},
    campaign_id: null,
    contact_id: null,
    attempt_number: null,
    decision: null,
    started_at: moment,
  },
  kit,
  number: {
    id: PhoneNumberId.make(id),
    number: E164.make("+14155550100"),
    label: "",
    carrier: "lab",
    carrier_config: {},
    inbound_agent_id: null,
    max_calls_per_day: null,
    min_seconds_between_calls: null,
    created_at: moment,
    updated_at: moment,
    revision: 1,
  },
  record: new CallRecord(),
  recorder: null,
  requests: null,
  hangUp: Deferred.makeUnsafe(),
  ringing: Effect.void,
  answered: () => Effect.void,
  confirmForDialling: Effect.void,
  confirmOwnership: Effect.void,
  mayHangUp: Effect.succeed(true),
  inTenant: () => Effect.die("no database here"),
  ...change,
})
