/** The carriers that this build can speak to: the lab, and Twilio. `sip` numbers can be kept, and not yet dialled. */
import { Effect, Layer } from "effect"
import type { Carrier } from "../domain/PhoneNumber.ts"
import { credentialsOf } from "../domain/TwilioConfig.ts"
import * as Providers from "../speech/Providers.ts"
import { CarrierFeeds } from "./CarrierFeeds.ts"
import { Lab } from "./lab/Lab.ts"
import { MediaClock } from "./MediaClock.ts"
import { type Dial, type Left, type LastWord, Refused, Telephony } from "./Telephony.ts"
import { Twilio } from "./twilio/Twilio.ts"
import { TwilioApi } from "./twilio/TwilioApi.ts"
import * as TwilioCallbacks from "./twilio/TwilioCallbacks.ts"
import { TwilioSettings } from "./twilio/TwilioSettings.ts"

interface Adapter {
  /** Why no call can be placed over it; null if one can. */
  readonly obstacle: string | null
  readonly dial: Dial
  /** For a carrier whose calls outlive the process. */
  readonly close?: (left: Left) => Effect.Effect<LastWord>
}

const noCredentials = "its carrier_config has no account_sid and auth_token"

const notDialled: LastWord = { outcome: "unknown", answered_at: null }

/** The port, over the carriers that are there. */
export const telephony = Layer.effect(
  Telephony,
  Effect.gen(function* () {
    const lab = yield* Lab
    const none: Dial = ({ carrier }) =>
      Effect.fail(new Refused({ outcome: "carrier_error", detail: `no adapter for ${carrier}` }))
    const adapters: Record<Carrier, Adapter> = {
      lab: { obstacle: lab.enabled ? null : "the lab needs PARLEY_LAB=1", dial: lab.dial },
      twilio: yield* Twilio,
      sip: { obstacle: "this build has no adapter for it", dial: none },
    }
    return {
      obstacleOf: ({ carrier, carrier_config }) =>
        adapters[carrier].obstacle ??
        (carrier === "twilio" && credentialsOf(carrier_config) === null ? noCredentials : null),
      dials: (carrier) => adapters[carrier].obstacle === null,
      dial: (request, ringing) => adapters[request.carrier].dial(request, ringing),
      outlives: (carrier) => adapters[carrier].close !== undefined,
      close: (left) => adapters[left.carrier].close?.(left) ?? Effect.succeed(notDialled),
    }
  }),
).pipe(Layer.provide(Lab.layer))

/** And what carriers report, over the clock and the speech that every line with sound uses, carrier or page. */
export const layer = Layer.merge(telephony, TwilioCallbacks.layer).pipe(
  Layer.provide(Twilio.layer),
  Layer.provide(TwilioApi.layer),
  Layer.provide([TwilioSettings.layer, CarrierFeeds.layer]),
  Layer.provideMerge([Providers.layer, MediaClock.layer]),
)
