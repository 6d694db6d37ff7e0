/** Everything that feeds an agent on a call, read at one moment: its enabled tools, its playbooks in order, its FAQs. */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { Faq } from "../domain/Faq.ts"
import { Playbook } from "../domain/Playbook.ts"
import { Tool } from "../domain/Tool.ts"
import * as Agents from "./Agents.ts"
import * as Secrets from "./Secrets.ts"
import { placeOf } from "./ToolConfig.ts"

const ToolRow = Schema.toType(Schema.Struct({ ...Tool.fields, config: Schema.JsonObject }))
const PlaybookRow = Schema.toType(Playbook)
const FaqRow = Schema.toType(Faq)

/** A tool as this agent has it: the secrets of `implementation_config` are open, `config` is the enablement's. */
export interface EquippedTool extends Tool {
  readonly config: Schema.JsonObject
}

export interface AgentKit {
  readonly agent: Agents.AgentRow
  readonly tools: ReadonlyArray<EquippedTool>
  readonly playbooks: ReadonlyArray<Playbook>
  readonly faqs: ReadonlyArray<Faq>
}

/** The kit of an agent, by id or name. For a call: never for an answer, since secrets are open in it. */
export const of = Effect.fn("AgentKit.of")(
  function* (idOrName: string) {
    const sql = yield* SqlClient.SqlClient
    const agent = yield* Agents.find(idOrName)
    const [rows, playbooks, faqs] = yield* Effect.all(
      [
        SqlSchema.findAll({
          Request: Schema.Void,
          Result: ToolRow,
          execute: () => sql`
            select t.*, e.config from agent_tools e join tools t on t.id = e.tool_id
            where e.agent_id = ${agent.id} and e.enabled order by t.name`,
        })(),
        SqlSchema.findAll({
          Request: Schema.Void,
          Result: PlaybookRow,
          execute: () => sql`
            select p.* from agent_playbooks a join playbooks p on p.id = a.playbook_id
            where a.agent_id = ${agent.id} order by a.position, a.created_at, p.id`,
        })(),
        SqlSchema.findAll({
          Request: Schema.Void,
          Result: FaqRow,
          execute: () => sql`
            select f.id, f.name, f.question, f.answer, f.category, f.is_default, f.modified_from_default, f.created_at, f.updated_at
            from agent_faqs a join faqs f on f.id = a.faq_id
            where a.agent_id = ${agent.id} order by a.created_at, f.id`,
        })(),
      ],
      { concurrency: 3 },
    )
    const tools = yield* Effect.forEach(rows, (row) =>
      Effect.map(Secrets.opened(placeOf(row.id), row.implementation_config), (implementation_config): EquippedTool => ({
        ...row,
        implementation_config,
      })),
    )
    const kit: AgentKit = { agent, tools, playbooks, faqs }
    return kit
  },
  Effect.catchTag(["SqlError", "SchemaError"], Effect.die),
)
