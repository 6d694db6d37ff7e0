/** The moments of a reply on the line's clock, and the stages between them. Pure. */
import type { TurnTimings } from "../domain/TurnTimings.ts"

/** How the caller's turn ended. */
export interface CallerEnd {
  /** When the last sound ended. */
  readonly ended_ms: number
  /** When it was certain that no sound followed; null on lines that report whole utterances only. */
  readonly silent_ms: number | null
  /** When its words arrived. */
  readonly understood_ms: number
}

/** When a reply's first piece reached each stage on its way to the listener. */
export interface FirstSound {
  readonly piece: number
  /** When the line got it. */
  readonly handed_ms: number
  /** Null until the line reports it. */
  readonly audio_ms: number | null
  readonly frame_ms: number | null
}

export interface Moments {
  readonly caller: CallerEnd | null
  readonly began_ms: number
  /** When the brain's first text arrived; null for fixed words. */
  readonly token_ms: number | null
  readonly first: FirstSound | null
  /** Milliseconds from the beginning of the caller's sound until the agent was silent. */
  readonly silenced_after_ms: number | null
}

const between = (from: number | null, to: number | null): number | null =>
  from === null || to === null ? null : Math.max(0, Math.round(to - from))

/** Null if the line measures no sound. `isCut`: the caller interrupted the reply. */
export const timingsOf = (
  { began_ms, caller, first, silenced_after_ms, token_ms }: Moments,
  isCut: boolean,
): TurnTimings | null => {
  const interruption_ms = isCut ? silenced_after_ms : null
  const isHeard = first !== null && first.frame_ms !== null
  if (!isHeard && interruption_ms === null) return null
  const handed = first?.handed_ms ?? null
  // A filler may be spoken before the brain's first words.
  const token = token_ms !== null && handed !== null && token_ms <= handed ? token_ms : null
  return {
    voice_off_ms: between(caller?.ended_ms ?? null, caller?.silent_ms ?? null),
    transcript_ms: between(caller?.silent_ms ?? caller?.ended_ms ?? null, caller?.understood_ms ?? null),
    decision_ms: between(caller?.understood_ms ?? null, began_ms),
    first_token_ms: between(began_ms, token),
    first_words_ms: between(token ?? began_ms, handed),
    first_audio_ms: between(handed, first?.audio_ms ?? null),
    first_frame_ms: between(first?.audio_ms ?? null, first?.frame_ms ?? null),
    voice_to_voice_ms: between(caller?.ended_ms ?? null, first?.frame_ms ?? null),
    interruption_ms,
  }
}
