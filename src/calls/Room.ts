/** The room's one layer: its doors, with the carriers, the brain and the runner of tools behind it. */
import { Layer } from "effect"
import * as Brains from "../brain/Brains.ts"
import { Calls } from "./Calls.ts"
import { Chats } from "./visitors/Chats.ts"
import * as Embeddings from "../tools/builtin/Embeddings.ts"
import { Node } from "../cluster/Node.ts"
import { PreviewLimit } from "../rehearsal/PreviewLimit.ts"
import { ScenarioRuns } from "../rehearsal/ScenarioRuns.ts"
import * as SpeechServer from "../speech/providers/SpeechServer.ts"
import * as Carriers from "../telephony/Carriers.ts"
import { MediaClock } from "../telephony/MediaClock.ts"
import { AddressGuard } from "../tools/AddressGuard.ts"
import * as FaqMeaning from "../tools/builtin/FaqMeaning.ts"
import * as OwnTools from "../tools/OwnTools.ts"
import { Sandbox } from "../tools/sandbox/Sandbox.ts"

/** What follows from ended calls (`AfterCall`) is for others to say. */
export const layer = Layer.mergeAll(
  Chats.layer.pipe(Layer.provide([SpeechServer.layer, MediaClock.layer])),
  ScenarioRuns.layer,
  PreviewLimit.layer,
).pipe(
  Layer.provideMerge(Calls.layer),
  Layer.provideMerge(Layer.merge(Brains.layer, OwnTools.layer.pipe(Layer.provideMerge(Sandbox.layer)))),
  Layer.provideMerge(FaqMeaning.layer.pipe(Layer.provide(Embeddings.layer))),
  Layer.provideMerge(Node.layer),
  Layer.provideMerge(Carriers.layer),
  Layer.provide(AddressGuard.layer),
)
