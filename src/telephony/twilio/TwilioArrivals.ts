/**
 * Incoming calls over Twilio: Twilio asks what to do with a ringing call, and the first instructions answer it. From
 * then on Parley treats it like a call that it dialled, and ends it at Twilio whichever side hangs up.
 */
import { Clock, Context, Effect, Layer, Option, type Scope } from "effect"
import { reportOf } from "../../domain/CarrierReport.ts"
import { credentialsOf } from "../../domain/TwilioConfig.ts"
import { lineSpeech } from "../../speech/LineSpeech.ts"
import { CarrierFeeds } from "../CarrierFeeds.ts"
import { MediaClock } from "../MediaClock.ts"
import * as CallClosing from "../rest/CallClosing.ts"
import * as CallOrder from "../rest/CallOrder.ts"
import { CarrierSettings } from "../rest/CarrierSettings.ts"
import { CallStreams } from "../stream/CallStreams.ts"
import { type DialRequest, type Line, refuseAsCarrierError, type Refused, type UnconfirmedCall } from "../Telephony.ts"
import { TwilioApi } from "./TwilioApi.ts"
import * as TwilioCalls from "./TwilioCalls.ts"
import { isSigned } from "./TwilioSignature.ts"
import { atTheAnswer } from "./TwilioInstructions.ts"
import * as TwilioTalk from "./TwilioTalk.ts"
import { urlsOf } from "./TwilioUrls.ts"
import * as Twiml from "./Twiml.ts"

/** How often Twilio is asked about the call: reports can be lost, and a number may be configured to send none. */
const askEvery = "15 seconds"

/** A request of Twilio's, with its signature and the URLs that Twilio may have signed. */
export interface SignedRequest {
  readonly urls: ReadonlyArray<string>
  readonly form: URLSearchParams
  readonly signature: string
}

export class TwilioArrivals extends Context.Service<
  TwilioArrivals,
  {
    readonly isFromTwilio: (auth_token: string, request: SignedRequest) => boolean
    /** Answers Twilio's call `sid` by the instructions that `instruct` gets. Closing the scope hangs up. */
    readonly answer: (
      request: DialRequest,
      sid: string,
      instruct: (twiml: string) => void,
    ) => Effect.Effect<Line, Refused, Scope.Scope>
  }
>()("telephony/twilio/TwilioArrivals") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const api = yield* TwilioApi
      const clock = yield* MediaClock
      const feeds = yield* CarrierFeeds
      const { public_url, stream_url } = yield* CarrierSettings
      const streams = yield* CallStreams
      const speech = yield* lineSpeech
      const equipment = Option.map(speech, (speech) => ({ ...speech, clock }))
      const carrier = TwilioCalls.make({ api, feeds })
      const closing = CallClosing.make({ carrier, feeds })
      const { hangUp, keepReport, lookUp } = CallOrder.make({ carrier, feeds, closing })

      return {
        isFromTwilio: (auth_token, { form, signature, urls }) =>
          isSigned(
            auth_token,
            urls.map((url) => `${public_url}${url}`),
            form,
            signature,
          ),
        answer: Effect.fn("TwilioArrivals.answer")(function* (request, sid, instruct) {
          const credentials = credentialsOf(request.carrier_config)
          const calls = carrier.callsOf(request.carrier_config)
          if (credentials === null || calls === null || public_url === null)
            return yield* refuseAsCarrierError("the number has no credentials any more")
          const { account, call_id } = request
          const scope = yield* Effect.scope
          const feed = yield* feeds.follow(account, call_id)
          const locale = Twiml.localeOf(request.language)
          const urls = urlsOf(public_url, account, call_id, locale)
          const talk = yield* TwilioTalk.prepare(
            { equipment, streams, stream_url },
            { request, credentials, urls, locale, beginning: atTheAnswer },
          )
          const started_at = new Date(yield* Clock.currentTimeMillis)
          const unconfirmed: UnconfirmedCall = { ...request, started_at }
          // Twilio asked twice about one call, or the account's database is unreachable.
          if ((yield* keepReport(request, sid, reportOf("in-progress", { answered_at: started_at }))) === null)
            return yield* refuseAsCarrierError("not stored")
          yield* Effect.addFinalizer(() => hangUp(request, calls, unconfirmed))
          instruct(talk.twiml)
          const ask = lookUp(request, calls, sid)
          yield* ask.pipe(Effect.delay(askEvery), Effect.forever, Effect.forkIn(scope))
          return yield* talk.open({ request, api, credentials, sid, feed, urls, lookUp: ask, beginning: atTheAnswer })
        }),
      }
    }),
  )
}
