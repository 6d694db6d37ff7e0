/** Lets a conversation use a voice model on a line, in place of the line's recogniser and voice. */
import type { Effect } from "effect"
import type { VoiceModelProvider, VoiceModelSession } from "../speech/VoiceModel.ts"

export interface ModelVoice {
  readonly provider: VoiceModelProvider
  /** Samples a second of what the model hears and speaks. */
  readonly rates: { readonly heard: number; readonly spoken: number }
  /** Whether the line has a recogniser and a voice of its own that can take over. */
  readonly isReplaceable: boolean
  /** From now on the model hears and speaks. It also hears what was said between the answer and now. */
  readonly engage: (session: VoiceModelSession) => void
  /**
   * Puts the line's own recogniser and voice back. The recogniser hears again the speech that the model did not
   * understand.
   */
  readonly disengage: Effect.Effect<void>
  /** Tell an onlooker what the other side said, and the words of a piece as far as they are known. */
  readonly understood: (text: string) => void
  readonly reword: (piece: number, text: string) => void
}
