/** Rejoins a Telnyx call that its process has left: Telnyx is ordered to open a new stream, to this process. */
import { Clock, Effect } from "effect"
import { telnyxCredentialsOf } from "../../domain/TelnyxConfig.ts"
import { canTalk, type LineSpeech } from "../../speech/LineSpeech.ts"
import * as LaterLine from "../LaterLine.ts"
import type { MediaClock } from "../MediaClock.ts"
import type * as LiveCall from "../rest/LiveCall.ts"
import type { CallStreams } from "../stream/CallStreams.ts"
import type { Telephony } from "../Telephony.ts"
import type { TelnyxApi } from "./TelnyxApi.ts"
import * as TelnyxLine from "./TelnyxLine.ts"
import { admits, dialect } from "./TelnyxStreaming.ts"
import { urlsOf } from "./TelnyxUrls.ts"

interface Parts {
  readonly api: TelnyxApi["Service"]
  readonly clock: MediaClock["Service"]
  readonly find: ReturnType<typeof LiveCall.make>
  readonly public_url: string | null
  readonly speech: LineSpeech | null
  readonly streams: CallStreams["Service"]
  readonly stream_url: string | null
}

export const make = (parts: Parts): Telephony["Service"]["rejoin"] =>
  Effect.fn("TelnyxRejoin.rejoin")(function* (request, left) {
    const { api, clock, find, public_url, speech, streams, stream_url } = parts
    const { account, call_id, carrier_config, model } = request
    const credentials = telnyxCredentialsOf(carrier_config)
    if (public_url === null || stream_url === null || credentials === null) return null
    if (speech === null || !canTalk(speech, model)) return null
    const call = yield* find(request, left)
    if (call === null) return null
    const { feed, sid } = call
    const line = yield* TelnyxLine.make({
      request,
      own_number: left.own_number,
      api,
      credentials,
      sid,
      feed,
      urls: urlsOf(public_url, stream_url, account, call_id),
      expected: yield* streams.expect({ account, call_id, admits, dialect }),
      equipment: { ...speech, clock },
      heard_until: left.heard_until.getTime(),
    })
    return LaterLine.make(line, (yield* Clock.currentTimeMillis) - left.answered_at.getTime())
  })
