/**
 * Restores an agent to one of its versions, which creates a new version (decision 0016). Tools and playbooks belong to
 * the account: one that other agents use too is restored only if the caller asks for it. Names are never restored:
 * playbooks and requests find a resource by its present name.
 */
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import {
  type AgentVersion,
  type MissingPolicy,
  NotRestorable,
  type Obstacle,
  type SharedPolicy,
} from "../domain/AgentVersion.ts"
import { json, orderedJson } from "../tenancy/Json.ts"
import * as Agents from "./Agents.ts"
import * as AgentVersions from "./AgentVersions.ts"
import { change } from "./Change.ts"
import * as Secrets from "./Secrets.ts"
import { placeOf, storedFor } from "./ToolConfig.ts"

export interface Policy {
  readonly shared?: typeof SharedPolicy.Type
  readonly missing?: typeof MissingPolicy.Type
}

/** Returns the agent's version after the restore. `created` is false if the agent already matched the version. */
export const restore = Effect.fn("AgentRestore.restore")(
  function* (agentIdOrName: string, number: string, { missing = "refuse", shared = "refuse" }: Policy) {
    const sql = yield* SqlClient.SqlClient
    const version = yield* AgentVersions.find(agentIdOrName, number)
    const present = yield* lockAll(version, shared)
    const changed = yield* findChanged(version)

    const deleted = missingFrom(version, present)
    const foreign = changed.filter(({ used_by }) => used_by.length > 0)
    const obstacles = [...(missing === "refuse" ? deleted : []), ...(shared === "refuse" ? foreign : [])]
    const goesBack = changed.filter(({ used_by }) => used_by.length === 0 || shared === "restore")

    // Create one version at the end, not one for each statement.
    yield* sql`select set_config('parley.versions_held', 'on', true)`
    for (const { id, kind } of goesBack) {
      const lost = yield* kind === "tool" ? restoreTool(version, id) : restorePlaybook(version, id)
      obstacles.push(...lost)
    }
    if (obstacles.length > 0) return yield* new NotRestorable({ version: version.version, obstacles })
    yield* restoreAgent(version)
    yield* restoreKit(version, present)
    yield* sql`select set_config('parley.versions_held', '', true)`

    const before = (yield* Agents.find(version.agent_id)).version
    yield* sql`select agent_versions_keep(${[version.agent_id]}::uuid[], false, ${version.version}::int)`
    const others = yield* agentsWith(goesBack.map(({ id }) => id))
    yield* sql`select agent_versions_keep(${others}::uuid[])`
    const agent = yield* Agents.find(version.agent_id)
    const restored = yield* AgentVersions.find(agent.id, String(agent.version))
    return { version: restored, created: agent.version > before }
  },
  change,
  Effect.catchTag("SqlError", Effect.die),
)

interface Present {
  readonly tools: ReadonlySet<string>
  readonly playbooks: ReadonlySet<string>
  readonly faqs: ReadonlySet<string>
}

/** Locks the rows that the version names and that still exist, in the order in which all transactions lock them. */
const lockAll = Effect.fnUntraced(function* (version: AgentVersion, shared: Policy["shared"]) {
  const sql = yield* SqlClient.SqlClient
  const parts = [
    ...version.tools.map(({ tool_id }) => tool_id),
    ...version.playbooks.map(({ playbook_id }) => playbook_id),
  ]
  const lock = (table: string, ids: ReadonlyArray<string>) =>
    Effect.map(
      sql<{ readonly id: string }>`
        select id from ${sql(table)} where id = any(${ids}::uuid[]) order by id for update`,
      (rows) => new Set(rows.map(({ id }) => id)),
    )
  const tools = yield* lock(
    "tools",
    version.tools.map(({ tool_id }) => tool_id),
  )
  const playbooks = yield* lock(
    "playbooks",
    version.playbooks.map(({ playbook_id }) => playbook_id),
  )
  yield* lock("agents", [version.agent_id, ...(shared === "restore" ? yield* agentsWith(parts) : [])])
  const faqs = yield* lock(
    "faqs",
    version.faqs.map(({ faq_id }) => faq_id),
  )
  return { tools, playbooks, faqs } satisfies Present
})

