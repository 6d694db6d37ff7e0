/** The playbooks of an agent, in the order in which they are added to its prompt (decisions §2, Playbook). */
import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { PageRequest } from "../domain/Page.ts"
import { PlaybookAttachment } from "../domain/Playbook.ts"
import { notFoundInAgent, unknownReference } from "../domain/Refusals.ts"
import * as Rows from "../tenancy/Rows.ts"
import * as Agents from "./Agents.ts"
import { change } from "./Change.ts"
import { pageOf } from "./Listing.ts"
import * as Playbooks from "./Playbooks.ts"

const Row = Schema.toType(PlaybookAttachment)

/** An attachment, with the tools that its playbook names and the agent has not enabled. */
const columns = `p.id as playbook_id, p.name, a.position,
  array(select name from unnest(p.tool_names) with ordinality needed(name, place)
        where not exists (select from agent_tools e join tools t on t.id = e.tool_id
                          where e.agent_id = a.agent_id and e.enabled and t.name = needed.name)
        order by place) as missing_tools`
const tables = "agent_playbooks a join playbooks p on p.id = a.playbook_id"

export const list = Effect.fnUntraced(function* (agentIdOrName: string, page: PageRequest) {
  const sql = yield* SqlClient.SqlClient
  const agent = yield* Agents.find(agentIdOrName)
  return yield* pageOf(
    {
      row: Row,
      columns: sql.literal(columns),
      from: sql.literal(tables),
      where: [sql`a.agent_id = ${agent.id}`],
      order: sql.literal("a.position, a.created_at, p.id"),
    },
    page,
  )
})

export interface NewAttachment {
  readonly playbook_id: string
  readonly position?: number
}

/** Attaches a playbook. If it is attached already, it moves to `position`, or stays where it is if none is given. */
export const attach = Effect.fn("AgentPlaybooks.attach")(
  function* (agentIdOrName: string, { playbook_id, position }: NewAttachment) {
    const sql = yield* SqlClient.SqlClient
    const { id } = yield* Agents.find(agentIdOrName)
    // The playbook is locked before the agent. A change of the playbook, which also changes its agents, locks them in
    // the same order.
    const playbook = yield* Playbooks.find(playbook_id, "for key share").pipe(
      Effect.catchTag("NotFound", () => unknownReference("/playbook_id", "playbook", playbook_id)),
    )
    // The agent's lock orders simultaneous attachments, so that no two get the same last position.
    const agent = yield* Agents.find(id, "for no key update")
    const last: Statement.Fragment = sql`(
      select coalesce(max(position) + 1, 0) from agent_playbooks where agent_id = ${agent.id})`
    const [changed] = yield* sql<{ readonly created: boolean }>`
      insert into agent_playbooks (agent_id, playbook_id, position)
      values (${agent.id}, ${playbook.id}, ${position === undefined ? last : sql`${position}`})
      on conflict (agent_id, playbook_id) do update set
        position = ${position === undefined ? sql.literal("agent_playbooks.position") : sql.literal("excluded.position")}
      returning xmax = 0 as created`
    const attachment = yield* Rows.one(Row)(sql`
      select ${sql.literal(columns)} from ${sql.literal(tables)}
      where a.agent_id = ${agent.id} and a.playbook_id = ${playbook.id}`)
    return { attachment, created: changed?.created === true }
  },
  change,
  Effect.catchTag("SqlError", Effect.die),
)

export const detach = Effect.fn("AgentPlaybooks.detach")(
  function* (agentIdOrName: string, playbook: string) {
    const sql = yield* SqlClient.SqlClient
    const agent = yield* Agents.find(agentIdOrName)
    const { id, name } = yield* Playbooks.find(playbook)
    const removed = yield* sql`
      delete from agent_playbooks where agent_id = ${agent.id} and playbook_id = ${id} returning playbook_id`
    if (removed.length === 0) return yield* notFoundInAgent("playbook", agent, name)
  },
  change,
  Effect.catchTag("SqlError", Effect.die),
)
