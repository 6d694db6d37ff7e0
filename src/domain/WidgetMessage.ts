/**
 * The messages on the widget's socket: in both directions, one JSON object per text frame, and frames of sound
 * (docs/widget.md).
 */
import { Schema } from "effect"
import { storableText } from "./JsonValue.ts"

/** The maximum number of characters of one message: more than a person types in a chat. */
export const longestText = 4_000

/** Always the first message, and sent only once: the session's token, and the conversation to resume. */
export const Hello = Schema.Struct({
  type: Schema.Literal("hello"),
  token: Schema.String.check(Schema.isMaxLength(8_192)),
  /** To resume a conversation whose socket broke: its secret, and the number of the last line that arrived. */
  resume: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(200))),
  after: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
  /** The default is `chat`. A resumed conversation keeps its mode. */
  mode: Schema.optionalKey(Schema.Literals(["chat", "voice"])),
})
export type Hello = typeof Hello.Type

const Text = Schema.Struct({
  type: Schema.Literal("text"),
  /**
   * The id that the page gives to the message: the same id sent twice is one message. The database keeps it unchanged,
   * so that the next process knows it.
   */
  id: Schema.String.check(
    Schema.isMinLength(1),
    Schema.isMaxLength(64),
    Schema.makeFilter((id) => storableText(id) === id || "must be Unicode text without U+0000"),
  ),
  text: Schema.String.check(Schema.isPattern(/\S/u), Schema.isMaxLength(longestText)),
})
const End = Schema.Struct({ type: Schema.Literal("end") })
const Ping = Schema.Struct({ type: Schema.Literal("ping") })

export const FromVisitor = Schema.Union([Hello, Text, End, Ping])
export type FromVisitor = typeof FromVisitor.Type

/** One utterance of the conversation; `line` counts from 1 without a gap, over both sides. */
export interface ChatLine {
  readonly type: "line"
  readonly line: number
  readonly by: "agent" | "visitor"
  readonly text: string
  /** For a visitor's line: the id that the page gave to the message. */
  readonly id?: string
  /** Whether the agent was interrupted. `text` is then what the visitor heard. */
  readonly interrupted?: boolean
}

/** What the page does with the sound: pause and keep it, continue with it, or drop it. */
export type SoundOrder = "hold" | "resume" | "clear"

/** Sample rates of the 20 ms frames: those the page sends, and those it receives. */
export interface SoundRates {
  readonly heard: number
  readonly spoken: number
}

export type ChatEnd =
  | "agent_hung_up"
  | "visitor_left"
  | "hung_up"
  | "transferred"
  | "silence"
  | "max_duration"
  | "agent_error"
  | "interrupted"

export type FromServer =
  | {
      readonly type: "ready"
      readonly conversation: string
      readonly resume: string
      /** Whether the conversation that `resume` named continues. False for a new one. */
      readonly resumed: boolean
      readonly features: { readonly voice: boolean }
      /** Present in a conversation by voice. */
      readonly sound?: SoundRates
    }
  | ChatLine
  /** The beginning of the next `line`, sent while the agent is still producing it. */
  | { readonly type: "piece"; readonly text: string }
  | { readonly type: "thinking"; readonly on: boolean }
  /** With `clear`, the page drops the frames below this number. */
  | { readonly type: "sound"; readonly do: SoundOrder; readonly frame: number }
  | { readonly type: "ended"; readonly reason: ChatEnd }
  | { readonly type: "refused"; readonly code: string; readonly detail: string; readonly retry_after_seconds?: number }
  | { readonly type: "pong" }
