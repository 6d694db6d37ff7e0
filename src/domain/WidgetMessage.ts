/** What is said over the widget's socket: one JSON object a text frame, in both directions, and sound (docs/widget.md). */
import { Schema } from "effect"

/** A visitor writes a message, not a book; a person does not need more. */
export const longestText = 4_000

/** The first message, and none but it: who is there, and which conversation goes on. */
export const Hello = Schema.Struct({
  type: Schema.Literal("hello"),
  token: Schema.String.check(Schema.isMaxLength(8_192)),
  /** Of a conversation whose socket broke: its secret, and the number of the last line that arrived. */
  resume: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(200))),
  after: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
  /** `chat` if left out. Of one that goes on, what it was. */
  mode: Schema.optionalKey(Schema.Literals(["chat", "voice"])),
})
export type Hello = typeof Hello.Type

const Text = Schema.Struct({
  type: Schema.Literal("text"),
  /** The page's own name of it: the same one twice is one message. */
  id: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(64)),
  text: Schema.String.check(Schema.isPattern(/\S/u), Schema.isMaxLength(longestText)),
})
const End = Schema.Struct({ type: Schema.Literal("end") })
const Ping = Schema.Struct({ type: Schema.Literal("ping") })

export const FromVisitor = Schema.Union([Hello, Text, End, Ping])
export type FromVisitor = typeof FromVisitor.Type

/** One line of the talk; `line` counts from 1 without a gap, over both sides. */
export interface ChatLine {
  readonly type: "line"
  readonly line: number
  readonly by: "agent" | "visitor"
  readonly text: string
  /** Of the visitor's: the page's own name of it. */
  readonly id?: string
  /** The agent was cut short: this is what was heard. */
  readonly interrupted?: boolean
}

/** Fall silent and keep what there is, go on with it, forget it. */
export type SoundOrder = "hold" | "resume" | "clear"

/** Samples a second of the frames of 20 ms: what the page sends, and what it is sent. */
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
      /** The conversation of `resume` goes on; else it is a new one. */
      readonly resumed: boolean
      readonly features: { readonly voice: boolean }
      /** Of a conversation by voice. */
      readonly sound?: SoundRates
    }
  | ChatLine
  /** The beginning of the line that comes next, while the agent is still at it. */
  | { readonly type: "piece"; readonly text: string }
  | { readonly type: "thinking"; readonly on: boolean }
  /** Frames below this number are no more, when they are to be forgotten. */
  | { readonly type: "sound"; readonly do: SoundOrder; readonly frame: number }
  | { readonly type: "ended"; readonly reason: ChatEnd }
  | { readonly type: "refused"; readonly code: string; readonly detail: string; readonly retry_after_seconds?: number }
  | { readonly type: "pong" }
