/** The room's one layer: its doors, over the carriers, the brain and the runner of tools. */
import { Layer } from "effect"
import * as SpeechServer from "../speech/providers/SpeechServer.ts"
import { MediaClock } from "../telephony/MediaClock.ts"
import { Calls } from "./Calls.ts"
import { Chats } from "./visitors/Chats.ts"

/** `AfterCall`, which settles contacts after their calls, is left open: another room provides it. */
export const layer = Chats.layer.pipe(
  Layer.provide([SpeechServer.layer, MediaClock.layer]),
  Layer.provideMerge(Calls.layer),
)
