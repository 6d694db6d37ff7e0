/** Inputs of the operations on caller numbers. */
import { z } from "zod"
import { Key, page, Search, text, Timestamp, Uuid, visible } from "./Fields.ts"

export const CallerNumberKey = z.strictObject({ id: Key })
export const CallerNumberList = z
  .strictObject({ ...page(), campaign_id: Uuid.exactOptional(), search: Search.exactOptional() })
  .prefault({})
export const RestNumber = z.strictObject({
  id: Key,
  until: Timestamp.nullable().exactOptional(),
  detail: text(1, 200)
    .refine(...visible)
    .nullable()
    .exactOptional(),
})
