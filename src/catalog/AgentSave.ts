/** Saves several changes to an agent's fields and its kit as one version: all of them or none. */
import { Effect, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { unknownReference } from "../domain/Refusals.ts"
import { json } from "../tenancy/Json.ts"
import * as Agents from "./Agents.ts"
import { change } from "./Change.ts"

/** Fields that are left out stay as they are. */
export interface KitChange {
  /** Enablements that are added, or replaced by exactly this. */
  readonly tools?: ReadonlyArray<{
    readonly tool_name: string
    readonly config: Schema.JsonObject
    readonly enabled: boolean
  }>
  readonly tools_removed?: ReadonlyArray<string>
  /** The ids of playbooks, in their order in the prompt. A playbook that the agent does not have is attached. */
  readonly playbooks?: ReadonlyArray<string>
  readonly playbooks_detached?: ReadonlyArray<string>
  readonly faqs_attached?: ReadonlyArray<string>
  readonly faqs_detached?: ReadonlyArray<string>
}

export const save = Effect.fn("AgentSave.save")(
  function* (idOrName: string, fields: Partial<Agents.AgentFields>, kit: KitChange, ifMatch: string | undefined) {
    const sql = yield* SqlClient.SqlClient
    const { faqs_attached = [], playbooks = [], tools = [] } = kit
    // Tools and playbooks are locked before the agent. A request that changes a tool or a playbook, and thereby its
    // agents, locks them in the same order.
    const toolIds = yield* lockTools(tools.map(({ tool_name }) => tool_name))
    yield* lock("playbooks", "playbook", "/kit/playbooks", playbooks)
    yield* sql`select set_config('parley.versions_held', 'on', true)`
    const { id } = yield* Agents.update(idOrName, fields, ifMatch)
    yield* lock("faqs", "FAQ", "/kit/faqs_attached", faqs_attached)

    yield* sql`
      delete from agent_tools e using tools t
      where e.agent_id = ${id} and t.id = e.tool_id and t.name = any(${kit.tools_removed ?? []}::text[])`
    const wanted = tools.map(({ config, enabled, tool_name }) => ({ tool_id: toolIds.get(tool_name), config, enabled }))
    yield* sql`
      insert into agent_tools (agent_id, tool_id, config, enabled)
      select ${id}, tool_id, config, enabled
      from jsonb_to_recordset(${json(wanted)}::jsonb) as t(tool_id uuid, config jsonb, enabled boolean)
      on conflict (agent_id, tool_id) do update
        set config = excluded.config, enabled = excluded.enabled, updated_at = now()`
    yield* sql`
      delete from agent_playbooks
      where agent_id = ${id} and playbook_id = any(${kit.playbooks_detached ?? []}::uuid[])`
    yield* sql`
      insert into agent_playbooks (agent_id, playbook_id, position)
      select ${id}, playbook_id, place - 1
      from unnest(${playbooks}::uuid[]) with ordinality as p(playbook_id, place)
      on conflict (agent_id, playbook_id) do update set position = excluded.position`
    yield* sql`
      delete from agent_faqs where agent_id = ${id} and faq_id = any(${kit.faqs_detached ?? []}::uuid[])`
    yield* sql`
      insert into agent_faqs (agent_id, faq_id) select ${id}, faq_id from unnest(${faqs_attached}::uuid[]) faq_id
      on conflict do nothing`

    yield* sql`select set_config('parley.versions_held', '', true)`
    yield* sql`select agent_versions_keep(${[id]}::uuid[], true)`
    return yield* Effect.orDie(Agents.find(id))
  },
  change,
  Effect.catchTag("SqlError", Effect.die),
)

/** Returns the ids of the tools by their names. Until the commit, no other request can rename or delete these tools. */
const lockTools = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: string; readonly name: string }>`
    select id, name from tools where name = any(${names}::text[]) order by id for key share`
  const found = new Map(rows.map(({ id, name }) => [name, id]))
  yield* refuseMissing("/kit/tools", "tool", names, found)
  return found
})

const lock = Effect.fnUntraced(function* (
  table: string,
  resource: string,
  pointer: string,
  ids: ReadonlyArray<string>,
) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: string }>`
    select id from ${sql(table)} where id = any(${ids}::uuid[]) order by id for key share`
  yield* refuseMissing(pointer, resource, ids, new Map(rows.map(({ id }) => [id, id])))
})

/** Refuses the first reference that was not found. */
const refuseMissing = (
  pointer: string,
  resource: string,
  wanted: ReadonlyArray<string>,
  found: ReadonlyMap<string, string>,
) => {
  const at = wanted.findIndex((one) => !found.has(one))
  return at === -1 ? Effect.void : Effect.fail(unknownReference(`${pointer}/${at}`, resource, wanted[at] ?? ""))
}
