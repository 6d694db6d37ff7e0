/** The room's one layer: the erasure that people ask for, and the deletion of what is old. */
import { Layer } from "effect"
import { Erasure } from "./Erasure.ts"
import { Retention } from "./Retention.ts"

export const layer = Layer.merge(Erasure.layer, Retention.layerHourly.pipe(Layer.provide(Retention.layer)))
