/** Shared by the tests of an agent's versions: creates an agent, and reads its versions over REST. */
import { agent } from "./Catalog.ts"
import { made } from "./Fixtures.ts"
import type { Client } from "./TestServer.ts"

/** The path of one agent. */
type Agent = `/api/agents/${string}`

export const create = async (owner: Client, change: object = {}) => {
  const { id } = made(await owner.post("/api/agents", { ...agent(), ...change }))
  return `/api/agents/${id}` as const
}
export const versionOf = async (owner: Client, path: Agent) => made(await owner.get(path)).version
export const versions = async (owner: Client, path: Agent) => made(await owner.get(`${path}/versions`)).items
export const restore = (owner: Client, path: Agent, version: number, query: "" | `?${string}` = "") =>
  owner.post(`${path}/versions/${version}/restore${query}`)
