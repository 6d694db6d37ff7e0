/** The carriers that this build can speak to: the lab. `sip` and `twilio` numbers can be kept, and not yet dialled. */
import { Effect, Layer } from "effect"
import type { Carrier } from "../../domain/PhoneNumber.ts"
import { Lab } from "./lab/Lab.ts"
import { type Dial, Refused, Telephony } from "./Telephony.ts"

export const layer = Layer.effect(
  Telephony,
  Effect.gen(function* () {
    const lab = yield* Lab
    const adapters: Partial<Record<Carrier, Dial>> = lab.enabled ? { lab: lab.dial } : {}
    return {
      dials: (carrier) => adapters[carrier] !== undefined,
      dial: (request, ringing) => {
        const dial = adapters[request.carrier]
        return dial === undefined
          ? Effect.fail(new Refused({ outcome: "carrier_error", detail: `no adapter for ${request.carrier}` }))
          : dial(request, ringing)
      },
    }
  }),
).pipe(Layer.provide(Lab.layer))