const missingFrom = (version: AgentVersion, present: Present): ReadonlyArray<Obstacle> => {
  const deletedPart = (kind: Obstacle["kind"], id: string, name: string | null): Obstacle => ({
    kind,
    id,
    name,
    used_by: [],
    detail: `the ${kind === "faq" ? "FAQ" : kind} ${name ?? id} was deleted`,
  })
  return [
    ...version.tools.flatMap(({ tool_id, tool_name }) =>
      present.tools.has(tool_id) ? [] : [deletedPart("tool", tool_id, tool_name)],
    ),
    ...version.playbooks.flatMap(({ definition, playbook_id }) =>
      present.playbooks.has(playbook_id) ? [] : [deletedPart("playbook", playbook_id, definition.name)],
    ),
    ...version.faqs.flatMap(({ faq_id, name }) => (present.faqs.has(faq_id) ? [] : [deletedPart("faq", faq_id, name)])),
  ]
}

/**
 * The tools and playbooks that differ from the version in more than their name, each with the other agents that use it.
 */
const findChanged = Effect.fnUntraced(function* ({ agent_id, version }: AgentVersion) {
  const sql = yield* SqlClient.SqlClient
  /** The present row with the name that it had in the version, so that a new name alone is no difference. */
  const presentRow = (row: "t" | "p") =>
    sql`jsonb_populate_record(${sql(row)}, jsonb_build_object('name', old -> 'definition' ->> 'name'))`
  const rows = yield* sql<{ kind: "tool" | "playbook"; id: string; name: string; used_by: ReadonlyArray<string> }>`
    with kept as (
      select c.content from agent_versions v
      join agent_contents c on c.agent_id = v.agent_id and c.digest = v.content_digest
      where v.agent_id = ${agent_id} and v.version = ${version})
    select 'tool' as kind, t.id, t.name,
      array(select a.name from agent_tools e join agents a on a.id = e.agent_id
            where e.tool_id = t.id and e.enabled and e.agent_id <> ${agent_id} order by a.name) as used_by
    from kept, json_array_elements(kept.content -> 'tools') old join tools t on t.id = (old ->> 'tool_id')::uuid
    where json_typeof(old -> 'definition') = 'object' and (old -> 'definition')::text <> tool_definition(${presentRow("t")})::text
    union all
    select 'playbook', p.id, p.name,
      array(select a.name from agent_playbooks u join agents a on a.id = u.agent_id
            where u.playbook_id = p.id and u.agent_id <> ${agent_id} order by a.name)
    from kept, json_array_elements(kept.content -> 'playbooks') old join playbooks p on p.id = (old ->> 'playbook_id')::uuid
    where (old -> 'definition')::text <> playbook_definition(${presentRow("p")})::text`
  return rows.map(({ id, kind, name, used_by }): Obstacle => ({
    kind,
    id,
    name,
    used_by,
    detail: `the ${kind} ${name} has changed since then, and is also used by ${used_by.join(", ")}`,
  }))
})

/**
 * Restores a tool, whose secrets keep their present values. Returns an obstacle for each secret of the version that is
 * no longer stored.
 */
