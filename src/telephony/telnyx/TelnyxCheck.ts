/** Checks whether Telnyx accepts the credentials, and whether the account has the application and the number. */
import { Effect } from "effect"
import type { Checked } from "../../domain/CarrierCheck.ts"
import type { TelnyxCredentials } from "../../domain/TelnyxConfig.ts"
import type { TelnyxApi } from "./TelnyxApi.ts"
import { nullIfGone } from "./TelnyxCalls.ts"

const no = (detail: string): Checked => ({ ok: false, detail })

/** The public key cannot be checked: Telnyx has no request for it. */
const findOut = Effect.fnUntraced(function* (
  api: TelnyxApi["Service"],
  credentials: TelnyxCredentials,
  number: string,
) {
  const application = yield* nullIfGone(api.findApplication(credentials))
  if (application === null) {
    return no("Telnyx takes the API key, but the account has no such Call Control application. Check connection_id.")
  }
  if (application.active === false) return no("The Call Control application is switched off at Telnyx.")
  const found = yield* api.findNumber(credentials, number)
  if (found === null) {
    return no(
      "Telnyx takes the API key and has the application, but the account has no such number. It can dial only if it is a verified number.",
    )
  }
  const isAssigned = found.connection_id === credentials.connection_id
  const known = "Telnyx takes the API key, and the application and the number are in the account."
  const away = " The number is not assigned to the application, so calls to it do not reach Parley."
  return { ok: true, detail: isAssigned ? known : `${known}${away}` }
})

export const check = (
  api: TelnyxApi["Service"],
  credentials: TelnyxCredentials,
  number: string,
): Effect.Effect<Checked> =>
  findOut(api, credentials, number).pipe(
    Effect.catchTags({
      CarrierRefused: ({ message, status }) =>
        Effect.succeed(no(status === 401 ? "Telnyx refuses the API key (401). Check api_key." : `${message}.`)),
      CarrierSilent: ({ message }) => Effect.succeed(no(`${message}. Try again in a minute.`)),
    }),
  )
