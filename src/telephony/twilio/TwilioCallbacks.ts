/**
 * Twilio's requests. A report is in the account's database before it is answered, since any process may receive it. A
 * request that is not signed with the token of the call's own account changes nothing.
 */
import { Clock, Effect, FiberMap, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as PhoneNumbers from "../../catalog/PhoneNumbers.ts"
import { AccountNotFound, AccountSlug } from "../../domain/Account.ts"
import { longestCallSeconds } from "../../domain/Agent.ts"
import { CallId } from "../../domain/Call.ts"
import { type CarrierReport, CarrierStatus, isTerminal } from "../../domain/CarrierReport.ts"
import { isUuid } from "../../domain/Name.ts"
import { credentialsOf } from "../../domain/TwilioConfig.ts"
import * as Rows from "../../tenancy/Rows.ts"
import { CarrierCallbacks, type CarrierRequest, NotKept, SignatureWrong } from "../CarrierCallbacks.ts"
import type { Words } from "../CarrierCalls.ts"
import { CarrierFeeds } from "../CarrierFeeds.ts"
import type { UnconfirmedCall } from "../Telephony.ts"
import { Twilio } from "./Twilio.ts"
import { momentOf } from "./TwilioApi.ts"
import { TwilioSettings } from "./TwilioSettings.ts"
import { isSigned } from "./TwilioSignature.ts"
import { urlsOf, waitingKind } from "./TwilioUrls.ts"
import * as Twiml from "./Twiml.ts"

/** How many numbers of one Twilio account have their tokens tried for an unknown call. */
const tokensTried = 10
/** Characters of one utterance. */
const longestText = 10_000

const CallRow = Schema.Struct({
  phone_number_id: Schema.NullOr(Schema.String),
  to_number: Schema.NullOr(Schema.String),
  from_number: Schema.NullOr(Schema.String),
  started_at: Schema.Date,
  ended_at: Schema.NullOr(Schema.Date),
})
type CallRow = typeof CallRow.Type

const callRow = Effect.fnUntraced(function* (id: string) {
  if (!isUuid(id)) return null
  const sql = yield* SqlClient.SqlClient
  const found = yield* Rows.first(CallRow)(sql`
    select phone_number_id::text, to_number, from_number, started_at, ended_at from calls where id = ${id}`)
  return found ?? null
}, Effect.orDie)

/** Numbers over this Twilio account, the call's own first. */
const numbersOf = Effect.fnUntraced(function* (account_sid: string, own: string | null) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: string }>`
    select id::text from phone_numbers
    where carrier = 'twilio' and carrier_config ->> 'account_sid' = ${account_sid}
    order by id is distinct from ${own}::uuid, created_at limit ${tokensTried}`
  return yield* Effect.forEach(rows, ({ id }) => PhoneNumbers.findForCarrier(id))
}, Effect.orDie)

const decodeSlug = Schema.decodeUnknownOption(AccountSlug)
const decodeStatus = Schema.decodeUnknownOption(CarrierStatus)

/** Null for a word that Twilio does not use. A report on a machine has no status and is read as an unknown one. */
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

/** Twilio's name of something. */
const sidIn = (form: URLSearchParams, name: string): string | null => {
  const text = form.get(name) ?? ""
  return /^[A-Z]{2}[0-9a-zA-Z]{1,62}$/.test(text) ? text : null
}

/** Of what fits an `integer`. */
const wholeIn = (form: URLSearchParams, name: string): number | null => {
  const text = form.get(name) ?? ""
  return /^\d{1,9}$/.test(text) ? Number(text) : null
}

