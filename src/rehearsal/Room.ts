/** The room's one layer: scenario runs, and the limit on previews. */
import { Layer } from "effect"
import { InAccount } from "../calls/live/InAccount.ts"
import { PreviewLimit } from "./PreviewLimit.ts"
import { ScenarioRuns } from "./ScenarioRuns.ts"

export const layer = Layer.merge(ScenarioRuns.layer.pipe(Layer.provide(InAccount.layer)), PreviewLimit.layer)
