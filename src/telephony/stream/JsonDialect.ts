/**
 * What carriers' media streams have in common: messages in JSON, named by `event`, with sound in base64. Plain code,
 * called for each message.
 */
import { Predicate, Result } from "effect"
import type { Dialect, StreamMessage } from "./Dialect.ts"

const key = /^[0-9*#A-D]$/
const longestName = 100

const other: StreamMessage = { _tag: "Other" }

/** A field of an object; undefined for anything else. */
export const fieldOf = (value: unknown, name: string): unknown =>
  Predicate.hasProperty(value, name) ? value[name] : undefined

export const textOf = (value: unknown, name: string): string => {
  const text = fieldOf(value, name)
  return typeof text === "string" ? text : ""
}

/** Where the carriers differ. */
export interface Wording {
  /** The field with the stream's name. */
  readonly streamField: string
  /** Whether the start message announces µ-law at 8 kHz. */
  readonly isTelephone: (start: unknown) => boolean
  readonly tokenOf: (start: unknown) => string
  /** The position of a media message's sound; left out where sound comes in order. */
  readonly chunkOf?: (media: unknown) => number | undefined
  /** Fields of every message of ours. */
  readonly address: (stream: string) => Readonly<Record<string, string>>
}

const startOf = (message: unknown, { isTelephone, streamField, tokenOf }: Wording): StreamMessage | null => {
  const stream = textOf(message, streamField)
  const start = fieldOf(message, "start")
  if (stream === "" || stream.length > longestName || !isTelephone(start)) return null
  return { _tag: "Started", stream, token: tokenOf(start) }
}

const soundOf = (message: unknown, { chunkOf }: Wording): StreamMessage | null => {
  const media = fieldOf(message, "media")
  const payload = textOf(media, "payload")
  if (payload === "") return null
  // Only streams that we did not ask for return our own sound.
  if (textOf(media, "track") === "outbound") return other
  const chunk = chunkOf?.(media)
  return { _tag: "Sound", bytes: Buffer.from(payload, "base64"), ...(chunk === undefined ? {} : { chunk }) }
}

const messageOf = (message: unknown, wording: Wording): StreamMessage | null => {
  switch (textOf(message, "event")) {
    case "":
      return null
    case "start":
      return startOf(message, wording)
    case "media":
      return soundOf(message, wording)
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

export const make = (wording: Wording): Dialect => {
  const { address } = wording
  return {
    read: (text) => {
      const parsed = Result.try((): unknown => JSON.parse(text))
      return Result.isSuccess(parsed) ? messageOf(parsed.success, wording) : null
    },
    sound: (stream, payload) => JSON.stringify({ event: "media", ...address(stream), media: { payload } }),
    mark: (stream, name) => JSON.stringify({ event: "mark", ...address(stream), mark: { name } }),
    clear: (stream) => JSON.stringify({ event: "clear", ...address(stream) }),
  }
}
