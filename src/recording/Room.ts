/** The layer of this folder: the recorder of live calls, the recordings of ended calls, and the deletion of sound. */
import { Layer } from "effect"
import { ObjectStore } from "./ObjectStore.ts"
import { Recorder } from "./Recorder.ts"
import { RecordingFolder } from "./RecordingFolder.ts"
import { RecordingSweep } from "./RecordingSweep.ts"
import { RecordingUploads } from "./RecordingUploads.ts"
import { Recordings } from "./Recordings.ts"

export const layer = Layer.mergeAll(Recorder.layer, Recordings.layer, RecordingSweep.layer).pipe(
  Layer.provide(RecordingUploads.layer),
  Layer.provide([RecordingFolder.layer, ObjectStore.layer]),
)
