/** The account's tools (spec §2, Tool; decisions §2). JsonSchema, PythonSource and ToolConfig check a tool's parts. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import { inWords } from "../domain/Name.ts"
import type { PageRequest } from "../domain/Page.ts"
import { BuiltInProtected, InUse, InvalidState, invalid, tooCostly } from "../domain/Refusals.ts"
import { checkMatch } from "../domain/Revision.ts"
import type { ToolDraft } from "../domain/Rehearsal.ts"
import { type ImplementationType, noArguments, Tool } from "../domain/Tool.ts"
import * as Offload from "../offload/Offload.ts"
import { json, orderedJson } from "../tenancy/Json.ts"
import * as Ticks from "../tenancy/Ticks.ts"
import { transaction } from "../tenancy/Transaction.ts"
import { change } from "./Change.ts"
import * as JsonSchema from "./JsonSchema.ts"
import { equal, matching, pageOf } from "./Listing.ts"
import { type Lock, lookUp } from "./Lookup.ts"
import * as PythonSource from "./PythonSource.ts"
import * as Secrets from "./Secrets.ts"
import { checkHttp, placeOf, refuseUnsentHeaders, storedFor } from "./ToolConfig.ts"
import { refuseTaken } from "./UniqueName.ts"

const Row = Schema.toType(Schema.Struct({ ...Tool.fields, revision: Schema.Int }))
export type ToolRow = typeof Row.Type
const tools = { row: Row, table: "tools", resource: "tool" }

/** The fields that a client writes. */
export interface ToolFields {
  readonly name: string
  readonly display_name: string
  readonly category: string
  readonly description: string
  readonly schema: Schema.JsonObject
  readonly implementation_type: ImplementationType
  readonly implementation_config: Schema.JsonObject
  readonly implementation_code: string | null
  readonly tags: ReadonlyArray<string>
}
export type NewTool = Pick<ToolFields, "name" | "description" | "implementation_type"> & Partial<ToolFields>

export interface ToolFilter extends PageRequest {
  readonly category?: string
  readonly type?: ImplementationType
  readonly search?: string
  readonly is_default?: boolean
}

const maskRow = (row: ToolRow): ToolRow => ({
  ...row,
  implementation_config: Secrets.maskSecrets(row.implementation_config),
})

export const list = Effect.fnUntraced(function* (filter: ToolFilter) {
  const sql = yield* SqlClient.SqlClient
  const page = yield* pageOf(
    {
      row: Row,
      columns: sql.literal("*"),
      from: sql.literal("tools"),
      where: [
        equal(sql, "category", filter.category),
        equal(sql, "implementation_type", filter.type),
        equal(sql, "is_default", filter.is_default),
        matching(sql, filter.search, ["name", "display_name", "description"], "tags"),
      ],
    },
    filter,
  )
  return { ...page, items: yield* Ticks.map(page.items, maskRow) }
})

/** The row as it is stored, with its secrets sealed. */
const findStored = (idOrName: string, lock?: Lock) => lookUp(tools, idOrName, lock)

/** Finds a tool by id or by name, with its secrets masked. */
export const find = (idOrName: string) => Effect.map(findStored(idOrName), maskRow)

/**
 * Finds a tool by id or by name, with unsaved changes of the request applied and its secrets open: only to run it,
 * never for an answer to a client.
 */
export const findToRun = Effect.fnUntraced(function* (idOrName: string, change?: ToolDraft) {
  const row = yield* findStored(idOrName)
  const next = change === undefined ? row : yield* checkChange(row, applyChange(row, change))
  return {
    ...row,
    ...next,
    implementation_config: yield* Secrets.openSecrets(placeOf(row.id), next.implementation_config),
  }
})

export const create = Effect.fn("Tools.create")(
  function* (tool: NewTool) {
    const sql = yield* SqlClient.SqlClient
    const id = uuidv7()
    const { display_name = inWords(tool.name), category = "general", schema = noArguments, tags = [] } = tool
    const { implementation_config = {}, implementation_code = null, description, implementation_type, name } = tool
    const fields = { name, display_name, category, description, schema, tags, implementation_type }
    const columns = yield* checkFields(id, { ...fields, implementation_config, implementation_code })
    yield* sql`insert into tools ${sql.insert({ id, ...columns })}`.pipe(refuseTaken("tool", name))
    return yield* Effect.orDie(find(id))
  },
  // A transaction, so that a row which cannot be read back is rolled back.
  transaction,
  Effect.catchTag("SqlError", Effect.die),
)

export const update = Effect.fn("Tools.update")(
  function* (idOrName: string, fields: Partial<ToolFields>, ifMatch: string | undefined) {
    const sql = yield* SqlClient.SqlClient
    const present = yield* findStored(idOrName, "for update")
    yield* checkMatch(ifMatch, present.revision)
    const next = applyChange(present, fields)
    if (present.is_default) yield* refuseReplacing(present, next)
    if (next.name !== present.name) yield* refuseUse(present, "keeps its name")
    const columns = yield* checkFields(present.id, next, present)
    yield* sql`
      update tools set
        ${sql.update(columns)}, modified_from_default = is_default, revision = revision + 1, updated_at = now()
      where id = ${present.id}`.pipe(refuseTaken("tool", next.name))
    return yield* Effect.orDie(find(present.id))
  },
  change,
  Effect.catchTag("SqlError", Effect.die),
)

/**
 * Deletes a tool. Refused for a built-in one, and while an agent, a playbook, or a running or paused campaign uses it.
 */
