/** Twilio as a carrier: a call is ordered once, followed by its reports, and hung up when its scope closes. */
import { Clock, Context, Effect, Layer, Option, Result, Schedule } from "effect"
import { type CarrierReport, hasRung, isTerminal, outcomeOf, wasAnsweredBy } from "../../domain/CarrierReport.ts"
import { credentialsOf, type TwilioCredentials } from "../../domain/TwilioConfig.ts"
import type { CarrierCall } from "../CarrierCalls.ts"
import { CarrierFeeds } from "../CarrierFeeds.ts"
import { type Dial, type DialRequest, type LastWord, type Left, Refused } from "../Telephony.ts"
import { reportOf, type Resource, TwilioApi, type TwilioFailed, TwilioSilent } from "./TwilioApi.ts"
import * as TwilioClosing from "./TwilioClosing.ts"
import { heldBackSeconds, ringLimitSeconds, timeLimitOver } from "./TwilioClosing.ts"
import * as TwilioLine from "./TwilioLine.ts"
import { TwilioSettings } from "./TwilioSettings.ts"
import { machineMark, type TwilioUrls, urlsOf } from "./TwilioUrls.ts"
import * as Twiml from "./Twiml.ts"

/** Seconds. An order whose answer was lost is looked up for this long; it is never sent again. */
const lostOrderSeconds = 14
/** The most orders of one call. Twilio rejects an order with 429 when it is busy, which means that it made no call. */
const ordersAtMost = 4
/** Milliseconds. Reports can be lost: after this long without one the carrier is asked. */
const quietMs = { ringing: 8_000, talking: 30_000 }
/** How long closing the scope waits; the conductor of the call goes on with it after that (`close`). */
const hangUpLimit = "3 seconds"
/** While the account's database is away. */
const keptTrying = Schedule.exponential("100 millis").pipe(Schedule.upTo({ duration: "10 seconds" }))

/** Error codes of an order, for which no call was made because of the number that was to be called. */
const noSuchNumber = new Set([21211, 21214, 21217, 21421, 13223, 13224])

export class Twilio extends Context.Service<
  Twilio,
  {
    /** Null: it can be dialled over. */
    readonly obstacle: string | null
    readonly dial: Dial
    readonly close: (left: Left) => Effect.Effect<LastWord>
  }
