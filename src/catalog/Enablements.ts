/** Which tools an agent has (spec §2, Agent-tool enablement; decisions §2). */
import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { Enablement } from "../domain/Enablement.ts"
import { isUuid } from "../domain/Name.ts"
import type { PageRequest } from "../domain/Page.ts"
import { notFoundInAgent, unknownReference } from "../domain/Refusals.ts"
import { json } from "../tenancy/Json.ts"
import * as Rows from "../tenancy/Rows.ts"
import * as Agents from "./Agents.ts"
import { change } from "./Change.ts"
import { pageOf } from "./Listing.ts"

const Row = Schema.toType(Enablement)
const Changed = Schema.toType(Schema.Struct({ ...Enablement.fields, created: Schema.Boolean }))

export interface NewEnablement {
  readonly tool_name: string
  readonly config?: Schema.JsonObject
  readonly enabled?: boolean
}

export const list = Effect.fnUntraced(function* (agentIdOrName: string, page: PageRequest) {
  const sql = yield* SqlClient.SqlClient
  const agent = yield* Agents.find(agentIdOrName)
  return yield* pageOf(
    {
      row: Row,
      columns: sql.literal("t.name as tool_name, e.config, e.enabled, e.created_at, e.updated_at"),
      from: sql.literal("agent_tools e join tools t on t.id = e.tool_id"),
      where: [sql`e.agent_id = ${agent.id}`],
      order: sql.literal("e.created_at desc, t.id desc"),
    },
    page,
  )
})

/** Replaces the enablement: a config that is left out becomes `{}` again (decisions §2, Enablement). */
export const set = Effect.fn("Enablements.set")(
  function* (agentIdOrName: string, { tool_name, config = {}, enabled = true }: NewEnablement) {
    const sql = yield* SqlClient.SqlClient
    const agent = yield* Agents.find(agentIdOrName, "for key share")
    const [tool] = yield* sql<{ readonly id: string }>`select id from tools where name = ${tool_name} for key share`
    if (tool === undefined) return yield* unknownReference("/tool_name", "tool", tool_name)
    const { created, ...enablement } = yield* Rows.one(Changed)(sql`
      insert into agent_tools ${sql.insert({ agent_id: agent.id, tool_id: tool.id, config: json(config), enabled })}
      on conflict (agent_id, tool_id) do update set
        config = excluded.config, enabled = excluded.enabled, updated_at = now()
      returning ${tool_name}::text as tool_name, config, enabled, created_at, updated_at, xmax = 0 as created`)
    return { enablement, created }
  },
  change,
  Effect.catchTag("SqlError", Effect.die),
)

export const remove = Effect.fn("Enablements.remove")(
  function* (agentIdOrName: string, tool: string) {
    const sql = yield* SqlClient.SqlClient
    const agent = yield* Agents.find(agentIdOrName)
    const removed = yield* sql`
      delete from agent_tools e using tools t
      where e.agent_id = ${agent.id} and t.id = e.tool_id and ${matchIdOrName(sql, tool)} returning e.tool_id`
    if (removed.length === 0) return yield* notFoundInAgent("tool", agent, tool)
  },
  change,
  Effect.catchTag("SqlError", Effect.die),
)

const matchIdOrName = (sql: SqlClient.SqlClient, idOrName: string): Statement.Fragment =>
  isUuid(idOrName) ? sql`t.id = ${idOrName}` : sql`t.name = ${idOrName}`
