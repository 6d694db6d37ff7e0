/** The room's one layer over the calls room: its door, the events, and the fibers that run behind it from the start. */
import { Layer } from "effect"
import { Placement } from "../cluster/Placement.ts"
import { Accounts } from "./Accounts.ts"
import { CampaignControl } from "./CampaignControl.ts"
import { CampaignEvents } from "./CampaignEvents.ts"
import { CampaignSupervisor } from "./dialling/CampaignSupervisor.ts"
import { Dialer } from "./dialling/Dialer.ts"
import { Preflight } from "./Preflight.ts"
import * as Recovery from "./dialling/Recovery.ts"

export const layer = Layer.mergeAll(
  CampaignControl.layer,
  CampaignEvents.layer,
  Recovery.layer,
  CampaignSupervisor.layer,
  Preflight.layer,
).pipe(Layer.provide(Dialer.layer), Layer.provide(Layer.merge(Accounts.layer, Placement.layer)))
