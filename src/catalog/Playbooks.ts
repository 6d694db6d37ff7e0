/** The account's playbooks (spec §2, Playbook; decisions §2). AgentPlaybooks attaches them to agents. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import { inWords } from "../domain/Name.ts"
import type { PageRequest } from "../domain/Page.ts"
import { Playbook } from "../domain/Playbook.ts"
import { BuiltInProtected, InUse } from "../domain/Refusals.ts"
import { checkMatch } from "../domain/Revision.ts"
import { transaction } from "../tenancy/Transaction.ts"
import { change } from "./Change.ts"
import { equal, matching, pageOf } from "./Listing.ts"
import { type Lock, lookUp } from "./Lookup.ts"
import * as Template from "./Template.ts"
import { refuseTaken } from "./UniqueName.ts"

const Row = Schema.toType(Schema.Struct({ ...Playbook.fields, revision: Schema.Int }))
const playbooks = { row: Row, table: "playbooks", resource: "playbook" }

/** The fields that a client writes. */
export type PlaybookFields = Pick<
  Playbook,
  "name" | "display_name" | "description" | "prompt" | "tool_names" | "category"
>
export type NewPlaybook = Pick<PlaybookFields, "name" | "prompt"> & Partial<PlaybookFields>

export interface PlaybookFilter extends PageRequest {
  readonly category?: string
  readonly search?: string
  readonly is_default?: boolean
}

export const list = Effect.fnUntraced(function* (filter: PlaybookFilter) {
  const sql = yield* SqlClient.SqlClient
  return yield* pageOf(
    {
      row: Row,
      columns: sql.literal("*"),
      from: sql.literal("playbooks"),
      where: [
        equal(sql, "category", filter.category),
        equal(sql, "is_default", filter.is_default),
        matching(sql, filter.search, ["name", "display_name", "description"]),
      ],
    },
    filter,
  )
})

/** Finds a playbook by id or by name. */
export const find = (idOrName: string, lock?: Lock) => lookUp(playbooks, idOrName, lock)

export const create = Effect.fn("Playbooks.create")(
  function* (playbook: NewPlaybook) {
    const sql = yield* SqlClient.SqlClient
    const id = uuidv7()
    const {
      name,
      prompt,
      display_name = inWords(name),
      description = "",
      category = "general",
      tool_names = [],
    } = playbook
    yield* Template.check("/prompt", prompt)
    const row = { id, name, prompt, display_name, description, category, tool_names }
    yield* sql`insert into playbooks ${sql.insert(row)}`.pipe(refuseTaken("playbook", name))
    return yield* Effect.orDie(find(id))
  },
  // A transaction, so that a row which cannot be read back is rolled back.
  transaction,
  Effect.catchTag("SqlError", Effect.die),
)

export const update = Effect.fn("Playbooks.update")(
  function* (idOrName: string, fields: Partial<PlaybookFields>, ifMatch: string | undefined) {
    const sql = yield* SqlClient.SqlClient
    const present = yield* find(idOrName, "for update")
    yield* checkMatch(ifMatch, present.revision)
    const { category, description, display_name, name, prompt, tool_names } = { ...present, ...fields }
    yield* Template.check("/prompt", prompt)
    yield* sql`
      update playbooks set
        ${sql.update({ category, description, display_name, name, prompt, tool_names })},
        modified_from_default = is_default, revision = revision + 1, updated_at = now()
      where id = ${present.id}`.pipe(refuseTaken("playbook", name))
    return yield* Effect.orDie(find(present.id))
  },
  change,
  Effect.catchTag("SqlError", Effect.die),
)

/** Deletes a playbook. Refused for a built-in one, and while an agent has it attached. */
export const remove = Effect.fn("Playbooks.remove")(
  function* (idOrName: string, ifMatch?: string) {
    const sql = yield* SqlClient.SqlClient
    const { id, is_default, name, revision } = yield* find(idOrName, "for update")
    yield* checkMatch(ifMatch, revision)
    if (is_default) return yield* new BuiltInProtected({ resource: "playbook", name })
    const [user] = yield* sql<{ readonly agent: string }>`
      select a.name as agent from agent_playbooks p join agents a on a.id = p.agent_id where p.playbook_id = ${id} limit 1`
    if (user !== undefined) {
      return yield* new InUse({
        resource: "playbook",
        detail: `The agent ${user.agent} has the playbook ${name} attached. Detach it first.`,
      })
    }
    yield* sql`delete from playbooks where id = ${id}`
  },
  transaction,
  Effect.catchTag("SqlError", Effect.die),
)
