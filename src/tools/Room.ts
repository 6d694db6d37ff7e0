/** The room's one layer: the runner of tools, with the sandbox, the address guard and the FAQ search behind it. */
import { Layer } from "effect"
import { ToolAddressGuard } from "./ToolAddressGuard.ts"
import * as Embeddings from "./builtin/Embeddings.ts"
import * as FaqMeaning from "./builtin/FaqMeaning.ts"
import * as OwnTools from "./OwnTools.ts"
import { Sandbox } from "./sandbox/Sandbox.ts"

export const layer = Layer.merge(
  OwnTools.layer.pipe(Layer.provideMerge(Sandbox.layer)),
  FaqMeaning.layer.pipe(Layer.provide(Embeddings.layer)),
).pipe(Layer.provide(ToolAddressGuard.layer))
