/** The composition root: the only file that knows every room. Layers that are built last are closed first. */
// Imported first: schemas that are made after it are compiled on first use (docs/benchmarks.md).
import "effect/schema/SchemaJITCompiler/enable"
import { Layer } from "effect"
import * as Archive from "./archive/Room.ts"
import * as Boot from "./Boot.ts"
import * as Brains from "./brain/Brains.ts"
import * as Calls from "./calls/Room.ts"
import { CampaignSignals } from "./campaigns/dialling/CampaignSignals.ts"
import * as ContactSettlement from "./campaigns/dialling/ContactSettlement.ts"
import * as Campaigns from "./campaigns/Room.ts"
import { CatalogSettings } from "./catalog/CatalogSettings.ts"
import { RulePacks } from "./catalog/RulePacks.ts"
import { InboundListing } from "./catalog/InboundListing.ts"
import * as PriceFile from "./catalog/PriceFile.ts"
import * as ShippedContent from "./catalog/shipped/Shipped.ts"
import { Cluster } from "./cluster/Cluster.ts"
import { Node } from "./cluster/Node.ts"
import * as Drain from "./Drain.ts"
import * as Erasure from "./erasure/Room.ts"
import * as Events from "./events/Room.ts"
import { Draining } from "./http/edge/Draining.ts"
import * as Server from "./http/Server.ts"
import * as Identity from "./identity/Room.ts"
import * as InstallationMetrics from "./InstallationMetrics.ts"
import * as ProcessMetrics from "./ProcessMetrics.ts"
import * as Recording from "./recording/Room.ts"
import * as Rehearsal from "./rehearsal/Room.ts"
import * as Telemetry from "./Telemetry.ts"
import * as Carriers from "./telephony/Carriers.ts"
import * as Cell from "./tenancy/Cell.ts"
import { Copy } from "./tenancy/Copy.ts"
import * as Tenancy from "./tenancy/Room.ts"
import { Shipped } from "./tenancy/Shipped.ts"
import * as Tools from "./tools/Room.ts"
import * as TickScheduler from "./TickScheduler.ts"

export const layer = Drain.layer.pipe(
  Layer.provideMerge(Server.layer),
  Layer.provideMerge(Campaigns.layer),
  Layer.provideMerge([Rehearsal.layer, Erasure.layer, InstallationMetrics.layer]),
  Layer.provideMerge([Calls.layer.pipe(Layer.provide(ContactSettlement.layer)), Archive.layer]),
  Layer.provideMerge(Brains.layer),
  Layer.provideMerge(Tools.layer),
  Layer.provideMerge([Recording.layer, Carriers.layer]),
  Layer.provideMerge(Cluster.layer.pipe(Layer.provideMerge(Node.layer))),
  Layer.provideMerge(CampaignSignals.layer),
  // Closed after everything that writes events, so that the last events are still delivered to webhooks.
  Layer.provideMerge(Events.layer),
  Layer.provideMerge(Layer.merge(Copy.layer, InboundListing.layer)),
  // Built before the campaigns, so that restored accounts are paused before anything is dialled.
  Layer.provideMerge(Boot.layer),
  Layer.provideMerge(Identity.layer),
  Layer.provideMerge([CatalogSettings.layer, PriceFile.layer, RulePacks.layer]),
  Layer.provideMerge(Tenancy.layer),
  Layer.provide(Layer.succeed(Shipped, ShippedContent)),
  Layer.provideMerge(Layer.merge(Draining.layer, Cell.layer)),
  Layer.provideMerge(ProcessMetrics.layer),
  Layer.provideMerge(Telemetry.layer),
  Layer.provideMerge(TickScheduler.layer),
)
