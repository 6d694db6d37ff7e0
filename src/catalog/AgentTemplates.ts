/**
 * All texts of an agent that contain variables of a call: its disclosure, its first message, its prompt, its playbooks and
 * its FAQs' answers.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export interface AgentTemplate {
  /** `disclosure`, `system_prompt`, `first_message`, `playbook:NAME`, `faq:NAME`. */
  readonly place: string
  readonly text: string
}

/**
 * The texts as of `version`, or as they are now; FAQs' answers are always as they are now (decision 0016). They come in
 * the order disclosure, first message, prompt, playbooks, FAQs. Only the first 200 FAQs that look like templates are included: an
 * agent may have ten thousand.
 */
export const list = Effect.fn("AgentTemplates.list")(function* (agentId: string, version: number | null) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<AgentTemplate>`
    with kit as (
      select v.faq_ids, c.content from ${versions(sql, agentId, version)}
      join agent_contents c on c.agent_id = v.agent_id and c.digest = v.content_digest)
    select place, text from (
      select 0 as part, 0::int8 as position, 'disclosure' as place, content #>> '{agent,disclosure}' as text from kit
      where content #>> '{agent,disclosure}' <> ''
      union all
      select 1 as part, 0::int8 as position, 'first_message' as place, content #>> '{agent,first_message}' as text from kit
      union all
      select 2, 0, 'system_prompt', content #>> '{agent,system_prompt}' from kit
      union all
      select 3, p.position, 'playbook:' || (p.item #>> '{definition,name}'), p.item #>> '{definition,prompt}'
      from kit cross join json_array_elements(kit.content -> 'playbooks') with ordinality p(item, position)
      union all
      (select 4, 0, 'faq:' || f.name, f.answer
       from kit join faqs f on f.id = any(kit.faq_ids)
       where f.answer like '%{_%' and f.answer ~ '[{][{%]'
       order by f.name limit 200)
    ) texts
    order by part, position, place`
}, Effect.orDie)

/** An identifier of the present texts, which changes whenever they do. Undefined if the agent was deleted. */
export const editionOf = Effect.fn("AgentTemplates.editionOf")(function* (agentId: string, version: number | null) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<{ readonly version: number; readonly faqs: string }>`
    select v.version, (select coalesce(sum(f.revision), 0)::text from faqs f where f.id = any(v.faq_ids)) as faqs
    from ${versions(sql, agentId, version)}`
  return found === undefined ? undefined : `${found.version}:${agentId}:${found.faqs}`
}, Effect.orDie)

const versions = (sql: SqlClient.SqlClient, agentId: string, version: number | null) => sql`
  agents a join agent_versions v
    on v.agent_id = a.id and a.id = ${agentId} and v.version = ${version ?? sql.literal("a.version")}`
