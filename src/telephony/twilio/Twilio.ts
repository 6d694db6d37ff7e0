/** Twilio as a carrier: a call is ordered once, followed by its reports, and hung up when its scope closes. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { wasAnsweredBy } from "../../domain/CarrierReport.ts"
import { credentialsOf } from "../../domain/TwilioConfig.ts"
import { lineSpeech } from "../../speech/LineSpeech.ts"
import type { CarrierCall } from "../CarrierCalls.ts"
import { CarrierFeeds } from "../CarrierFeeds.ts"
import { MediaClock } from "../MediaClock.ts"
import * as CallClosing from "../rest/CallClosing.ts"
import { ringLimitSeconds, timeLimitOver } from "../rest/CallClosing.ts"
import * as CallOrder from "../rest/CallOrder.ts"
import * as LiveCall from "../rest/LiveCall.ts"
import { CarrierSettings } from "../rest/CarrierSettings.ts"
import { awaitAnswer } from "../rest/OrderedCall.ts"
import { CallStreams } from "../stream/CallStreams.ts"
import {
  type Dial,
  type DialRequest,
  type FinalReport,
  refuseAsCarrierError,
  type Telephony,
  type UnconfirmedCall,
} from "../Telephony.ts"
import { TwilioApi } from "./TwilioApi.ts"
import * as TwilioCalls from "./TwilioCalls.ts"
import { foundOf } from "./TwilioCalls.ts"
import { atTheAnswer } from "./TwilioInstructions.ts"
import * as TwilioRejoin from "./TwilioRejoin.ts"
import * as TwilioTalk from "./TwilioTalk.ts"
import { machineMark, type TwilioUrls, urlsOf } from "./TwilioUrls.ts"
import * as Twiml from "./Twiml.ts"

export class Twilio extends Context.Service<
  Twilio,
  {
    /** Why no call can be placed; null if one can. */
    readonly obstacle: string | null
    readonly dial: Dial
    readonly rejoin: Telephony["Service"]["rejoin"]
    readonly close: (unconfirmed: UnconfirmedCall) => Effect.Effect<FinalReport>
  }
>()("telephony/twilio/Twilio") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const api = yield* TwilioApi
      const feeds = yield* CarrierFeeds
      const { public_url, stream_url } = yield* CarrierSettings
      const streams = yield* CallStreams
      const clock = yield* MediaClock
      const speech = yield* lineSpeech
      const equipment = Option.map(speech, (speech) => ({ ...speech, clock }))
      const carrier = TwilioCalls.make({ api, feeds })
      const closing = CallClosing.make({ carrier, feeds })
      const order = CallOrder.make({ carrier, feeds, closing })
      const { lookUp, place } = order
      const find = LiveCall.make({ carrier, feeds, order })
      const rejoin = TwilioRejoin.make({ api, equipment, find, public_url, streams, stream_url })

      const dial: Dial = Effect.fn("Telephony.dial")(function* (request, ringing) {
        const { account, call_id, carrier_config } = request
        const credentials = credentialsOf(carrier_config)
        const calls = carrier.callsOf(carrier_config)
        if (public_url === null) return yield* refuseAsCarrierError(noPublicUrl)
        if (credentials === null || calls === null) return yield* refuseAsCarrierError(noCredentials)
        const feed = yield* feeds.follow(account, call_id)
        const locale = Twiml.localeOf(request.language)
        const urls = urlsOf(public_url, account, call_id, locale)
        const talk = yield* TwilioTalk.prepare(
          { equipment, streams, stream_url },
          { request, credentials, urls, locale, beginning: atTheAnswer },
        )
        const unconfirmed: UnconfirmedCall = { ...request, started_at: new Date(yield* Clock.currentTimeMillis) }
        const create = Effect.map(api.create(credentials, orderOf(request, urls, talk.twiml)), foundOf)
        const { sid } = yield* place(request, { calls, unconfirmed, create })
        const ask = lookUp(request, calls, sid)
        const { joined } = talk
        const close = closing.close(unconfirmed)
        yield* awaitAnswer({ feed, ringing, joined, isAnswered: isTakenUp, ask, close })
        return yield* talk.open({ request, api, credentials, sid, feed, urls, lookUp: ask, beginning: atTheAnswer })
      })

      return { obstacle: public_url === null ? noPublicUrl : null, dial, rejoin, close: closing.close }
    }),
  )
}

const noPublicUrl =
  "Twilio could not reach this installation: set PARLEY_PUBLIC_URL to the https URL under which it is found from outside"

const noCredentials = "the number's carrier_config has no account_sid and auth_token"

/** Words that Twilio heard also prove an answer. The report of the answer may be lost. */
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
    // Twilio keeps this limit even if this process dies.
    ["TimeLimit", String(request.max_call_seconds + timeLimitOver)],
    // Asynchronous, so that the talk does not wait for the detection. Twilio charges for it, so it is ordered only
    // where needed.
    ...(request.wants_beep
      ? [
          ["MachineDetection", "DetectMessageEnd"],
          ["AsyncAmd", "true"],
          ["AsyncAmdStatusCallback", urls.talk(machineMark)],
        ]
      : []),
  ])
