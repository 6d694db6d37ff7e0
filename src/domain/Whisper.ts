/** A supervisor's instruction to the agent of a live call, which the other side neither hears nor sees. Pure. */
import { Schema } from "effect"
import type { VersionAuthor } from "./AgentVersion.ts"
import { limitFields } from "./Refusals.ts"

/**
 * The maximum number of characters of a whisper: as much as a supervisor types in the course of a call. The model reads
 * each whisper again with every later reply.
 */
export const longestWhisper = 1_000

export const NewWhisper = Schema.Struct({
  text: Schema.String.check(
    Schema.isPattern(/\S/u, { message: "must not be empty" }),
    Schema.isMaxLength(longestWhisper),
  ).annotate({ description: "What the agent is to do. It follows it in its own words." }),
}).annotate({ identifier: "NewWhisper" })
export type NewWhisper = typeof NewWhisper.Type

/** The maximum number of whispers of one call in a minute. */
export const whispersAMinute = 20

/** A whisper as the talk receives it: its text and its author. */
export interface Whispered {
  readonly text: string
  readonly by: VersionAuthor
}

export class WhisperLimited extends Schema.TaggedError<WhisperLimited>()("WhisperLimited", {
  ...limitFields,
}) {
  override get message() {
    return `The agent of this call was given ${this.limit} instructions within a minute, which is the limit. Try again at ${this.resets_at.toISOString()}.`
  }
}
