/** The parameters of a call's media stream: sent to Telnyx with the order of the call, with its answer, or later. */
import { tokenHeader } from "../stream/TelnyxDialect.ts"
import * as TelnyxDialect from "../stream/TelnyxDialect.ts"
import type { StreamRequest } from "../CarrierStreams.ts"
import type { ExpectedStream } from "../stream/ExpectedStream.ts"

/** Without the mode `rtp`, Telnyx silently drops our sound. */
export const streamingOf = (stream_url: string, token: string) => ({
  stream_url,
  stream_track: "inbound_track",
  stream_codec: "PCMU",
  stream_bidirectional_mode: "rtp",
  stream_bidirectional_codec: "PCMU",
  stream_auth_token: token,
})

const tokenIn = ({ handshake }: StreamRequest): string => String(handshake.headers[tokenHeader] ?? "")

/** Telnyx does not sign a handshake. It proves itself by the stream's token. */
export const admits = (request: StreamRequest, expected: ExpectedStream): boolean => expected.isGood(tokenIn(request))

export const dialect = (request: StreamRequest) => TelnyxDialect.make(tokenIn(request))
