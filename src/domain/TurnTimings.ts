/**
 * Where the time of one turn went, from the caller's last sound to the first packet of the agent's answer. Measured by
 * the line's monotonic clock, and only on lines that carry sound.
 */
import { Schema } from "effect"

const stage = (description: string) => Schema.NullOr(Schema.Int).annotate({ description })

export const TurnTimings = Schema.Struct({
  voice_off_ms: stage(
    "Milliseconds from the caller's last sound until it was certain that they had fallen silent. Null unless the caller started the turn.",
  ),
  transcript_ms: stage("From then until the recogniser's final words. Null unless the caller started the turn."),
  decision_ms: stage(
    "From the final words until the agent decided to answer: an unfinished sentence is given more time. Null unless the caller started the turn.",
  ),
  first_token_ms: stage(
    "From the decision until the first words of the model, with the tools that it asked for before. Null for fixed words.",
  ),
  first_words_ms: stage("From the model's first token until there were words to speak: a clause or a short sentence."),
  first_audio_ms: stage("From there until the first sound of the voice."),
  first_frame_ms: stage("From the first sound until its first packet was sent."),
  voice_to_voice_ms: stage(
    "From the caller's last sound to the first packet of the answer: the sum of the stages. Null unless the caller started the turn.",
  ),
  interruption_ms: stage(
    "From the beginning of the caller's interruption until the agent was silent. Null if the agent was not interrupted by a voice.",
  ),
}).annotate({
  identifier: "TurnTimings",
  description: "The stages of an answer, in their order. A stage that did not occur is null.",
})
export type TurnTimings = typeof TurnTimings.Type
