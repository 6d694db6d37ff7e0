/**
 * The versions of an agent: their contents and their differences (decision 0016). Triggers in the database create them.
 */
import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import {
  type AgentVersion,
  AgentVersionSummary,
  type AgentVersionDiff,
  VersionedAgent,
  VersionedFaq,
  versionOf,
} from "../domain/AgentVersion.ts"
import type { PageRequest } from "../domain/Page.ts"
import { NotFound, notFoundInAgent } from "../domain/Refusals.ts"
import * as Rows from "../tenancy/Rows.ts"
import * as AgentContents from "./AgentContents.ts"
import * as Agents from "./Agents.ts"
import { changesBetween } from "./AgentVersionDiff.ts"
import { pageOf } from "./Listing.ts"

const SummaryRow = Schema.toType(AgentVersionSummary)
const Row = Schema.toType(
  Schema.Struct({ ...AgentVersionSummary.fields, ...AgentContents.fields, faqs: Schema.Array(VersionedFaq) }),
)
const OwnFields = Schema.toType(Schema.Struct({ agent: VersionedAgent }))

const columns = `v.agent_id, v.version, v.version = a.version as is_current, v.restored_from, v.created_by, v.created_at`
const tables = "agent_versions v join agents a on a.id = v.agent_id"

/** The agent's versions, newest first. */
export const list = Effect.fn("AgentVersions.list")(function* (agentIdOrName: string, page: PageRequest) {
  const sql = yield* SqlClient.SqlClient
  const agent = yield* Agents.find(agentIdOrName)
  return yield* pageOf(
    {
      row: SummaryRow,
      columns: sql.literal(columns),
      from: sql.literal(tables),
      where: [sql`v.agent_id = ${agent.id}`],
      order: sql.literal("v.version desc"),
    },
    page,
  )
})

/** The version with this number, which is given as the text from the path. */
export const find = Effect.fn("AgentVersions.find")(function* (agentIdOrName: string, version: string) {
  const agent = yield* Agents.find(agentIdOrName)
  const found = yield* read(agent.id, versionOf(version))
  return found ?? (yield* notFoundInAgent("version", agent, version))
})

/** The changes of a version, compared with `against` or with the version before it. */
export const diff = Effect.fn("AgentVersions.diff")(function* (
  agentIdOrName: string,
  version: string,
  against: number | undefined,
) {
  const after = yield* find(agentIdOrName, version)
  const other = against ?? after.version - 1
  const before = other === 0 ? null : yield* find(agentIdOrName, String(other))
  const result: AgentVersionDiff = {
    agent_id: after.agent_id,
    version: after.version,
    against: before?.version ?? null,
    changes: yield* changesBetween(before, after),
  }
  return result
})

/** The agent's own fields as `version` has them, or as they are now. */
export const agentOf = Effect.fn("AgentVersions.agentOf")(function* (agentId: string, version: number | null) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* Rows.first(OwnFields)(sql`
    select c.content -> 'agent' as agent from agents a
    join agent_versions v on v.agent_id = a.id and v.version = ${version ?? sql.literal("a.version")}
    join agent_contents c on c.agent_id = a.id and c.digest = v.content_digest
    where a.id = ${agentId}`).pipe(Effect.orDie)
  return found?.agent ?? (yield* new NotFound({ resource: "agent", id: agentId }))
})

const read = Effect.fnUntraced(function* (agent: string, version: number | undefined) {
  if (version === undefined) return undefined
  const sql = yield* SqlClient.SqlClient
  const faqs: Statement.Fragment = sql`
    select coalesce(json_agg(json_build_object('faq_id', f.id, 'name', q.name) order by f.at), '[]')
    from unnest(v.faq_ids) with ordinality f(id, at) left join faqs q on q.id = f.id`
  const row = yield* Rows.first(Row)(sql`
    select ${sql.literal(columns)}, ${sql.literal(AgentContents.columns)}, (${faqs}) as faqs
    from ${sql.literal(tables)} join agent_contents c on c.agent_id = v.agent_id and c.digest = v.content_digest
    where v.agent_id = ${agent} and v.version = ${version}`).pipe(Effect.orDie)
  if (row === undefined) return undefined
  const { content, content_digest, content_of, ...rest } = row
  const whole = yield* AgentContents.wholeOf({ content, content_digest, content_of })
  const found: AgentVersion = { ...rest, ...whole }
  return found
})
