/**
 * Incoming calls over Telnyx: a webhook announces each call, and a command answers or rejects it. From then on Parley
 * treats it like a call that it dialled, and ends it at Telnyx whichever side hangs up.
 */
import { Clock, Context, Effect, Layer, Option, type Schema, type Scope } from "effect"
import { reportOf } from "../../domain/CarrierReport.ts"
import { type TelnyxCredentials, telnyxCredentialsOf } from "../../domain/TelnyxConfig.ts"
import { canTalk, lineSpeech } from "../../speech/LineSpeech.ts"
import { CarrierFeeds } from "../CarrierFeeds.ts"
import { MediaClock } from "../MediaClock.ts"
import * as CallClosing from "../rest/CallClosing.ts"
import * as CallOrder from "../rest/CallOrder.ts"
import { CarrierSettings } from "../rest/CarrierSettings.ts"
import { CallStreams } from "../stream/CallStreams.ts"
import { type DialRequest, type Line, refuseAsCarrierError, type Refused, type UnconfirmedCall } from "../Telephony.ts"
import { noSpeech, noPublicUrl } from "./Telnyx.ts"
import { TelnyxApi } from "./TelnyxApi.ts"
import * as TelnyxCalls from "./TelnyxCalls.ts"
import * as TelnyxLine from "./TelnyxLine.ts"
import { streamsWithinMs } from "./TelnyxLine.ts"
import { admits, dialect, streamingOf } from "./TelnyxStreaming.ts"
import { stateOf, type TelnyxUrls, urlsOf } from "./TelnyxUrls.ts"

/** How often Telnyx is asked about the call, because webhooks can be lost. */
const askEvery = "15 seconds"

export class TelnyxArrivals extends Context.Service<
  TelnyxArrivals,
  {
    /** Why no call can be answered; null if one can. */
    readonly obstacle: string | null
    /** Answers Telnyx's call `sid`. Closing the scope hangs up. */
    readonly answer: (request: DialRequest, sid: string) => Effect.Effect<Line, Refused, Scope.Scope>
    /** The caller gets the busy signal. */
    readonly reject: (carrier_config: Schema.JsonObject, sid: string) => Effect.Effect<void>
  }
>()("telephony/telnyx/TelnyxArrivals") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const api = yield* TelnyxApi
      const clock = yield* MediaClock
      const feeds = yield* CarrierFeeds
      const { public_url, stream_url } = yield* CarrierSettings
      const streams = yield* CallStreams
      const speech = yield* lineSpeech
      const carrier = TelnyxCalls.make(api)
      const closing = CallClosing.make({ carrier, feeds })
      const { hangUp, keepReport, lookUp } = CallOrder.make({ carrier, feeds, closing })

      const answer = Effect.fn("TelnyxArrivals.answer")(function* (request: DialRequest, sid: string) {
        const { account, call_id, carrier_config } = request
        const credentials = telnyxCredentialsOf(carrier_config)
        const calls = carrier.callsOf(carrier_config)
        if (credentials === null || calls === null)
          return yield* refuseAsCarrierError("the number has no credentials any more")
        if (public_url === null || stream_url === null) return yield* refuseAsCarrierError(noPublicUrl)
        if (Option.isNone(speech) || !canTalk(speech.value, request.model)) return yield* refuseAsCarrierError(noSpeech)
        const scope = yield* Effect.scope
        const feed = yield* feeds.follow(account, call_id)
        const urls = urlsOf(public_url, stream_url, account, call_id)
        const expected = yield* streams.expect({ account, call_id, admits, dialect })
        const started_at = new Date(yield* Clock.currentTimeMillis)
        const unconfirmed: UnconfirmedCall = { ...request, started_at }
        // Telnyx announced one call to two processes at once, or the account's database is unreachable.
        if ((yield* keepReport(request, sid, reportOf("ringing"))) === null)
          return yield* refuseAsCarrierError("not stored")
        yield* Effect.addFinalizer(() => hangUp(request, calls, unconfirmed))
        const token = expected.issueToken(streamsWithinMs * 2)
        yield* orderAnswer(api, credentials, sid, answerOf(call_id, urls, token))
        const answered_at = new Date(yield* Clock.currentTimeMillis)
        yield* keepReport(request, sid, reportOf("in-progress", { answered_at }))
        const ask = lookUp(request, calls, sid)
        yield* ask.pipe(Effect.delay(askEvery), Effect.forever, Effect.forkIn(scope))
        return yield* TelnyxLine.make({
          request,
          own_number: request.to,
          api,
          credentials,
          sid,
          feed,
          urls,
          expected,
          equipment: { ...speech.value, clock },
          heard_until: null,
        })
      })

      return {
        answer,
        obstacle: Option.isNone(speech) ? noSpeech : null,
        reject: (carrier_config, sid) => reject(api, carrier_config, sid),
      }
    }),
  )
}

const answerOf = (call_id: string, urls: TelnyxUrls, token: string): Schema.JsonObject => ({
  ...streamingOf(urls.stream, token),
  command_id: call_id,
  client_state: stateOf(call_id),
  webhook_url: urls.events,
  webhook_url_method: "POST",
})

const reject = (api: TelnyxApi["Service"], carrier_config: Schema.JsonObject, sid: string) => {
  const credentials = telnyxCredentialsOf(carrier_config)
  return credentials === null
    ? Effect.void
    : Effect.ignore(api.command(credentials, sid, "reject", { cause: "USER_BUSY" }))
}

/** Orders Telnyx to answer the call. If the reply is lost, the media stream shows whether Telnyx answered. */
const orderAnswer = (api: TelnyxApi["Service"], credentials: TelnyxCredentials, sid: string, body: Schema.JsonObject) =>
  api
    .command(credentials, sid, "answer", body)
    .pipe(
      Effect.catch((failed) =>
        failed._tag === "CarrierSilent" && failed.sent
          ? Effect.logWarning("the reply to the order to answer a call was lost", failed)
          : Effect.andThen(
              Effect.logWarning("Telnyx did not answer a call", failed),
              refuseAsCarrierError(failed.message),
            ),
      ),
    )
