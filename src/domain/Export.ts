/** A copy of the whole account in one file, which an owner orders and downloads (docs/exports.md). */
import { Schema } from "effect"
import { VersionAuthor } from "./AgentVersion.ts"
import { timestamp } from "./Timestamp.ts"

export const NewExport = Schema.Struct({
  recordings: Schema.optionalKey(Schema.Boolean).annotate({
    description: "Whether the sound of recordings is in the archive. Defaults to true.",
  }),
}).annotate({ identifier: "NewExport", examples: [{ recordings: false }] })
export type NewExport = typeof NewExport.Type

const count = (description: string) => Schema.Int.annotate({ description })

export const ExportProgress = Schema.Struct({
  rows: count("Rows that are in the archive so far."),
  rows_total: count("Rows that will be in it. 0 until they are counted."),
  recordings: count("Recordings whose sound was looked for so far."),
  recordings_total: count("Recordings whose sound will be looked for."),
  recordings_missing: count(
    "Recordings whose sound is not in the archive, because it is on the disk of another machine or was deleted.",
  ),
}).annotate({ identifier: "ExportProgress" })
export type ExportProgress = typeof ExportProgress.Type

export const AccountExport = Schema.Struct({
  id: Schema.String.annotate({ description: "The export's UUID." }),
  status: Schema.Literals(["running", "completed", "failed", "expired"]).annotate({
    description:
      "`completed`: the file can be downloaded. `failed`: there is no file, and `reason` says why. `expired`: the file was deleted, 24 hours after it was written, when a newer export began, or when a person or a call was erased.",
  }),
  recordings: Schema.Boolean.annotate({ description: "Whether the sound of recordings was ordered." }),
  progress: ExportProgress.annotate({ description: "How far it is." }),
  bytes: Schema.NullOr(Schema.Int).annotate({ description: "The length of the file. Null until it is written." }),
  reason: Schema.NullOr(Schema.String).annotate({ description: "Why it failed, as a sentence for people." }),
  created_by: Schema.NullOr(VersionAuthor),
  created_at: timestamp("When it was ordered."),
  ended_at: Schema.NullOr(timestamp("When it was completed or failed.")),
  expires_at: Schema.NullOr(timestamp("When the file is deleted.")),
}).annotate({ identifier: "AccountExport" })
export type AccountExport = typeof AccountExport.Type
