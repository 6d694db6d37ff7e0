/** How a conversation has a voice model hear and speak on a line, in place of the line's recogniser and voice. */
import type { Effect } from "effect"
import type { VoiceModelProvider, VoiceModelSession } from "../speech/VoiceModel.ts"

export interface ModelVoice {
  readonly provider: VoiceModelProvider
  /** Samples a second of what the model hears and speaks. */
  readonly rates: { readonly heard: number; readonly spoken: number }
  /** The line has a recogniser and a voice of its own, which can take over. */
  readonly isReplaceable: boolean
  /** From now on the model hears and speaks: also what was said since the answer. */
  readonly engage: (session: VoiceModelSession) => void
  /** The line's own recogniser and voice take over, and hear again what the model has not understood. */
  readonly disengage: Effect.Effect<void>
  /** For an onlooker: what the other side said, and the words of a piece as far as they are known. */
  readonly understood: (text: string) => void
  readonly reword: (piece: number, text: string) => void
}
