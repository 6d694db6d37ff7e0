/** Inputs of the operations on rule packs. */
import { z } from "zod"
import { Key, page } from "./Fields.ts"

export const RulePackList = z.strictObject(page()).prefault({})
export const RulePackKey = z.strictObject({ id: Key })
