/** Takes Twilio's requests about a call: its reports, and its requests for the next instructions. */
import { Clock, Effect, Option, Schema } from "effect"
import type { AccountSlug } from "../../domain/Account.ts"
import { CallId } from "../../domain/Call.ts"
import { type CarrierReport, CarrierStatus } from "../../domain/CarrierReport.ts"
import { credentialsOf } from "../../domain/TwilioConfig.ts"
import type { CarrierCallbacks, CarrierRequest } from "../CarrierCallbacks.ts"
import type { Words } from "../CarrierCalls.ts"
import { CarrierSettings } from "../rest/CarrierSettings.ts"
import * as ReportIntake from "../rest/ReportIntake.ts"
import { Twilio } from "./Twilio.ts"
import { momentOf } from "./TwilioApi.ts"
import { isSigned } from "./TwilioSignature.ts"
import { urlsOf, waitingKind } from "./TwilioUrls.ts"
import * as Twiml from "./Twiml.ts"

/** Characters of one utterance. */
const longestText = 10_000

const decodeStatus = Schema.decodeUnknownOption(CarrierStatus)

/** Null for an unknown status. A report on a machine has no status and is read as `queued`, which changes nothing. */
const reportIn = (form: URLSearchParams): CarrierReport | null => {
  const status = Option.getOrNull(decodeStatus(form.get("CallStatus") ?? (form.has("AnsweredBy") ? "queued" : null)))
  if (status === null) return null
  const seconds = wholeIn(form, "CallDuration")
  const at = momentOf(form.get("Timestamp"))
  return {
    status,
    sequence: wholeIn(form, "SequenceNumber") ?? -1,
    answered_at: status === "in-progress" ? at : null,
    duration_seconds: seconds,
    sip_code: wholeIn(form, "SipResponseCode"),
  }
}

/** Returns Twilio's id of a call or an account; null for any other text. */
const sidIn = (form: URLSearchParams, name: string): string | null => {
  const text = form.get(name) ?? ""
  return /^[A-Z]{2}[0-9a-zA-Z]{1,62}$/.test(text) ? text : null
}

/** A whole number that fits into an `integer` of PostgreSQL; null for any other text. */
const wholeIn = (form: URLSearchParams, name: string): number | null => {
  const text = form.get(name) ?? ""
  return /^\d{1,9}$/.test(text) ? Number(text) : null
}

/**
 * Returns the function that takes a request: it stores the report, and returns the next instructions if Twilio asks
 * for them.
 */
export const make = Effect.gen(function* () {
  const intake = yield* ReportIntake.make((yield* Twilio).close)
  const { public_url } = yield* CarrierSettings

  const take = Effect.fnUntraced(function* (account: AccountSlug, request: CarrierRequest) {
    const { call, form, language, mark, signature, urls } = request
    const at = { carrier: "twilio", setting: "account_sid", value: sidIn(form, "AccountSid") ?? "" } as const
    const { number, row } = yield* intake.verify(account, call, at, ({ carrier_config }) => {
      const token = credentialsOf(carrier_config)?.auth_token
      const full = urls.map((url) => `${public_url}${url}`)
      return public_url !== null && token !== undefined && isSigned(token, full, form, signature)
    })
    const sid = sidIn(form, "CallSid")
    const report = reportIn(form)
    if (row === null || sid === null || report === null) {
      yield* Effect.logWarning("Twilio report has an unknown call or an unknown status")
      return null
    }
    const words = wordsIn(request, yield* Clock.currentTimeMillis)
    const news = { sid, report, ...(words === undefined ? {} : { words }) }
    yield* intake.keep(account, CallId.make(call), { row, number }, news)
    if (mark === null || public_url === null) return null
    if (mark.startsWith(waitingKind)) return Twiml.wait
    return Twiml.listen(urlsOf(public_url, account, call, language).talk(after(mark)), language)
  })

  const twilio: CarrierCallbacks["Service"]["twilio"] = Effect.fn("CarrierCallbacks.twilio")(
    (request) => intake.answer(request.account, (account) => take(account, request)),
    (answered, { account, call }) => Effect.annotateLogs(answered, { account, call }),
  )
  return twilio
})

/** Returns the words heard at the request's mark; undefined if there is nothing to store. */
const wordsIn = ({ form, mark }: CarrierRequest, at: number): Words | undefined => {
  if (mark === null) return undefined
  const said = form.get("AnsweredBy") ?? form.get("DialCallStatus") ?? form.get("SpeechResult") ?? ""
  const text = said.slice(0, longestText)
  // Twilio heard nothing while it listened, so there is nothing to store.
  return text === "" && mark.includes(".") ? undefined : { mark, text: text.replaceAll("\0", ""), at }
}

/**
 * Makes the mark under which Twilio listens next. Each utterance has its own mark, so that repeated reports count once.
 */
const after = (mark: string): string => {
  const [position = "", times = "0"] = mark.split(".")
  return `${position}.${Number(times) + 1}`
}
