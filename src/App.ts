/** The composition root: the only file that knows every room. What is built last is closed first. */
import { Layer } from "effect"
import * as Boot from "./Boot.ts"
import { AfterCall } from "./calls/Calls.ts"
import * as CallsRoom from "./calls/Room.ts"
import { CatalogSettings } from "./catalog/CatalogSettings.ts"
import { Draining } from "./http/edge/Draining.ts"
import * as Server from "./http/Server.ts"
import * as Identity from "./identity/Identity.ts"
import * as Telemetry from "./Telemetry.ts"
import * as Tenancy from "./tenancy/Tenancy.ts"

export const layer = Server.layer.pipe(
  Layer.provideMerge(Boot.layer),
  Layer.provideMerge(CallsRoom.layer.pipe(Layer.provide(AfterCall.layerNone))),
  Layer.provideMerge(Identity.layer),
  Layer.provideMerge(CatalogSettings.layer),
  Layer.provideMerge(Tenancy.layer),
  Layer.provideMerge(Draining.layer),
  Layer.provideMerge(Telemetry.layer),
)
