/** The messages of Twilio's media streams. https://www.twilio.com/docs/voice/media-streams/websocket-messages */
import { Predicate, Result } from "effect"
import type { Dialect, StreamMessage } from "./Dialect.ts"

/** The name of the `<Parameter>` that carries the call's secret. */
export const tokenParameter = "token"

const key = /^[0-9*#A-D]$/
const longestName = 100

const other: StreamMessage = { _tag: "Other" }

/** A field of an object; undefined for anything else. */
const fieldOf = (value: unknown, name: string): unknown =>
  Predicate.hasProperty(value, name) ? value[name] : undefined

const textOf = (value: unknown, name: string): string => {
  const text = fieldOf(value, name)
  return typeof text === "string" ? text : ""
}

const startOf = (message: unknown): StreamMessage | null => {
  const stream = textOf(message, "streamSid")
  const start = fieldOf(message, "start")
  const format = fieldOf(start, "mediaFormat")
  const isTelephone = textOf(format, "encoding") === "audio/x-mulaw" && fieldOf(format, "sampleRate") === 8_000
  if (stream === "" || stream.length > longestName || !isTelephone) return null
  return { _tag: "Started", stream, token: textOf(fieldOf(start, "customParameters"), tokenParameter) }
}

const soundOf = (message: unknown): StreamMessage | null => {
  const media = fieldOf(message, "media")
  const payload = textOf(media, "payload")
  if (payload === "") return null
  // Our own sound comes back only on streams that were not asked for.
  return textOf(media, "track") === "outbound" ? other : { _tag: "Sound", bytes: Buffer.from(payload, "base64") }
}

const messageOf = (message: unknown): StreamMessage | null => {
  switch (textOf(message, "event")) {
    case "":
      return null
    case "start":
      return startOf(message)
    case "media":
      return soundOf(message)
    case "dtmf": {
      const digit = textOf(fieldOf(message, "dtmf"), "digit")
      return key.test(digit) ? { _tag: "Key", digit } : null
    }
    case "mark":
      return { _tag: "Marked", name: textOf(fieldOf(message, "mark"), "name") }
    case "stop":
      return { _tag: "Stopped" }
    default:
      return other
  }
}

export const twilioDialect: Dialect = {
  read: (text) => {
    const parsed = Result.try((): unknown => JSON.parse(text))
    return Result.isSuccess(parsed) ? messageOf(parsed.success) : null
  },
  sound: (streamSid, payload) => JSON.stringify({ event: "media", streamSid, media: { payload } }),
  mark: (streamSid, name) => JSON.stringify({ event: "mark", streamSid, mark: { name } }),
  clear: (streamSid) => JSON.stringify({ event: "clear", streamSid }),
}
