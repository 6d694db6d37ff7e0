/** The recording of a call: its state, the stretches that it leaves out, and why its sound cannot be read. Pure. */
import { Schema } from "effect"

export const RecordingState = Schema.Literals(["recording", "paused", "complete"])

export const RecordingPause = Schema.Struct({
  started_ms: Schema.Int.annotate({
    description: "When the pause began, in milliseconds of phone time since the answer.",
  }),
  ended_ms: Schema.NullOr(Schema.Int).annotate({
    description:
      "When the pause ended, in milliseconds of phone time since the answer. Null while the recording is paused, and if the call ended before it was resumed.",
  }),
}).annotate({
  identifier: "RecordingPause",
  description: "A stretch of the call that was not recorded: both sides are silent in the recording.",
})
export type RecordingPause = typeof RecordingPause.Type

/** The sound is on a disk that this machine cannot read. */
export class RecordingElsewhere extends Schema.TaggedError<RecordingElsewhere>()("RecordingElsewhere", {
  id: Schema.String.annotate({ description: "The call's UUID." }),
  host: Schema.String.annotate({ description: "The machine that has the recording." }),
}) {
  override get message() {
    return `The recording of the call ${this.id} is on the disk of the machine ${this.host}, which this process cannot read. Keep recordings in an object store (PARLEY_RECORDINGS_S3_BUCKET), or give all machines one shared folder (PARLEY_RECORDINGS_DIR).`
  }
}

/** The object store that has the sound cannot be reached, or refuses the request. */
export class RecordingUnavailable extends Schema.TaggedError<RecordingUnavailable>()("RecordingUnavailable", {
  id: Schema.String.annotate({ description: "The call's UUID." }),
}) {
  override get message() {
    return `The recording of the call ${this.id} is in the object store, which cannot be reached now. Repeat the request.`
  }
}
