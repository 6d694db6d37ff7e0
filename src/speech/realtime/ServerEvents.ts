/** The events of OpenAI's Realtime protocol that Parley reads. It ignores all others. */
import { Option, Schema } from "effect"

const Count = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1e9 }))

/** All counts are optional. Without them, the usage counts as 0. */
const Usage = Schema.Struct({
  input_tokens: Schema.optionalKey(Count),
  output_tokens: Schema.optionalKey(Count),
  input_token_details: Schema.optionalKey(
    Schema.Struct({
      cached_tokens: Schema.optionalKey(Count),
      audio_tokens: Schema.optionalKey(Count),
      cached_tokens_details: Schema.optionalKey(Schema.Struct({ audio_tokens: Schema.optionalKey(Count) })),
    }),
  ),
  output_token_details: Schema.optionalKey(Schema.Struct({ audio_tokens: Schema.optionalKey(Count) })),
})
export type ReportedUsage = typeof Usage.Type

const Fault = Schema.Struct({
  type: Schema.optionalKey(Schema.NullOr(Schema.String)),
  code: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** The id of our event that caused it. */
  event_id: Schema.optionalKey(Schema.NullOr(Schema.String)),
})
export type Fault = typeof Fault.Type

const Response = Schema.Struct({
  id: Schema.String,
  status: Schema.optionalKey(Schema.NullOr(Schema.String)),
  status_details: Schema.optionalKey(Schema.NullOr(Schema.Struct({ error: Schema.optionalKey(Schema.NullOr(Fault)) }))),
  usage: Schema.optionalKey(Schema.NullOr(Usage)),
  metadata: Schema.optionalKey(Schema.NullOr(Schema.Struct({ request: Schema.optionalKey(Schema.String) }))),
})

/** An item that the model has made: words, or a call of a tool. */
const Item = Schema.Struct({
  id: Schema.String,
  type: Schema.String,
  name: Schema.optionalKey(Schema.String),
  call_id: Schema.optionalKey(Schema.String),
  arguments: Schema.optionalKey(Schema.String),
  content: Schema.optionalKey(
    Schema.Array(Schema.Struct({ transcript: Schema.optionalKey(Schema.NullOr(Schema.String)) })),
  ),
})

const ofResponse = { response_id: Schema.String, item_id: Schema.String }

const ServerEvent = Schema.Union([
  Schema.Struct({ type: Schema.Literal("session.updated") }),
  Schema.Struct({ type: Schema.Literal("error"), error: Fault }),
  Schema.Struct({ type: Schema.Literal("input_audio_buffer.committed"), item_id: Schema.String }),
  Schema.Struct({
    type: Schema.Literal("conversation.item.input_audio_transcription.completed"),
    item_id: Schema.String,
    transcript: Schema.String,
    usage: Schema.optionalKey(Schema.NullOr(Usage)),
  }),
  Schema.Struct({
    type: Schema.Literal("conversation.item.input_audio_transcription.failed"),
    item_id: Schema.String,
  }),
  Schema.Struct({ type: Schema.Literal("response.created"), response: Response }),
  Schema.Struct({ type: Schema.Literal("response.output_audio.delta"), ...ofResponse, delta: Schema.String }),
  Schema.Struct({
    type: Schema.Literal("response.output_audio_transcript.delta"),
    ...ofResponse,
    delta: Schema.String,
  }),
  Schema.Struct({ type: Schema.Literal("response.output_audio.done"), ...ofResponse }),
  Schema.Struct({ type: Schema.Literal("response.output_item.done"), response_id: Schema.String, item: Item }),
  Schema.Struct({ type: Schema.Literal("response.done"), response: Response }),
])
export type ServerEvent = typeof ServerEvent.Type
export type RealtimeResponse = typeof Response.Type
export type RealtimeItem = typeof Item.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(ServerEvent))

/** The longest event that is read, in characters: two seconds of sound, or far more words than a reply has. */
const longest = 128 * 1_024
/** `session.updated` repeats the instructions and the tools, so it can be longer. Its content is not needed. */
const longUpdate = /^\s*\{[^{}]*"type"\s*:\s*"session\.updated"/

/** Null for an event that is not one of these, or that cannot be read. */
export const readEvent = (text: string): ServerEvent | null => {
  if (text.length > longest) return longUpdate.test(text) ? { type: "session.updated" } : null
  return Option.getOrNull(decode(text))
}