export const remove = Effect.fn("Tools.remove")(
  function* (idOrName: string, ifMatch?: string) {
    const sql = yield* SqlClient.SqlClient
    const present = yield* findStored(idOrName, "for update")
    yield* checkMatch(ifMatch, present.revision)
    if (present.is_default) return yield* new BuiltInProtected({ resource: "tool", name: present.name })
    yield* refuseUse(present, "cannot be deleted")
    yield* refuseKept(present)
    yield* sql`delete from tools where id = ${present.id}`
  },
  transaction,
  Effect.catchTag("SqlError", Effect.die),
)

/** The fields after a change. A change of the implementation type drops the old code and config. */
const applyChange = (present: ToolRow, change: Partial<ToolFields>): ToolFields => {
  const { category, description, display_name, name, schema, tags } = { ...present, ...change }
  const { implementation_type = present.implementation_type } = change
  const kept =
    implementation_type === present.implementation_type
      ? present
      : { implementation_config: {}, implementation_code: null }
  const { implementation_config = kept.implementation_config, implementation_code = kept.implementation_code } = change
  const implementation = { implementation_type, implementation_config, implementation_code }
  return { name, display_name, category, description, schema, tags, ...implementation }
}

/** Checks every field of a tool, seals its secrets and returns its columns. */
const checkFields = Effect.fnUntraced(function* (id: string, fields: ToolFields, present?: ToolRow) {
  const whole = yield* checkAndSeal(id, fields, present)
  return { ...whole, schema: orderedJson(whole.schema), implementation_config: json(whole.implementation_config) }
})

/** Checks a change of a tool that is not saved. */
const checkChange = Effect.fnUntraced(function* (present: ToolRow, next: ToolFields) {
  if (present.is_default) yield* refuseReplacing(present, next)
  return yield* checkAndSeal(present.id, next, present)
})

const checkAndSeal = Effect.fnUntraced(function* (id: string, fields: ToolFields, present?: ToolRow) {
  yield* JsonSchema.check("/schema", fields.schema)
  // If the change has no config, that of the row is checked as the wire shows it.
  const isKept = present?.implementation_config === fields.implementation_config
  const sent = isKept ? maskRow(present) : fields
  const { implementation_config: config } = sent
  const isBuiltIn = present?.is_default === true
  if (!isBuiltIn) yield* checkCode(fields)
  const whole = fields.implementation_type === "http" ? yield* checkConfig(config, isKept) : config
  const implementation_config = yield* Secrets.sealSecrets(
    placeOf(id),
    pointer,
    whole,
    present && storedFor(whole, present.implementation_config),
  )
  return { ...fields, implementation_config }
})

const pointer = "/implementation_config"

const checkConfig = Effect.fnUntraced(function* (config: Schema.JsonObject, isKept: boolean) {
  const whole = yield* checkHttp(pointer, config)
  if (!isKept) yield* refuseUnsentHeaders(pointer, whole)
  return whole
})

const checkCode = Effect.fnUntraced(function* ({ implementation_code: code, implementation_type }: ToolFields) {
  if (implementation_type === "http") {
    if (code !== null) return yield* invalid("/implementation_code", "must be absent for an http tool")
    return
  }
  if (code === null) return yield* invalid("/implementation_code", "is required for a python tool")
  const fault = yield* Effect.catchTag(Offload.run(PythonSource.reading, code), "Overrun", () =>
    tooCostly("/implementation_code", "takes too long to read. Nest it less deeply, or make it shorter."),
  )
  if (fault !== undefined) return yield* invalid("/implementation_code", fault)
})

/** A built-in runs inside the platform under its name: neither the name nor the implementation can be replaced. */
const refuseReplacing = Effect.fnUntraced(function* (present: ToolRow, next: ToolFields) {
  for (const field of ["name", "implementation_type", "implementation_code"] as const) {
    if (next[field] !== present[field]) {
      return yield* new InvalidState({
        state: "built_in",
        detail: `${present.name} is a built-in tool; its ${field} cannot be changed`,
      })
    }
  }
})

/**
 * Refuses to rename or delete a tool that an agent has or a playbook names: they know it by its name (decisions §2).
 */
const refuseUse = Effect.fnUntraced(function* ({ id, name }: ToolRow, consequence: string) {
  const sql = yield* SqlClient.SqlClient
  const [user] = yield* sql<{ readonly user: string }>`
    select 'the agent ' || a.name as user from agent_tools e join agents a on a.id = e.agent_id where e.tool_id = ${id}
    union all
    select 'the playbook ' || p.name from playbooks p where ${name} = any(p.tool_names)
    limit 1`
  if (user !== undefined) {
    return yield* new InUse({ resource: "tool", detail: `The tool ${name} ${consequence}: ${user.user} uses it.` })
  }
})

/**
 * Refuses to delete a tool that a running or paused campaign uses: the campaign keeps the version of its agent that it
 * started with, and a tool's secrets are stored only with the tool.
 */
const refuseKept = Effect.fnUntraced(function* ({ id, name }: ToolRow) {
  const sql = yield* SqlClient.SqlClient
  const [user] = yield* sql<{ readonly campaign: string }>`
    select c.name as campaign from campaigns c
    join agent_versions v on v.agent_id = c.agent_id and v.version = c.agent_version
    where c.status in ('running', 'paused') and ${id}::uuid = any(v.tool_ids) limit 1`
  if (user !== undefined) {
    const detail = `The tool ${name} cannot be deleted: the campaign ${user.campaign} has not ended, and its version of the agent uses the tool.`
    return yield* new InUse({ resource: "tool", detail })
  }
})
