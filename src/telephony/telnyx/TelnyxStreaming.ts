/** What Telnyx is told about a call's media stream, with the order of the call, with its answer, or later. */
import { tokenHeader } from "../stream/TelnyxDialect.ts"
import * as TelnyxDialect from "../stream/TelnyxDialect.ts"
import type { StreamRequest } from "../CarrierStreams.ts"
import type { ExpectedStream } from "../stream/ExpectedStream.ts"

/** Without the mode `rtp`, Telnyx drops our sound without a word. */
export const streamingOf = (stream_url: string, token: string) => ({
  stream_url,
  stream_track: "inbound_track",
  stream_codec: "PCMU",
  stream_bidirectional_mode: "rtp",
  stream_bidirectional_codec: "PCMU",
  stream_auth_token: token,
})

const tokenIn = ({ handshake }: StreamRequest): string => String(handshake.headers[tokenHeader] ?? "")

/** Telnyx does not sign a handshake: it returns the token of the stream. */
export const admits = (request: StreamRequest, expected: ExpectedStream): boolean => expected.isGood(tokenIn(request))

export const dialect = (request: StreamRequest) => TelnyxDialect.make(tokenIn(request))
