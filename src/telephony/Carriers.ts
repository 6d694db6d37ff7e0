/** The carriers that this build can speak to: the lab, Twilio, Telnyx, and SIP trunks. */
import { Effect, Layer, type Schema } from "effect"
import type { Carrier } from "../domain/PhoneNumber.ts"
import { trunkOf } from "../domain/SipConfig.ts"
import { telnyxCredentialsOf } from "../domain/TelnyxConfig.ts"
import { credentialsOf } from "../domain/TwilioConfig.ts"
import { AddressGuard } from "../outbound/AddressGuard.ts"
import { ServiceRecords } from "../outbound/ServiceRecords.ts"
import * as Providers from "../speech/Providers.ts"
import * as VoiceDetection from "../speech/detection/VoiceDetection.ts"
import { CarrierFeeds } from "./CarrierFeeds.ts"
import { Lab } from "./lab/Lab.ts"
import { MediaClock } from "./MediaClock.ts"
import { NumberCheck } from "./NumberCheck.ts"
import { CarrierCallbacks } from "./CarrierCallbacks.ts"
import { CarrierSettings } from "./rest/CarrierSettings.ts"
import { Ports } from "./rtp/Ports.ts"
import { MediaSettings } from "./rtp/MediaSettings.ts"
import { RtpSessions } from "./rtp/RtpSession.ts"
import { Sip } from "./sip/Sip.ts"
import { SipCarrier } from "./sip/SipCarrier.ts"
import { SipSettings } from "./sip/SipSettings.ts"
import { CallStreams } from "./stream/CallStreams.ts"
import { TrunkAddresses } from "./sip/TrunkAddresses.ts"
import { type Dial, type UnconfirmedCall, type FinalReport, Telephony } from "./Telephony.ts"
import { Telnyx } from "./telnyx/Telnyx.ts"
import { TelnyxApi } from "./telnyx/TelnyxApi.ts"
import { TelnyxArrivals } from "./telnyx/TelnyxArrivals.ts"
import * as TelnyxCallbacks from "./telnyx/TelnyxCallbacks.ts"
import { Twilio } from "./twilio/Twilio.ts"
import { TwilioArrivals } from "./twilio/TwilioArrivals.ts"
import { TwilioApi } from "./twilio/TwilioApi.ts"
import * as TwilioCallbacks from "./twilio/TwilioCallbacks.ts"

interface Adapter {
  /** Why no call can be placed over it; null if one can. */
  readonly obstacle: string | null
  readonly dial: Dial
  /** Left out for a carrier whose calls only the process that began them can conduct. */
  readonly rejoin?: Telephony["Service"]["rejoin"]
  /** Left out for a carrier whose calls end with the process. */
  readonly close?: (call: UnconfirmedCall) => Effect.Effect<FinalReport>
}

/** Says what the number's `carrier_config` lacks; null if the number can dial. */
const lackOf: Record<Carrier, (carrier_config: Schema.JsonObject) => string | null> = {
  lab: () => null,
  twilio: (config) => (credentialsOf(config) === null ? "its carrier_config has no account_sid and auth_token" : null),
  telnyx: (config) =>
    telnyxCredentialsOf(config) === null ? "its carrier_config has no api_key, connection_id and public_key" : null,
  sip: (config) => (trunkOf(config) === null ? "its carrier_config has no server" : null),
}

const notDialled: FinalReport = { outcome: "unknown", answered_at: null }

/** Implements `Telephony` over these carriers. */
export const telephony = Layer.effect(
  Telephony,
  Effect.gen(function* () {
    const lab = yield* Lab
    const adapters: Record<Carrier, Adapter> = {
      lab: { obstacle: lab.enabled ? null : "the lab needs PARLEY_LAB=1", dial: lab.dial },
      twilio: yield* Twilio,
      telnyx: yield* Telnyx,
      sip: yield* SipCarrier,
    }
    return {
      obstacleOf: ({ carrier, carrier_config }) => adapters[carrier].obstacle ?? lackOf[carrier](carrier_config),
      dials: (carrier) => adapters[carrier].obstacle === null,
      dial: (request, ringing) => adapters[request.carrier].dial(request, ringing),
      rejoins: (carrier) => adapters[carrier].rejoin !== undefined,
      rejoin: (request, left) => adapters[request.carrier].rejoin?.(request, left) ?? Effect.succeed(null),
      outlives: (carrier) => adapters[carrier].close !== undefined,
      close: (call) => adapters[call.carrier].close?.(call) ?? Effect.succeed(notDialled),
    }
  }),
).pipe(Layer.provide(Lab.layer))

const callbacks = Layer.effect(
  CarrierCallbacks,
  Effect.all({ twilio: TwilioCallbacks.make, telnyx: TelnyxCallbacks.make }),
)

/** `Telephony` and the carriers' callbacks, with the media clock and the speech that all lines with sound share. */
export const layer = NumberCheck.layer.pipe(
  Layer.provideMerge(
    Layer.mergeAll(telephony, callbacks, TwilioArrivals.layer, TelnyxArrivals.layer, CallStreams.door),
  ),
  Layer.provideMerge(SipCarrier.layer),
  Layer.provide([Twilio.layer, Telnyx.layer]),
  Layer.provide([TwilioApi.layer, TelnyxApi.layer, CallStreams.layer, Sip.layer, RtpSessions.layer]),
  Layer.provideMerge(TrunkAddresses.layer),
  Layer.provide([SipSettings.layer, Ports.layer]),
  Layer.provide([MediaSettings.layer, AddressGuard.layer, ServiceRecords.layer]),
  Layer.provide([CarrierSettings.layer, CarrierFeeds.layer]),
  Layer.provideMerge([Providers.layer, MediaClock.layer, VoiceDetection.layer]),
)
