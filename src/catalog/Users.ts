/** The agents that use a tool, a playbook or an FAQ, by name: the apps show which agents a change reaches. */
import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { CatalogUser } from "../domain/CatalogUser.ts"
import { readable } from "../tenancy/ReadableRows.ts"
import * as Faqs from "./Faqs.ts"
import * as Playbooks from "./Playbooks.ts"
import * as Tools from "./Tools.ts"

const Row = Schema.toType(CatalogUser)
/** The maximum number of agents in an answer: more than a person reads. */
const most = 200

const findAgents = (join: (sql: SqlClient.SqlClient, id: string) => Statement.Fragment) =>
  Effect.fnUntraced(function* (id: string) {
    const sql = yield* SqlClient.SqlClient
    return yield* sql`
      select a.id, a.name, h.enabled from agents a join ${join(sql, id)} h on h.agent_id = a.id
      order by a.name limit ${most}`.pipe(Effect.flatMap(readable(Row)), Effect.orDie)
  })

const ofToolId = findAgents((sql, id) => sql`(select agent_id, enabled from agent_tools where tool_id = ${id})`)
const ofPlaybookId = findAgents(
  (sql, id) => sql`(select agent_id, true as enabled from agent_playbooks where playbook_id = ${id})`,
)
const ofFaqId = findAgents((sql, id) => sql`(select agent_id, true as enabled from agent_faqs where faq_id = ${id})`)

export const ofTool = (idOrName: string) => Effect.flatMap(Tools.find(idOrName), ({ id }) => ofToolId(id))
export const ofPlaybook = (idOrName: string) => Effect.flatMap(Playbooks.find(idOrName), ({ id }) => ofPlaybookId(id))
export const ofFaq = (idOrName: string) => Effect.flatMap(Faqs.find(idOrName), ({ id }) => ofFaqId(id))
