/** The room's one layer: the recorder of live calls, and the recordings of those that have ended. */
import { Layer } from "effect"
import { Recorder } from "./Recorder.ts"
import { RecordingFolder } from "./RecordingFolder.ts"
import { Recordings } from "./Recordings.ts"

export const layer = Layer.merge(Recorder.layer, Recordings.layer).pipe(Layer.provide(RecordingFolder.layer))