export const layer = Layer.effect(
  CarrierCallbacks,
  Effect.gen(function* () {
    const feeds = yield* CarrierFeeds
    const carrier = yield* Twilio
    const { public_url } = yield* TwilioSettings
    const strays = yield* FiberMap.make<string>()

    /** Ends a live call that no process conducts: a process ordered it after others had declared it dead. */
    const endStray = (account: AccountSlug, id: CallId, call: CallRow, number: PhoneNumbers.PhoneNumberRow) =>
      Effect.logWarning("call that was given up is live at its carrier; ending it").pipe(
        Effect.andThen(carrier.close(unconfirmedCallFrom(account, id, call, number))),
        Effect.annotateLogs({ account, call: id }),
      )

    /** The call and its number, when the request is signed with the token of that number's account. */
    const verify = Effect.fnUntraced(function* (account: AccountSlug, { call, form, signature, urls }: CarrierRequest) {
      const { numbers, row } = yield* Effect.gen(function* () {
        const row = yield* callRow(call)
        return { row, numbers: yield* numbersOf(sidIn(form, "AccountSid") ?? "", row?.phone_number_id ?? null) }
      }).pipe(feeds.within(account))
      const number = numbers.find(({ carrier_config }) => {
        const token = credentialsOf(carrier_config)?.auth_token
        const full = urls.map((url) => `${public_url}${url}`)
        return token !== undefined && isSigned(token, full, form, signature)
      })
      return number === undefined ? null : { row, number }
    })

    const keep = Effect.fnUntraced(function* (
      account: AccountSlug,
      request: CarrierRequest,
    ): Effect.fn.Return<string | null, unknown> {
      const { call, form, language, mark } = request
      const known = yield* verify(account, request)
      if (known === null) return yield* new SignatureWrong()
      const sid = sidIn(form, "CallSid")
      const report = reportIn(form)
      if (known.row === null || sid === null || report === null) {
        yield* Effect.logWarning("Twilio report has an unknown call or an unknown status")
        return null
      }
      const id = CallId.make(call)
      const words = wordsIn(request, yield* Clock.currentTimeMillis)
      const told = yield* feeds.tell(account, id, { sid, report, ...(words === undefined ? {} : { words }) })
      if (told === null) yield* Effect.logError("carrier has two calls for one of ours")
      else if (known.row.ended_at !== null && !isTerminal(told.status)) {
        const end = endStray(account, id, known.row, known.number)
        yield* FiberMap.run(strays, call, end, { onlyIfMissing: true })
      }
      if (mark === null || public_url === null) return null
      if (mark.startsWith(waitingKind)) return Twiml.wait
      return Twiml.listen(urlsOf(public_url, account, call, language).talk(after(mark)), language)
    })

    const twilio = Effect.fn("CarrierCallbacks.twilio")(
      function* (request: CarrierRequest): Effect.fn.Return<string | null, SignatureWrong | NotKept> {
        const account = Option.getOrNull(decodeSlug(request.account))
        if (account === null || public_url === null) return yield* new SignatureWrong()
        return yield* keep(account, request).pipe(
          Effect.catchDefect((defect) => Effect.fail(defect)),
          Effect.catch(refuse),
        )
      },
      (answered, { account, call }) => Effect.annotateLogs(answered, { account, call }),
    )

    return { twilio }
  }),
)

/** What was heard at the mark of the request; none if it has no mark. */
const wordsIn = ({ form, mark }: CarrierRequest, at: number): Words | undefined => {
  if (mark === null) return undefined
  const said = form.get("AnsweredBy") ?? form.get("DialCallStatus") ?? form.get("SpeechResult") ?? ""
  const text = said.slice(0, longestText)
  // Hearing nothing while listening is no news.
  return text === "" && mark.includes(".") ? undefined : { mark, text: text.replaceAll("\0", ""), at }
}

const unconfirmedCallFrom = (
  account: AccountSlug,
  id: CallId,
  call: CallRow,
  number: PhoneNumbers.PhoneNumberRow,
): UnconfirmedCall => ({
  account,
  call_id: id,
  carrier: number.carrier,
  carrier_config: number.carrier_config,
  to: call.to_number ?? "",
  from: call.from_number ?? number.number,
  max_call_seconds: longestCallSeconds,
  started_at: call.started_at,
})

/** A report that was not stored is answered so that Twilio sends it again. */
const refuse = (cause: unknown): Effect.Effect<never, SignatureWrong | NotKept> => {
  if (cause instanceof SignatureWrong) return Effect.fail(cause)
  if (cause instanceof AccountNotFound) return Effect.fail(new SignatureWrong())
  const kept = Effect.logWarning("storing a carrier report failed", cause)
  return Effect.andThen(kept, Effect.fail(new NotKept()))
}

/** Listening goes on under a new mark each time, so that each utterance counts once however often it is reported. */
const after = (mark: string): string => {
  const [of = "", times = "0"] = mark.split(".")
  return `${of}.${Number(times) + 1}`
}
