/** Telnyx's webhooks about a call. */
import { Clock, Effect } from "effect"
import type { AccountSlug } from "../../domain/Account.ts"
import { CallId } from "../../domain/Call.ts"
import { telnyxCredentialsOf } from "../../domain/TelnyxConfig.ts"
import { type CarrierCallbacks, SignatureWrong, type SignedWebhook } from "../CarrierCallbacks.ts"
import * as ReportIntake from "../rest/ReportIntake.ts"
import { Telnyx } from "./Telnyx.ts"
import { fieldIn, newsIn, readEvent } from "./TelnyxEvent.ts"
import { isSigned } from "./TelnyxSignature.ts"

interface CallWebhook extends SignedWebhook {
  readonly call: string
}

/** Returns the function that takes a webhook: it checks the signature and stores the webhook's report on the call. */
export const make = Effect.gen(function* () {
  const intake = yield* ReportIntake.make((yield* Telnyx).close)

  const take = Effect.fnUntraced(function* (account: AccountSlug, webhook: CallWebhook) {
    const event = readEvent(webhook.body)
    if (event === null) return yield* new SignatureWrong()
    const now = yield* Clock.currentTimeMillis
    const value = fieldIn(event, "connection_id")
    const at = { carrier: "telnyx", setting: "connection_id", value } as const
    const { number, row } = yield* intake.verify(account, webhook.call, at, ({ carrier_config }) => {
      const public_key = telnyxCredentialsOf(carrier_config)?.public_key
      return public_key !== undefined && isSigned(public_key, webhook, now)
    })
    const news = newsIn(event, now)
    if (row === null) return yield* Effect.logWarning("Telnyx webhook has an unknown call")
    if (news !== null) yield* intake.keep(account, CallId.make(webhook.call), { row, number }, news)
  })

  const telnyx: CarrierCallbacks["Service"]["telnyx"] = Effect.fn("CarrierCallbacks.telnyx")(
    (webhook) => intake.answer(webhook.account, (account) => take(account, webhook)),
    (answered, { account, call }) => Effect.annotateLogs(answered, { account, call }),
  )
  return telnyx
})
