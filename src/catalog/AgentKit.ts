/**
 * Everything that feeds an agent on a call, as one of its versions has it: its own fields, its enabled tools, its
 * playbooks in order, its FAQs (decision 0016). One row is read for it.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Agent } from "../domain/Agent.ts"
import { AgentContent, type PlaybookDefinition, type ToolDefinition } from "../domain/AgentVersion.ts"
import { isUuid } from "../domain/Name.ts"
import { NotFound } from "../domain/Refusals.ts"
import type { Tool } from "../domain/Tool.ts"
import type { AgentRow } from "./Agents.ts"
import { decoderOf } from "./Rows.ts"
import * as Secrets from "./Secrets.ts"
import { placeOf, storedFor } from "./ToolConfig.ts"

/** A tool as this agent has it: the secrets of `implementation_config` are open, `config` is the enablement's. */
export interface EquippedTool extends ToolDefinition {
  readonly id: Tool["id"]
  readonly config: Schema.JsonObject
}

export interface AgentKit {
  readonly agent: AgentRow
  readonly tools: ReadonlyArray<EquippedTool>
  readonly playbooks: ReadonlyArray<PlaybookDefinition>
  /** Which it may look up; what they say is read when it is asked for. */
  readonly faqs: ReadonlyArray<{ readonly id: string }>
}

const Row = Schema.toType(
  Schema.Struct({
    ...Agent.fields,
    revision: Schema.Int,
    kit_version: Schema.Int,
    content: AgentContent,
    faq_ids: Schema.Array(Schema.String),
    /** The present `implementation_config` of its http tools: the one place where their secrets are. */
    configs: Schema.NullOr(Schema.Record(Schema.String, Schema.JsonObject)),
  }),
)

/**
 * The kit of an agent, by id or name, as `version` has it or as it is now. For a call: never for an answer, since secrets
 * are open in it.
 */
export const of = Effect.fn("AgentKit.of")(function* (idOrName: string, version?: number | null) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`
    select a.*, v.version as kit_version, c.content, v.faq_ids::text[] as faq_ids,
      (select jsonb_object_agg(t.id, t.implementation_config) from tools t
       where t.id = any(v.tool_ids) and t.implementation_type = 'http') as configs
    from agents a
    join agent_versions v on v.agent_id = a.id and v.version = ${version ?? sql.literal("a.version")}
    join agent_contents c on c.agent_id = a.id and c.digest = v.content_digest
    where ${isUuid(idOrName) ? sql`a.id = ${idOrName}` : sql`a.name = ${idOrName}`}`.pipe(
    Effect.flatMap(decoderOf(Row)),
    Effect.orDie,
  )
  if (row === undefined) return yield* new NotFound({ resource: "agent", id: idOrName })
  const { configs, content, faq_ids, kit_version, ...agent } = row
  const tools: Array<EquippedTool> = []
  for (const { config, definition, tool_id } of content.tools) {
    if (definition === null) continue
    const { implementation_config: kept } = definition
    const present = configs?.[tool_id]
    const whole = Secrets.refilled(kept, present && storedFor(kept, present))
    const implementation_config = yield* Secrets.opened(placeOf(tool_id), whole)
    tools.push({ ...definition, id: tool_id, config, implementation_config })
  }
  const kit: AgentKit = {
    agent: { ...agent, ...content.agent, version: kit_version },
    tools,
    playbooks: content.playbooks.map(({ definition }) => definition),
    faqs: faq_ids.map((id) => ({ id })),
  }
  return kit
})
