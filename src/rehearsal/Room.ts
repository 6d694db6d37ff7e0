/** The room's one layer: scenario runs, and the limit on previews. */
import { Layer } from "effect"
import { PreviewLimit } from "./PreviewLimit.ts"
import { ScenarioRuns } from "./ScenarioRuns.ts"

export const layer = Layer.merge(ScenarioRuns.layer, PreviewLimit.layer)
