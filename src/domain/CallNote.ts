/** What people write about a call for each other. Personal data: kept as long as the call's transcript (decision 0086). */
import { Schema } from "effect"
import { VersionAuthor } from "./AgentVersion.ts"
import { timestamp } from "./Timestamp.ts"

export const longestNote = 4_000
/** The most notes of a call. All of them are shown with it. */
export const mostNotes = 100

const text = Schema.String.check(
  Schema.isPattern(/\S/u, { message: "must not be empty" }),
  Schema.isMaxLength(longestNote),
).annotate({ description: "The note, as plain text." })

export const NewCallNote = Schema.Struct({ text }).annotate({ identifier: "NewCallNote" })

export const CallNote = Schema.Struct({
  id: Schema.String.annotate({ description: "The note's UUID." }),
  by: VersionAuthor,
  text,
  created_at: timestamp("When it was written."),
}).annotate({ identifier: "CallNote", description: "What a person wrote about the call." })
export type CallNote = typeof CallNote.Type
