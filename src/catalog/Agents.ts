/** The account's agents (spec §2; decisions §2, Agent). AgentKit has their tools, playbooks and FAQs. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import { Agent, type agentReadOnly, type Model, type Voice } from "../domain/Agent.ts"
import type { PageRequest } from "../domain/Page.ts"
import { hasDispositionField } from "../domain/DispositionField.ts"
import { InUse, invalid } from "../domain/Refusals.ts"
import { checkMatch } from "../domain/Revision.ts"
import { json, orderedJson } from "../tenancy/Json.ts"
import { transaction } from "../tenancy/Transaction.ts"
import { CatalogSettings } from "./CatalogSettings.ts"
import { change } from "./Change.ts"
import * as JsonSchema from "./JsonSchema.ts"
import { matching, pageOf } from "./Listing.ts"
import { type Lock, lookUp } from "./Lookup.ts"
import * as Template from "./Template.ts"
import { refuseTaken } from "./UniqueName.ts"

const Row = Schema.toType(Schema.Struct({ ...Agent.fields, revision: Schema.Int }))
export type AgentRow = typeof Row.Type
const agents = { row: Row, table: "agents", resource: "agent" }

/** The fields that a client writes. Omitted parts of a voice or a model keep their values, too. */
type Written = Omit<Agent, (typeof agentReadOnly)[number]>
export interface AgentFields extends Omit<Written, "voice" | "model"> {
  readonly voice: Partial<Voice>
  readonly model: Partial<Model>
}
export type NewAgent = Pick<AgentFields, "name" | "system_prompt"> & Partial<AgentFields>

const defaults = {
  description: "",
  first_message: "",
  language: "en",
  temperature: 0.3,
  max_call_seconds: 600,
  silence_timeout_seconds: 10,
  interruptible: true,
  voicemail_action: "hang_up",
  recording: false,
  recording_notice: "",
  disclosure: "",
  opt_out_key: null,
  outcome_schema: null,
  dispositions: [],
} as const satisfies Partial<Written>

export interface AgentFilter extends PageRequest {
  readonly search?: string
}

export const list = Effect.fnUntraced(function* (filter: AgentFilter) {
  const sql = yield* SqlClient.SqlClient
  return yield* pageOf(
    {
      row: Row,
      columns: sql.literal("*"),
      from: sql.literal("agents"),
      where: [matching(sql, filter.search, ["name", "description"])],
    },
    filter,
  )
})

/** Finds an agent by id or by name (decisions §1). */
export const find = (idOrName: string, lock?: Lock) => lookUp(agents, idOrName, lock)

export const create = Effect.fn("Agents.create")(
  function* (agent: NewAgent) {
    const sql = yield* SqlClient.SqlClient
    const settings = yield* CatalogSettings
    const id = uuidv7()
    const columns = yield* checkFields({ ...defaults, voice: settings.voice, model: settings.model }, agent)
    yield* sql`insert into agents ${sql.insert({ id, ...columns })}`.pipe(refuseTaken("agent", agent.name))
    return yield* Effect.orDie(find(id))
  },
  change,
  Effect.catchTag("SqlError", Effect.die),
)

export const update = Effect.fn("Agents.update")(
  function* (idOrName: string, fields: Partial<AgentFields>, ifMatch: string | undefined) {
    const sql = yield* SqlClient.SqlClient
    const present = yield* find(idOrName, "for update")
    yield* checkMatch(ifMatch, present.revision)
    const columns = yield* checkFields(present, { name: present.name, system_prompt: present.system_prompt, ...fields })
    yield* sql`
      update agents set ${sql.update(columns)}, revision = revision + 1, updated_at = now()
      where id = ${present.id}`.pipe(refuseTaken("agent", columns.name))
    return yield* Effect.orDie(find(present.id))
  },
  change,
  Effect.catchTag("SqlError", Effect.die),
)

/**
 * Deletes the agent with its enablements and attachments. Refused while a phone number, a widget key, or a campaign
 * that may still call uses it.
 */
export const remove = Effect.fn("Agents.remove")(
  function* (idOrName: string, ifMatch?: string) {
    const sql = yield* SqlClient.SqlClient
    const { id, name, revision } = yield* find(idOrName, "for update")
    yield* checkMatch(ifMatch, revision)
    const [user] = yield* sql<{ readonly user: string }>`
      select 'the campaign ' || name as user from campaigns
        where agent_id = ${id} and status in ('draft', 'running', 'paused')
      union all
      select 'the phone number ' || number from phone_numbers where inbound_agent_id = ${id}
      union all
      select 'the widget key ' || name from widget_keys where agent_id = ${id}
      limit 1`
    if (user !== undefined) {
      return yield* new InUse({
        resource: "agent",
        detail: `The agent ${name} cannot be deleted: ${user.user} uses it.`,
      })
    }
    yield* sql`delete from agents where id = ${id}`
  },
  transaction,
  Effect.catchTag("SqlError", Effect.die),
)

/** Checks every field of an agent and returns its columns. */
const checkFields = Effect.fnUntraced(function* (present: Omit<Written, "name" | "system_prompt">, agent: NewAgent) {
  const { name, system_prompt } = agent
  const { description, first_message, language, temperature, max_call_seconds, silence_timeout_seconds } = {
    ...present,
    ...agent,
  }
  const { interruptible, voicemail_action, recording, outcome_schema } = { ...present, ...agent }
  const { recording_notice, disclosure, dispositions, opt_out_key } = { ...present, ...agent }
  yield* Template.check("/system_prompt", system_prompt)
  yield* Template.check("/first_message", first_message)
  yield* Template.check("/disclosure", disclosure)
  if (outcome_schema !== null) yield* JsonSchema.check("/outcome_schema", outcome_schema)
  if (dispositions.length > 0 && hasDispositionField(outcome_schema)) {
    return yield* invalid("/outcome_schema/properties/disposition", "is the field of the agent's dispositions")
  }
  const speech = { name, description, system_prompt, first_message, language }
  const conduct = { temperature, max_call_seconds, silence_timeout_seconds, interruptible, voicemail_action }
  return {
    ...speech,
    ...conduct,
    recording,
    recording_notice,
    disclosure,
    opt_out_key,
    voice: json({ ...present.voice, ...agent.voice }),
    model: json({ ...present.model, ...agent.model }),
    outcome_schema: orderedJson(outcome_schema),
    dispositions: json(dispositions),
  }
})
