/** The room's one layer over the calls room: its door, the events, and what goes on behind it since the start. */
import { Layer } from "effect"
import { Accounts } from "./Accounts.ts"
import { CampaignControl } from "./CampaignControl.ts"
import { CampaignEvents } from "./CampaignEvents.ts"
import { CampaignSupervisor } from "./CampaignSupervisor.ts"
import { Dialer } from "./Dialer.ts"
import * as Recovery from "./Recovery.ts"
import { Schedule } from "./Schedule.ts"

export const layer = Layer.mergeAll(CampaignControl.layer, CampaignEvents.layer, Recovery.layer).pipe(
  Layer.provide(Schedule.layer),
  Layer.provideMerge(CampaignSupervisor.layer),
  Layer.provide(Dialer.layer),
  Layer.provide(Accounts.layer),
)
