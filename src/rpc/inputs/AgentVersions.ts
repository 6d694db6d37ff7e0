/** Inputs of the operations on agents' versions. */
import { z } from "zod"
import { between, Key, page } from "./Fields.ts"

export const AgentVersionList = z.strictObject({ agent_id: Key, ...page() })

const version = { agent_id: Key, version: z.string() }

export const AgentVersionKey = z.strictObject(version)
export const AgentVersionComparison = z.strictObject({ ...version, against: between(0, 2_147_483_647).exactOptional() })
export const AgentVersionReturn = z.strictObject({
  ...version,
  shared: z.enum(["refuse", "keep", "restore"]).exactOptional(),
  missing: z.enum(["refuse", "leave_out"]).exactOptional(),
})
