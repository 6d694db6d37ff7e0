/** Inputs of the operations on people. */
import { z } from "zod"
import { Key } from "./Fields.ts"

export const PersonKey = z.strictObject({ phone_number: Key })
