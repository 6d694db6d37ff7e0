/** Twilio as a carrier: a call is ordered once, followed by its reports, and hung up when its scope closes. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { type CarrierReport, hasRung, isTerminal, outcomeOf, wasAnsweredBy } from "../../domain/CarrierReport.ts"
import { credentialsOf } from "../../domain/TwilioConfig.ts"
import { lineSpeech } from "../../speech/LineSpeech.ts"
import type { CarrierCall } from "../CarrierCalls.ts"
import { CarrierFeeds } from "../CarrierFeeds.ts"
import { MediaClock } from "../MediaClock.ts"
import { type Dial, type DialRequest, type FinalReport, type UnconfirmedCall, Refused } from "../Telephony.ts"
import { reportOf, TwilioApi } from "./TwilioApi.ts"
import * as TwilioClosing from "./TwilioClosing.ts"
import { heldBackSeconds, ringLimitSeconds, timeLimitOver } from "./TwilioClosing.ts"
import { until } from "./TwilioInstructions.ts"
import * as TwilioOrder from "./TwilioOrder.ts"
import { TwilioSettings } from "./TwilioSettings.ts"
import { TwilioStreams } from "./TwilioStreams.ts"
import * as TwilioTalk from "./TwilioTalk.ts"
import { machineMark, type TwilioUrls, urlsOf } from "./TwilioUrls.ts"
import * as Twiml from "./Twiml.ts"

/** Milliseconds. Reports can be lost: after this long without one the carrier is asked. */
const quietMs = { ringing: 8_000, talking: 30_000 }

export class Twilio extends Context.Service<
  Twilio,
  {
    /** Null: it can be dialled over. */
    readonly obstacle: string | null
    readonly dial: Dial
    readonly close: (unconfirmed: UnconfirmedCall) => Effect.Effect<FinalReport>
  }
>()("telephony/twilio/Twilio") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const api = yield* TwilioApi
      const feeds = yield* CarrierFeeds
      const { public_url, stream_url } = yield* TwilioSettings
      const streams = yield* TwilioStreams
      const clock = yield* MediaClock
      const speech = yield* lineSpeech
      const equipment = Option.map(speech, (speech) => ({ ...speech, clock }))
      const closing = TwilioClosing.make({ api, feeds })
      const { keepReport, place } = TwilioOrder.make({ api, feeds, closing })

      const dial: Dial = Effect.fn("Telephony.dial")(function* (request, ringing) {
        const { account, call_id, carrier_config } = request
        const of = credentialsOf(carrier_config)
        if (public_url === null) return yield* refusal(unreachable)
        if (of === null) return yield* refusal("the number's carrier_config has no account_sid and auth_token")
        const scope = yield* Effect.scope
        const feed = yield* feeds.follow(account, call_id)
        const locale = Twiml.localeOf(request.language)
        const urls = urlsOf(public_url, account, call_id, locale)
        const talk = yield* TwilioTalk.prepare({ equipment, streams, stream_url }, { request, of, urls, locale })
        const unconfirmed: UnconfirmedCall = { ...request, started_at: new Date(yield* Clock.currentTimeMillis) }
        const { sid } = yield* place(request, of, unconfirmed, orderOf(request, urls, talk.twiml))
        const keepLookup = (report: CarrierReport) => Effect.asVoid(keepReport(request, sid, report))
        const ask = Effect.ignore(Effect.flatMap(api.find(of, sid), (resource) => keepLookup(reportOf(resource))))
        const ordered = yield* Clock.currentTimeMillis
        let rang = false
        while (true) {
          const news = yield* Effect.raceFirst(
            Effect.as(talk.joined, "joined" as const),
            until(feed, quietMs.ringing, (row) =>
              (hasRung(row) && !rang) || isTakenUp(row) || isTerminal(row.status) ? row : undefined,
            ).pipe(Effect.map(Option.getOrNull)),
          )
          if (news === null) {
            // Twilio queues calls beyond an account's pace for up to a day: such a call would ring when it is no longer
            // wanted.
            if ((yield* Clock.currentTimeMillis) - ordered > (ringLimitSeconds + heldBackSeconds) * 1_000) {
              const { outcome } = yield* closing.close(unconfirmed)
              return yield* Effect.fail(new Refused({ outcome, detail: "held back by the carrier" }))
            }
            yield* ask
            continue
          }
          if (!rang && (news === "joined" || !isTerminal(news.status))) yield* ringing
          rang = true
          if (news === "joined" || isTakenUp(news)) {
            yield* ask.pipe(Effect.delay(quietMs.talking), Effect.forever, Effect.forkIn(scope))
            return yield* talk.open({ request, api, of, sid, feed, urls, keepLookup })
          }
          const outcome = outcomeOf(news)
          if (outcome !== null)
            return yield* Effect.fail(new Refused({ outcome, detail: `${news.status} ${news.sip_code ?? ""}` }))
        }
      })

      return { obstacle: public_url === null ? unreachable : null, dial, close: closing.close }
    }),
  )
}

const unreachable =
  "Twilio could not reach this installation: set PARLEY_PUBLIC_URL to the https URL under which it is found from outside"

const refusal = (detail: string) => Effect.fail(new Refused({ outcome: "carrier_error", detail }))

/** Heard words prove an answer as well as a report of it, which may be lost. */
const isTakenUp = (row: CarrierCall) => wasAnsweredBy(row) || row.words.length > 0

const orderOf = (request: DialRequest, urls: TwilioUrls, twiml: string): URLSearchParams =>
  new URLSearchParams([
    ["To", request.to],
    ["From", request.from],
    ["Twiml", twiml],
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
