/** Asks the carrier of a phone number whether calls can be placed from it. No call is placed. */
import { Clock, Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import * as PhoneNumbers from "../catalog/PhoneNumbers.ts"
import type { CarrierCheck, Checked } from "../domain/CarrierCheck.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import * as RateAllowance from "../domain/RateAllowance.ts"
import type { NotFound } from "../domain/Refusals.ts"
import { trunkOf } from "../domain/SipConfig.ts"
import { telnyxCredentialsOf } from "../domain/TelnyxConfig.ts"
import { credentialsOf } from "../domain/TwilioConfig.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { keepOpen } from "../tenancy/OpenTransaction.ts"
import { RegisteredNumbers } from "../tenancy/RegisteredNumbers.ts"
import { Sip } from "./sip/Sip.ts"
import * as TrunkCheck from "./sip/TrunkCheck.ts"
import { Telephony } from "./Telephony.ts"
import { TelnyxApi } from "./telnyx/TelnyxApi.ts"
import * as TelnyxCheck from "./telnyx/TelnyxCheck.ts"
import { TwilioApi } from "./twilio/TwilioApi.ts"
import * as TwilioCheck from "./twilio/TwilioCheck.ts"

/** Limits one account in this process, because a check sends messages to a server that the account names. */
const checksPerMinute = 30
const mostRemembered = 20_000
const tooOften: Checked = {
  ok: false,
  detail: `The carrier was not asked: this account has checked numbers ${checksPerMinute} times within a minute. Try again in a minute.`,
}

const notYet: Checked = { ok: false, detail: "The number is not registered yet. Check again in some seconds." }

const simulated: Checked = { ok: true, detail: "A lab number is simulated: there is no carrier to ask." }

type Asked = Pick<PhoneNumber, "number" | "carrier" | "carrier_config">

export class NumberCheck extends Context.Service<
  NumberCheck,
  {
    /** Takes at most 10 s. */
    readonly check: (id: string) => Effect.Effect<CarrierCheck, NotFound, CurrentTenant | SqlClient.SqlClient>
  }
>()("telephony/NumberCheck") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const twilio = yield* TwilioApi
      const telnyx = yield* TelnyxApi
      const registrations = yield* RegisteredNumbers
      const sip = yield* Sip
      const { obstacleOf } = yield* Telephony
      const { take } = RateAllowance.make(checksPerMinute, mostRemembered)

      const ask = (asked: Asked): Effect.Effect<Checked> => {
        const { carrier_config, number } = asked
        const obstacle = obstacleOf(asked)
        if (obstacle !== null) return Effect.succeed({ ok: false, detail: `The number cannot dial: ${obstacle}.` })
        // Without an obstacle, the configuration of the number's carrier is complete. A lab number has none.
        const trunk = asked.carrier === "sip" ? trunkOf(carrier_config) : null
        if (sip !== null && trunk !== null) return TrunkCheck.check(sip, trunk, number)
        const credentials = asked.carrier === "twilio" ? credentialsOf(carrier_config) : null
        if (credentials !== null) return TwilioCheck.check(twilio, credentials, number)
        const application = asked.carrier === "telnyx" ? telnyxCredentialsOf(carrier_config) : null
        if (application !== null) return TelnyxCheck.check(telnyx, application, number)
        return Effect.succeed(simulated)
      }

      /** Null: the number's trunk wants no registration. */
      const registrationOf = Effect.fnUntraced(function* ({
        carrier,
        carrier_config,
        id,
      }: Asked & { readonly id: string }) {
        if (carrier !== "sip" || trunkOf(carrier_config)?.register !== true) return null
        const registered = yield* registrations.find(id)
        if (registered === null) return notYet
        return { ok: registered.until !== null, detail: registered.detail }
      })

      const check = Effect.fn("NumberCheck.check")(function* (id: string) {
        const number = yield* PhoneNumbers.findForCarrier(id)
        const began = yield* Clock.currentTimeMillis
        const { account } = yield* CurrentTenant
        const asks = number.carrier !== "lab"
        // With an Idempotency-Key a transaction is open, and a carrier may take longer than one may be idle.
        const checked = asks && take(account.slug, began) > 0 ? tooOften : yield* keepOpen(ask(number))
        const registered = yield* registrationOf(number)
        const duration_ms = (yield* Clock.currentTimeMillis) - began
        if (registered === null) return { ...checked, duration_ms }
        return { ok: checked.ok && registered.ok, detail: `${checked.detail} ${registered.detail}`, duration_ms }
      })
      return { check }
    }),
  )
}