const restoreTool = Effect.fnUntraced(function* (version: AgentVersion, id: string) {
  const sql = yield* SqlClient.SqlClient
  const definition = version.tools.find(({ tool_id }) => tool_id === id)?.definition
  if (definition === null || definition === undefined) return []
  const [stored] = yield* sql<{ readonly implementation_config: Record<string, never> }>`
    select implementation_config from tools where id = ${id}`
  const { implementation_config: kept, name, ...rest } = definition
  const present = stored && storedFor(kept, stored.implementation_config)
  const config = yield* Effect.result(Secrets.sealSecrets(placeOf(id), "", kept, present))
  if (Result.isFailure(config)) {
    return config.failure.errors.map(({ pointer }): Obstacle => ({
      kind: "secret",
      id,
      name,
      used_by: [],
      detail: `the tool ${name} no longer has the secret for this version's URL at implementation_config${pointer}`,
    }))
  }
  const { description, implementation_code, implementation_type } = rest
  const columns = { description, implementation_type, implementation_code }
  yield* sql`
    update tools set
      ${sql.update({ ...columns, schema: orderedJson(rest.schema), implementation_config: json(config.success) })},
      modified_from_default = is_default, revision = revision + 1, updated_at = now()
    where id = ${id}`
  return []
})

const restorePlaybook = Effect.fnUntraced(function* (version: AgentVersion, id: string) {
  const sql = yield* SqlClient.SqlClient
  const definition = version.playbooks.find(({ playbook_id }) => playbook_id === id)?.definition
  if (definition === undefined) return []
  const { display_name, prompt, tool_names } = definition
  yield* sql`
    update playbooks set
      ${sql.update({ display_name, prompt, tool_names })},
      modified_from_default = is_default, revision = revision + 1, updated_at = now()
    where id = ${id}`
  return []
})

const restoreAgent = Effect.fnUntraced(function* ({ agent, agent_id }: AgentVersion) {
  const sql = yield* SqlClient.SqlClient
  const { dispositions, model, name: _, outcome_schema, voice, ...plain } = agent
  const columns = {
    ...plain,
    voice: json(voice),
    model: json(model),
    outcome_schema: orderedJson(outcome_schema),
    dispositions: json(dispositions),
  }
  yield* sql`
    update agents set ${sql.update(columns)}, updated_at = now() where id = ${agent_id}`
})

const restoreKit = Effect.fnUntraced(function* (version: AgentVersion, present: Present) {
  const sql = yield* SqlClient.SqlClient
  const { agent_id } = version
  const tools = version.tools.filter(({ tool_id }) => present.tools.has(tool_id))
  const playbooks = version.playbooks.filter(({ playbook_id }) => present.playbooks.has(playbook_id))
  const faqs = version.faqs.map(({ faq_id }) => faq_id).filter((id) => present.faqs.has(id))
  yield* sql`
    delete from agent_tools where agent_id = ${agent_id} and tool_id <> all(${tools.map(({ tool_id }) => tool_id)}::uuid[])`
  yield* sql`
    insert into agent_tools (agent_id, tool_id, config, enabled)
    select ${agent_id}, tool_id, config, enabled
    from jsonb_to_recordset(${json(tools)}::jsonb) as t(tool_id uuid, config jsonb, enabled boolean)
    on conflict (agent_id, tool_id) do update
      set config = excluded.config, enabled = excluded.enabled, updated_at = now()
      where (agent_tools.config, agent_tools.enabled) is distinct from (excluded.config, excluded.enabled)`
  const order = playbooks.map(({ playbook_id }) => playbook_id)
  yield* sql`delete from agent_playbooks where agent_id = ${agent_id} and playbook_id <> all(${order}::uuid[])`
  yield* sql`
    insert into agent_playbooks (agent_id, playbook_id, position)
    select ${agent_id}, id, at - 1 from unnest(${order}::uuid[]) with ordinality as p(id, at)
    on conflict (agent_id, playbook_id) do update set position = excluded.position`
  yield* sql`delete from agent_faqs where agent_id = ${agent_id} and faq_id <> all(${faqs}::uuid[])`
  yield* sql`
    insert into agent_faqs (agent_id, faq_id) select ${agent_id}, id from unnest(${faqs}::uuid[]) id
    on conflict do nothing`
})

const agentsWith = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly agent_id: string }>`
    select agent_id from agent_tools where tool_id = any(${ids}::uuid[]) and enabled
    union select agent_id from agent_playbooks where playbook_id = any(${ids}::uuid[])`
  return rows.map(({ agent_id }) => agent_id)
})
