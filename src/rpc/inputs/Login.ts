/** Inputs of signing in. */
import { z } from "zod"
import { AccountSlug, Email } from "./Fields.ts"

export const Login = z
  .strictObject({
    email: Email,
    account: AccountSlug.exactOptional(),
    admin: z.boolean().exactOptional(),
  })
  .refine(({ account, admin }) => account !== undefined || admin === true, { path: ["account"], error: "is missing" })

export const AccountToCheck = z.strictObject({ account: AccountSlug })
