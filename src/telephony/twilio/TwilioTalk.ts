/**
 * Chooses how the agent talks on a Twilio call: over a media stream if this installation has a recogniser and a voice,
 * else with Twilio's own. If the stream does not come, the call also goes on with Twilio's own.
 */
import { Effect, Option, type Scope } from "effect"
import { isTerminal } from "../../domain/CarrierReport.ts"
import type { TwilioCredentials } from "../../domain/TwilioConfig.ts"
import { canTalk } from "../../speech/LineSpeech.ts"
import { heldBackSeconds, ringLimitSeconds } from "../rest/CallClosing.ts"
import { until } from "../rest/CallReports.ts"
import type { CallStreams } from "../stream/CallStreams.ts"
import type { ExpectedStream } from "../stream/ExpectedStream.ts"
import { twilioDialect } from "../stream/TwilioDialect.ts"
import type { SoundEquipment } from "../SoundLine.ts"
import type { StreamRequest } from "../CarrierStreams.ts"
import type { DialRequest, Line } from "../Telephony.ts"
import type { Beginning, InstructedCall } from "./TwilioInstructions.ts"
import * as TwilioLine from "./TwilioLine.ts"
import { isStreamSigned } from "./TwilioSignature.ts"
import * as TwilioStreamLine from "./TwilioStreamLine.ts"
import { streamUrlOf, type TwilioUrls, unstreamedMark } from "./TwilioUrls.ts"
import * as Twiml from "./Twiml.ts"

/** Milliseconds that Twilio has to open the media stream after the reported answer. */
const streamsWithinMs = 8_000
/** How long the token is valid, in milliseconds: as long as a call may take to open its stream. */
const tokenMs = (ringLimitSeconds + heldBackSeconds + 15) * 1_000 + streamsWithinMs

export interface TwilioTalk {
  /** The first instructions, which Twilio carries out when the call is answered. */
  readonly twiml: string
  /** Twilio has opened the stream, which proves an answer. */
  readonly joined: Effect.Effect<void>
  readonly open: (call: InstructedCall) => Effect.Effect<Line, never, Scope.Scope>
  /** Whether Twilio has to carry out `twiml` before a call that another process has left can be opened. */
  readonly isOpenedByTwilio: boolean
}

export interface Parts {
  /** None without a recogniser or a voice. */
  readonly equipment: Option.Option<SoundEquipment>
  readonly streams: CallStreams["Service"]
  readonly stream_url: string | null
}

interface Ordered {
  readonly request: DialRequest
  readonly credentials: TwilioCredentials
  readonly urls: TwilioUrls
  readonly locale: string
  readonly beginning: Beginning
}

/** Prepares the talk before the call is ordered. */
export const prepare = Effect.fnUntraced(function* (
  { equipment, stream_url, streams }: Parts,
  { beginning, locale, credentials, request, urls }: Ordered,
) {
  const plain: TwilioTalk = {
    // Twilio listens from the answer on. The agent speaks through further instructions.
    twiml: Twiml.listen(urls.talk("a.1"), locale),
    joined: Effect.never,
    open: (call) => TwilioLine.make({ ...call, locale }),
    isOpenedByTwilio: false,
  }
  if (Option.isNone(equipment) || stream_url === null) return plain
  if (!canTalk(equipment.value, request.model)) return plain
  const { account, call_id } = request
  const admits = (handshake: StreamRequest) => isStreamSigned(stream_url, credentials.auth_token, handshake)
  const expected = yield* streams.expect({ account, call_id, admits, dialect: () => twilioDialect })
  const url = streamUrlOf(stream_url, account, call_id)
  const unstreamed = unstreamedMark(beginning.step)
  const streamed: TwilioTalk = {
    twiml: Twiml.stream({ url, token: expected.issueToken(tokenMs), digits: "" }, urls.talk(unstreamed)),
    joined: expected.joined.await,
    open: Effect.fnUntraced(function* (call) {
      const word = yield* awaitStream(expected, call, unstreamed)
      if (word !== "missing") {
        return yield* TwilioStreamLine.make({ ...call, equipment: equipment.value, expected, stream_url: url })
      }
      expected.withdrawToken()
      yield* Effect.logWarning(noStream)
      return yield* plain.open(call)
    }),
    isOpenedByTwilio: true,
  }
  return streamed
})

const noStream = "Twilio opened no media stream to this process; using its own voice"

/** Waits until the stream is there, will not come, or is no longer needed because the call is over. */
const awaitStream = ({ joined }: ExpectedStream, { feed }: InstructedCall, unstreamed: string) =>
  Effect.raceFirst(
    Effect.as(joined.await, "joined" as const),
    until(feed, streamsWithinMs, (row) => {
      if (isTerminal(row.status)) return "over" as const
      return row.words.some(({ mark }) => mark === unstreamed) ? ("missing" as const) : undefined
    }).pipe(Effect.map(Option.getOrElse(() => "missing" as const))),
  )
