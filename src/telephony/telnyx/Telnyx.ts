/** Telnyx as a carrier: a call is ordered once, followed by its webhooks, and hung up when its scope closes. */
import { Clock, Context, Effect, Layer, Option, type Schema } from "effect"
import { wasAnsweredBy } from "../../domain/CarrierReport.ts"
import { type TelnyxCredentials, telnyxCredentialsOf } from "../../domain/TelnyxConfig.ts"
import { canTalk, lineSpeech } from "../../speech/LineSpeech.ts"
import { CarrierFeeds } from "../CarrierFeeds.ts"
import { MediaClock } from "../MediaClock.ts"
import * as CallClosing from "../rest/CallClosing.ts"
import { heldBackSeconds, ringLimitSeconds, timeLimitOver } from "../rest/CallClosing.ts"
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
import { TelnyxApi } from "./TelnyxApi.ts"
import * as TelnyxCalls from "./TelnyxCalls.ts"
import { foundOf } from "./TelnyxCalls.ts"
import * as TelnyxLine from "./TelnyxLine.ts"
import { streamsWithinMs } from "./TelnyxLine.ts"
import * as TelnyxRejoin from "./TelnyxRejoin.ts"
import { admits, dialect, streamingOf } from "./TelnyxStreaming.ts"
import { stateOf, type TelnyxUrls, urlsOf } from "./TelnyxUrls.ts"

/** How long the token of the first stream is valid, in milliseconds: as long as a call may take to open that stream. */
const tokenMs = (ringLimitSeconds + heldBackSeconds + 15) * 1_000 + streamsWithinMs
/** The longest call that Telnyx allows, in seconds. */
const longestCall = 14_400

export class Telnyx extends Context.Service<
  Telnyx,
  {
    /** Why no call can be placed; null if one can. */
    readonly obstacle: string | null
    readonly dial: Dial
    readonly rejoin: Telephony["Service"]["rejoin"]
    readonly close: (unconfirmed: UnconfirmedCall) => Effect.Effect<FinalReport>
  }
>()("telephony/telnyx/Telnyx") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const api = yield* TelnyxApi
      const feeds = yield* CarrierFeeds
      const { public_url, stream_url } = yield* CarrierSettings
      const streams = yield* CallStreams
      const clock = yield* MediaClock
      const speech = yield* lineSpeech
      const carrier = TelnyxCalls.make(api)
      const closing = CallClosing.make({ carrier, feeds })
      const order = CallOrder.make({ carrier, feeds, closing })
      const { lookUp, place } = order
      const find = LiveCall.make({ carrier, feeds, order })
      const rejoin = TelnyxRejoin.make({
        api,
        clock,
        find,
        public_url,
        speech: Option.getOrNull(speech),
        streams,
        stream_url,
      })

      const dial: Dial = Effect.fn("Telephony.dial")(function* (request, ringing) {
        const { account, call_id, carrier_config } = request
        const credentials = telnyxCredentialsOf(carrier_config)
        const calls = carrier.callsOf(carrier_config)
        if (public_url === null || stream_url === null) return yield* refuseAsCarrierError(noPublicUrl)
        if (Option.isNone(speech) || !canTalk(speech.value, request.model)) return yield* refuseAsCarrierError(noSpeech)
        if (credentials === null || calls === null) return yield* refuseAsCarrierError(noCredentials)
        const feed = yield* feeds.follow(account, call_id)
        const urls = urlsOf(public_url, stream_url, account, call_id)
        const expected = yield* streams.expect({ account, call_id, admits, dialect })
        const unconfirmed: UnconfirmedCall = { ...request, started_at: new Date(yield* Clock.currentTimeMillis) }
        const call = orderOf(request, credentials, urls, expected.issueToken(tokenMs))
        const create = Effect.flatMap(api.dial(credentials, call), foundOf)
        const { sid } = yield* place(request, { calls, unconfirmed, create })
        const ask = lookUp(request, calls, sid)
        const close = closing.close(unconfirmed)
        // A stream proves no answer: Telnyx may open it while the phone rings.
        yield* awaitAnswer({ feed, ringing, joined: Effect.never, isAnswered: wasAnsweredBy, ask, close })
        return yield* TelnyxLine.make({
          request,
          own_number: request.from,
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

      const obstacle = public_url === null ? noPublicUrl : Option.isNone(speech) ? noSpeech : null
      return { obstacle, dial, rejoin, close: closing.close }
    }),
  )
}

export const noPublicUrl =
  "Telnyx could not reach this installation: set PARLEY_PUBLIC_URL to the https URL under which it is found from outside"
export const noSpeech =
  "calls over Telnyx need a recogniser and a voice, or a voice model: configure speech providers (docs/settings.md)"
const noCredentials = "the number's carrier_config has no api_key, connection_id and public_key"

const orderOf = (
  request: DialRequest,
  { connection_id }: TelnyxCredentials,
  urls: TelnyxUrls,
  token: string,
): Schema.JsonObject => ({
  connection_id,
  to: request.to,
  from: request.from,
  // Telnyx ignores a second order with the same id. Parley sends only one in any case.
  command_id: request.call_id,
  client_state: stateOf(request.call_id),
  webhook_url: urls.events,
  webhook_url_method: "POST",
  timeout_secs: ringLimitSeconds,
  // Telnyx keeps this limit even if this process dies.
  time_limit_secs: Math.min(request.max_call_seconds + timeLimitOver, longestCall),
  ...streamingOf(urls.stream, token),
  // The detection runs beside the talk. Telnyx charges for it, so it is ordered only if the agent wants to leave a
  // message.
  ...(request.wants_beep ? { answering_machine_detection: "detect_beep" } : {}),
})
