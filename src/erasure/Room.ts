/** The room's one layer: erasure on request, and the deletion of old data. */
import { Layer } from "effect"
import { Erasure } from "./Erasure.ts"
import { Retention } from "./Retention.ts"

export const layer = Layer.merge(Erasure.layer, Retention.layerHourly.pipe(Layer.provide(Retention.layer)))