>()("telephony/twilio/Twilio") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const api = yield* TwilioApi
      const feeds = yield* CarrierFeeds
      const { public_url } = yield* TwilioSettings
      const closing = TwilioClosing.make({ api, feeds })

      const keepReport = ({ account, call_id }: DialRequest, sid: string | null, report: CarrierReport) =>
        feeds.tell(account, call_id, { sid, report }).pipe(
          Effect.retry(keptTrying),
          Effect.catch((cause) => Effect.as(Effect.logWarning("storing a carrier's answer failed", cause), null)),
        )

      /** Ends the call that the order made, for a while; the conductor of the call goes on with it (`close`). */
      const endOrder = (of: TwilioCredentials, left: Left) =>
        closing.press(of, left).pipe(
          Effect.repeat({
            schedule: Schedule.spaced("500 millis"),
            until: (row) => row === null || isTerminal(row.status),
          }),
          Effect.interruptible,
          Effect.timeoutOption(hangUpLimit),
          Effect.ignore,
        )

      /**
       * Stores Twilio's answer to an order before anything else happens. After a refusal there is no call to look up.
       */
      const keepAnswer = Effect.fnUntraced(function* (
        request: DialRequest,
        created: Result.Result<Resource, TwilioFailed>,
      ): Effect.fn.Return<Resource | TwilioSilent, Refused> {
        if (Result.isSuccess(created)) {
          const { success } = created
          yield* keepReport(request, success.sid, reportOf(success))
          return success
        }
        const { failure } = created
        yield* Effect.logWarning("Twilio created no known call for an order", failure)
        if (failure._tag === "TwilioSilent" && failure.sent) return failure
        const isNoNumber = failure._tag === "TwilioRefused" && noSuchNumber.has(failure.code)
        yield* keepReport(request, null, { ...failed, sip_code: isNoNumber ? 404 : null })
        return yield* Effect.fail(
          new Refused({ outcome: isNoNumber ? "invalid_number" : "carrier_error", detail: failure.message }),
        )
      })

      /** Finds an order whose answer was lost: a report may bring the call's SID, else the carrier's list has it. */
      const lookFor = (of: TwilioCredentials, left: Left) =>
        Effect.gen(function* () {
          const known = yield* feeds.find(left.account, left.call_id)
          const sid = known?.sid ?? null
          const found = yield* sid === null ? closing.search(of, left) : api.find(of, sid)
          if (found === null) return null
          yield* feeds.tell(left.account, left.call_id, { sid: found.sid, report: reportOf(found) })
          return found
        }).pipe(
          Effect.catch((cause) => Effect.as(Effect.logWarning("looking up a lost order failed", cause), null)),
          Effect.repeat({ schedule: Schedule.spaced("1 second"), until: (found) => found !== null }),
          Effect.timeoutOption(`${lostOrderSeconds} seconds`),
          Effect.map(Option.getOrNull),
        )

      const dial: Dial = Effect.fn("Telephony.dial")(function* (request, ringing) {
        const { account, call_id, carrier_config } = request
        const of = credentialsOf(carrier_config)
        if (public_url === null) return yield* refusal(unreachable)
        if (of === null) return yield* refusal("the number's carrier_config has no account_sid and auth_token")
        const scope = yield* Effect.scope
        const feed = yield* feeds.follow(account, call_id)
        const locale = Twiml.localeOf(request.language)
        const urls = urlsOf(public_url, account, call_id, locale)
        const left: Left = { ...request, started_at: new Date(yield* Clock.currentTimeMillis) }

        let mayLive = true
        let refused = 0
        yield* Effect.addFinalizer(() => (mayLive ? endOrder(of, left) : Effect.void))
        // An answer that is on its way is waited for: without it the call would have to be searched for.
        const order = Effect.flatMap(Effect.result(api.create(of, orderOf(request, urls, locale))), (created) =>
          isTooMany(created) && ++refused < ordersAtMost ? Effect.succeed(null) : keepAnswer(request, created),
        ).pipe(Effect.withSpan("Twilio.create"), Effect.uninterruptible)
        const made = yield* Effect.andThen(request.dialling, order).pipe(
          Effect.repeat({ schedule: Schedule.spaced("1 second"), until: (made) => made !== null }),
          Effect.tapError(() => Effect.sync(() => void (mayLive = false))),
        )
        const call = made instanceof TwilioSilent ? yield* lookFor(of, left) : made
        if (call === null)
          return yield* Effect.fail(new Refused({ outcome: "unknown", detail: "the order's answer was lost" }))
        const { sid } = call

        const keepLookup = (report: CarrierReport) => Effect.asVoid(keepReport(request, sid, report))
        const ask = Effect.ignore(Effect.flatMap(api.find(of, sid), (resource) => keepLookup(reportOf(resource))))
        const ordered = yield* Clock.currentTimeMillis
        let rang = false
        while (true) {
          const row = Option.getOrNull(
            yield* TwilioLine.until(feed, quietMs.ringing, (row) =>
              (hasRung(row) && !rang) || isTakenUp(row) || isTerminal(row.status) ? row : undefined,
            ),
          )
          if (row === null) {
            // Twilio queues calls beyond an account's pace for up to a day: such a call would ring when it is no longer
            // wanted.
            if ((yield* Clock.currentTimeMillis) - ordered > (ringLimitSeconds + heldBackSeconds) * 1_000) {
              const { outcome } = yield* closing.close(left)
              return yield* Effect.fail(new Refused({ outcome, detail: "held back by the carrier" }))
            }
            yield* ask
            continue
          }
          if (!rang && !isTerminal(row.status)) yield* ringing
          rang = true
          if (isTakenUp(row)) {
            yield* ask.pipe(Effect.delay(quietMs.talking), Effect.forever, Effect.forkIn(scope))
            return yield* TwilioLine.make({ request, api, of, sid, feed, urls, locale, keepLookup })
          }
          const outcome = outcomeOf(row)
          if (outcome !== null)
            return yield* Effect.fail(new Refused({ outcome, detail: `${row.status} ${row.sip_code ?? ""}` }))
        }
      })

      return { obstacle: public_url === null ? unreachable : null, dial, close: closing.close }
    }),
  )
}

const unreachable =
  "Twilio could not reach this installation: set PARLEY_PUBLIC_URL to the https URL under which it is found from outside"

/** Twilio reports that it made no call, and why: the order may be sent again. */
const isTooMany = (created: Result.Result<Resource, TwilioFailed>) =>
  Result.isFailure(created) && created.failure._tag === "TwilioRefused" && created.failure.status === 429

const refusal = (detail: string) => Effect.fail(new Refused({ outcome: "carrier_error", detail }))

const failed: CarrierReport = {
  status: "failed",
  sequence: -1,
  answered_at: null,
  duration_seconds: null,
  sip_code: null,
}

/** Heard words prove an answer as well as a report of it, which may be lost. */
const isTakenUp = (row: CarrierCall) => wasAnsweredBy(row) || row.words.length > 0

const orderOf = (request: DialRequest, urls: TwilioUrls, locale: string): URLSearchParams =>
  new URLSearchParams([
    ["To", request.to],
    ["From", request.from],
    // Twilio listens from the answer on; the agent speaks by new instructions.
    ["Twiml", Twiml.listen(urls.talk("a.1"), locale)],
    ["StatusCallback", urls.status],
    ["StatusCallbackMethod", "POST"],
    ...["initiated", "ringing", "answered", "completed"].map((event) => ["StatusCallbackEvent", event]),
    ["Timeout", String(ringLimitSeconds)],
    // The half of the limit that survives our own death.
    ["TimeLimit", String(request.max_call_seconds + timeLimitOver)],
    // Asynchronous, so that the talk does not wait for it; Twilio charges for it.
    ...(request.wants_beep
      ? [
          ["MachineDetection", "DetectMessageEnd"],
          ["AsyncAmd", "true"],
          ["AsyncAmdStatusCallback", urls.talk(machineMark)],
        ]
      : []),
  ])
