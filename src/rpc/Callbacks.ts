/** The callbacks of all campaigns over the router. */
import * as OutstandingCallbacks from "../campaigns/OutstandingCallbacks.ts"
import { OutstandingCallback } from "../domain/OutstandingCallback.ts"
import { Page } from "../domain/Page.ts"
import { momentAs } from "../domain/Timestamp.ts"
import * as Inputs from "./inputs/Callbacks.ts"
import { query, router } from "./Procedure.ts"

export const callbacks = router({
  list: query("read", Inputs.CallbackList, Page(OutstandingCallback), ({ from, to, ...filter }) =>
    OutstandingCallbacks.list({ ...filter, ...momentAs("from", from), ...momentAs("to", to) }),
  ),
})
