/** The recording of a call: why its sound cannot be had. Pure. */
import { Schema } from "effect"

/** The sound is not on a disk that this machine sees. */
export class RecordingElsewhere extends Schema.TaggedError<RecordingElsewhere>()("RecordingElsewhere", {
  id: Schema.String,
  host: Schema.String,
}) {
  override get message() {
    return `The recording of the call ${this.id} is on the disk of the machine ${this.host}, which this process cannot read. Give all machines one shared folder (PARLEY_RECORDINGS_DIR).`
  }
}
