/** The recording of a call: why its sound cannot be had. Pure. */
import { Schema } from "effect"

/** The sound is neither on this machine nor in an object store. */
export class RecordingElsewhere extends Schema.TaggedError<RecordingElsewhere>()("RecordingElsewhere", {
  id: Schema.String,
  host: Schema.String,
}) {
  override get message() {
    return `The recording of the call ${this.id} is on the disk of the machine ${this.host}, which this process cannot read. Give all machines one folder (PARLEY_RECORDINGS_DIR) or an object store (PARLEY_RECORDINGS_S3_BUCKET).`
  }
}
