/** Inputs of the operations on exports. */
import { z } from "zod"
import { Key, page } from "./Fields.ts"

export const NewExport = z.strictObject({ recordings: z.boolean().exactOptional() })
export const ExportKey = z.strictObject({ id: Key })
export const ExportList = z.strictObject(page()).prefault({})
