/** Inputs of the operations on the callbacks of all campaigns. */
import { z } from "zod"
import { page, Timestamp, Uuid } from "./Fields.ts"

export const CallbackList = z
  .strictObject({
    ...page(100),
    campaign_id: Uuid.exactOptional(),
    from: Timestamp.exactOptional(),
    to: Timestamp.exactOptional(),
  })
  .prefault({})
