/** The room's one layer: the exports that owners order, and the deletion of their files. */
import { Layer } from "effect"
import { ExportFolder } from "./ExportFolder.ts"
import { Exports } from "./Exports.ts"
import { ObjectStore } from "../recording/ObjectStore.ts"
import { RecordingFolder } from "../recording/RecordingFolder.ts"

export const layer = Layer.merge(Exports.layer, ExportFolder.layerSweeping).pipe(
  Layer.provide([ExportFolder.layer, ObjectStore.layer, RecordingFolder.layer]),
)
