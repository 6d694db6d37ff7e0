/**
 * The messages of Telnyx's media streams, whose sound may come out of order.
 * https://developers.telnyx.com/docs/voice/programmable-voice/media-streaming
 */
import type { Dialect } from "./Dialect.ts"
import * as JsonDialect from "./JsonDialect.ts"
import { fieldOf, textOf } from "./JsonDialect.ts"

/** The header of the handshake in which Telnyx returns the call's secret. */
export const tokenHeader = "x-telnyx-streaming-auth-token"

const chunkOf = (media: unknown): number | undefined => {
  const chunk = fieldOf(media, "chunk")
  const text = typeof chunk === "number" ? String(chunk) : textOf(media, "chunk")
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** `token` is the one of the handshake: the messages have none. */
export const make = (token: string): Dialect =>
  JsonDialect.make({
    streamField: "stream_id",
    isTelephone: (start) => {
      const format = fieldOf(start, "media_format")
      return textOf(format, "encoding") === "PCMU" && fieldOf(format, "sample_rate") === 8_000
    },
    tokenOf: () => token,
    chunkOf,
    address: () => ({}),
  })
