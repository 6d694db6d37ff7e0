/**
 * The stored content of an agent version: one JSON value that never changes. A long one, such as that of an agent with
 * a hundred wide tools, is read tool by tool: parsing and decoding it at once would hold the event loop for two
 * seconds.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import {
  type AgentContent,
  StoredAgent,
  StoredContent,
  VersionedPlaybook,
  VersionedTool,
} from "../domain/AgentVersion.ts"
import { readable } from "../tenancy/ReadableRows.ts"

/** The maximum number of bytes of JSON that are read at once. */
const longest = 100_000

/** The columns of a row: `content` if it is short, otherwise null, and the keys by which `wholeOf` finds it. */
export const columns = `case when octet_length(c.content::text) <= ${longest} then c.content end as content, c.agent_id as content_of, c.digest as content_digest`

export const fields = {
  content: Schema.NullOr(StoredContent),
  content_of: Schema.String,
  content_digest: Schema.Uint8Array,
}
type Kept = Schema.Struct<typeof fields>["Type"]

const Part = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("agent"), part: Schema.toType(StoredAgent) }),
  Schema.Struct({ kind: Schema.Literal("tool"), part: Schema.toType(VersionedTool) }),
  Schema.Struct({ kind: Schema.Literal("playbook"), part: Schema.toType(VersionedPlaybook) }),
])

export const wholeOf = ({ content, content_digest, content_of }: Kept) =>
  content === null
    ? readInParts(content_of, content_digest)
    : Effect.succeed({ ...content, agent: complete(content.agent) })

const complete = (stored: typeof StoredAgent.Type): AgentContent["agent"] => ({
  recording_notice: "",
  disclosure: "",
  opt_out_key: null,
  dispositions: [],
  ...stored,
})

const readInParts = Effect.fn("AgentContents.readInParts")(function* (agent: string, digest: Uint8Array) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select p.kind, p.part
    from agent_contents c cross join lateral (
      select 'agent' as kind, 0::int8 as at, c.content -> 'agent' as part
      union all
      select 'tool', t.at, t.part from json_array_elements(c.content -> 'tools') with ordinality t(part, at)
      union all
      select 'playbook', b.at, b.part from json_array_elements(c.content -> 'playbooks') with ordinality b(part, at)
    ) p
    where c.agent_id = ${agent} and c.digest = ${digest}
    order by p.kind, p.at`
  const parts = yield* readable(Part)(rows)
  const [agentPart] = parts.flatMap(({ kind, part }) => (kind === "agent" ? [part] : []))
  if (agentPart === undefined || parts.length < rows.length) {
    return yield* Effect.die(new Error("A version's content cannot be read"))
  }
  const content: AgentContent = {
    agent: complete(agentPart),
    tools: parts.flatMap(({ kind, part }) => (kind === "tool" ? [part] : [])),
    playbooks: parts.flatMap(({ kind, part }) => (kind === "playbook" ? [part] : [])),
  }
  return content
}, Effect.orDie)
