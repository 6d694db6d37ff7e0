/** The room's one layer: the door, with the carriers, the brain and the runner of tools behind it. */
import { Layer } from "effect"
import * as Brains from "./brain/Brains.ts"
import { Calls } from "./Calls.ts"
import { Node } from "./Node.ts"
import * as Carriers from "./telephony/Carriers.ts"
import { AddressGuard } from "./tools/AddressGuard.ts"
import * as OwnTools from "./tools/OwnTools.ts"
import { Sandbox } from "./tools/sandbox/Sandbox.ts"

/** What follows from ended calls (`AfterCall`) is for others to say. */
export const layer = Calls.layer.pipe(
  Layer.provideMerge(Layer.merge(Brains.layer, OwnTools.layer.pipe(Layer.provideMerge(Sandbox.layer)))),
  Layer.provideMerge(Node.layer),
  Layer.provideMerge(Carriers.layer),
  Layer.provide(AddressGuard.layer),
)
