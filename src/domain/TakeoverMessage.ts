/**
 * The messages on the socket of a take-over: in both directions, one JSON object per text frame, and frames of sound as
 * on the widget's socket (docs/widget.md).
 */
import { Schema } from "effect"
import type { SoundRates } from "./WidgetMessage.ts"

/** Always the first message, and sent only once. */
export const TakeoverHello = Schema.Struct({
  type: Schema.Literal("hello"),
  token: Schema.String.check(Schema.isMaxLength(200)),
})

const HandBack = Schema.Struct({ type: Schema.Literal("hand_back") })

export const FromSupervisor = Schema.Union([TakeoverHello, HandBack])

/**
 * Why the take-over ended: the supervisor handed the call back, the agent took it back from a page that was silent, or
 * the call has ended.
 */
export type TakeoverEnd = "handed_back" | "lost" | "call_ended"

export type ToSupervisor =
  | {
      readonly type: "ready"
      readonly call_id: string
      readonly sound: SoundRates
      /** When the agent's `max_call_seconds` end the call; null if that is not known yet. */
      readonly ends_at: string | null
    }
  /** The other party was told about the take-over. From now on the two hear each other. */
  | { readonly type: "connected" }
  | { readonly type: "ended"; readonly reason: TakeoverEnd }
  | { readonly type: "refused"; readonly code: string; readonly detail: string }
