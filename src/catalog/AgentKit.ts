/**
 * Everything that an agent has on a call, as one of its versions defines it: its own fields, its enabled tools, its
 * playbooks in order, its FAQs (decision 0016).
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Agent } from "../domain/Agent.ts"
import type { PlaybookDefinition, ToolDefinition, VersionedTool } from "../domain/AgentVersion.ts"
import { isUuid } from "../domain/Name.ts"
import { NotFound } from "../domain/Refusals.ts"
import type { Tool } from "../domain/Tool.ts"
import { readable } from "../tenancy/ReadableRows.ts"
import * as Rows from "../tenancy/Rows.ts"
import * as AgentContents from "./AgentContents.ts"
import type { AgentRow } from "./Agents.ts"
import * as Secrets from "./Secrets.ts"
import { placeOf, storedFor } from "./ToolConfig.ts"

/** A tool as this agent has it. The secrets in `implementation_config` are open; `config` is that of the enablement. */
export interface EquippedTool extends ToolDefinition {
  readonly id: Tool["id"]
  readonly config: Schema.JsonObject
}

export interface AgentKit {
  readonly agent: AgentRow
  readonly tools: ReadonlyArray<EquippedTool>
  readonly playbooks: ReadonlyArray<PlaybookDefinition>
  /** The FAQs that the agent may look up. Their answers are read when it looks them up. */
  readonly faqs: ReadonlyArray<{ readonly id: string }>
}

/** Whether the agent has the built-in tool of this name. */
export const hasBuiltIn = ({ tools }: AgentKit, tool: string): boolean =>
  tools.some(({ is_default, name }) => is_default && name === tool)

const Row = Schema.toType(
  Schema.Struct({
    ...Agent.fields,
    revision: Schema.Int,
    kit_version: Schema.Int,
    ...AgentContents.fields,
    faq_ids: Schema.Array(Schema.String),
  }),
)

/**
 * The kit of an agent, by id or name, as `version` has it or as it is now. Its secrets are open, so it is only for a
 * call and must never be part of an answer to a client.
 */
export const find = Effect.fn("AgentKit.find")(function* (idOrName: string, version?: number | null) {
  const sql = yield* SqlClient.SqlClient
  const row = yield* Rows.first(Row)(sql`
    select a.*, v.version as kit_version, ${sql.literal(AgentContents.columns)}, v.faq_ids::text[] as faq_ids
    from agents a
    join agent_versions v on v.agent_id = a.id and v.version = ${version ?? sql.literal("a.version")}
    join agent_contents c on c.agent_id = a.id and c.digest = v.content_digest
    where ${isUuid(idOrName) ? sql`a.id = ${idOrName}` : sql`a.name = ${idOrName}`}`).pipe(Effect.orDie)
  if (row === undefined) return yield* new NotFound({ resource: "agent", id: idOrName })
  const { content, content_digest, content_of, faq_ids, kit_version, ...agent } = row
  const whole = yield* AgentContents.wholeOf({ content, content_digest, content_of })
  const configs = yield* presentConfigs(whole.tools)
  const tools: Array<EquippedTool> = []
  for (const { config, definition, tool_id } of whole.tools) {
    if (definition === null) continue
    const { implementation_config: kept } = definition
    const present = configs.get(tool_id)
    const refilled = Secrets.refillSecrets(kept, present && storedFor(kept, present))
    const implementation_config = yield* Secrets.openSecrets(placeOf(tool_id), refilled)
    // A long content has megabytes: other fibers run between its tools.
    if (content === null) yield* Effect.yieldNow
    tools.push({ ...definition, id: tool_id, config, implementation_config })
  }
  const kit: AgentKit = {
    agent: { ...agent, ...whole.agent, version: kit_version },
    tools,
    playbooks: whole.playbooks.map(({ definition }) => definition),
    faqs: faq_ids.map((id) => ({ id })),
  }
  return kit
})

const Config = Schema.toType(Schema.Struct({ id: Schema.String, implementation_config: Schema.JsonObject }))

/** The present `implementation_config` of http tools, by tool id. Secrets are stored only there. */
const presentConfigs = Effect.fnUntraced(function* (tools: ReadonlyArray<VersionedTool>) {
  const ids = tools.flatMap(({ definition, tool_id }) => (definition?.implementation_type === "http" ? [tool_id] : []))
  if (ids.length === 0) return new Map<string, Schema.JsonObject>()
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select id, implementation_config from tools
    where id = any(${ids}::uuid[]) and implementation_type = 'http'`.pipe(
    Effect.flatMap(readable(Config)),
    Effect.orDie,
  )
  return new Map(rows.map(({ id, implementation_config }) => [id, implementation_config]))
})
