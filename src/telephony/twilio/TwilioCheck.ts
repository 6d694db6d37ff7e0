/** Checks whether Twilio accepts the credentials and whether the account has the number. */
import { Effect } from "effect"
import type { TwilioCredentials } from "../../domain/TwilioConfig.ts"
import type { Checked } from "../../domain/CarrierCheck.ts"
import type { TwilioApi } from "./TwilioApi.ts"

export const check = (
  api: TwilioApi["Service"],
  credentials: TwilioCredentials,
  number: string,
): Effect.Effect<Checked> =>
  api.owns(credentials, number).pipe(
    Effect.map((isOwn) =>
      isOwn
        ? { ok: true, detail: "Twilio takes the credentials, and the number is in the account." }
        : {
            ok: false,
            detail:
              "Twilio takes the credentials, but the account has no such number. It can dial only if it is a verified caller ID.",
          },
    ),
    Effect.catchTags({
      CarrierRefused: ({ message, status }) =>
        Effect.succeed({
          ok: false,
          detail:
            status === 401 ? "Twilio refuses the credentials (401). Check account_sid and auth_token." : `${message}.`,
        }),
      CarrierSilent: ({ message }) => Effect.succeed({ ok: false, detail: `${message}. Try again in a minute.` }),
    }),
  )
