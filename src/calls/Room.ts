/** The room's one layer: its doors, over the carriers and their clock, the brain and the runner of tools. */
import { Layer } from "effect"
import { Calls } from "./Calls.ts"
import { Reception } from "./callers/Reception.ts"
import { Registrations } from "./callers/Registrations.ts"
import { TelnyxCallers } from "./callers/TelnyxCallers.ts"
import { TwilioCallers } from "./callers/TwilioCallers.ts"
import { TrunkCallers } from "./callers/TrunkCallers.ts"
import { Chats } from "./visitors/Chats.ts"

/** `AfterCall`, which settles contacts after their calls, is left open: another room provides it. */
export const layer = Layer.mergeAll(
  Chats.layer,
  TrunkCallers.layer,
  TwilioCallers.layer,
  TelnyxCallers.layer,
  Registrations.layer,
).pipe(Layer.provideMerge(Reception.layer), Layer.provideMerge(Calls.layer))
