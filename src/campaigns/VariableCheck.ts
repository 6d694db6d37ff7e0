/**
 * Finds, before the first call, variables that the agent's templates use and the contact list does not fill. The author
 * of `{{ frist_name }}` should not learn of it from a recording. It only reports, and never refuses a campaign.
 */
import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as AgentTemplates from "../catalog/AgentTemplates.ts"
import * as Template from "../catalog/Template.ts"
import type { Needed } from "../catalog/TemplateVariables.ts"
import { E164 } from "../domain/E164.ts"
import { isTerminal } from "../domain/Campaign.ts"
import type { VariableReport } from "../domain/VariableReport.ts"
import * as Rows from "../tenancy/Rows.ts"
import * as Campaigns from "./Campaigns.ts"

/** The most variables in a report: more of them usually have one cause, and rendering takes time. */
const most = 20

/** Variables that every call has (decisions §2, Agent). */
const given = new Set(["phone_number", "now", "campaign", "campaign.name"])

interface Subject {
  readonly id: string
  readonly name: string
  readonly agent_id: string
  /** Null: the agent as it is now. */
  readonly agent_version: number | null
  readonly columns: ReadonlyArray<string>
}

interface Use {
  readonly needed: Needed
  readonly template: string
  readonly where: Array<string>
}

/**
 * Returns the report and the key of the texts that it is about. When that key has changed, the next look makes another
 * report.
 */
export const makeReport = Effect.fn("VariableCheck.makeReport")(function* (subject: Subject) {
  const variables_of = yield* subjectKey(subject)
  return { variables: yield* report(subject), variables_of }
})

const subjectKey = ({ agent_id, agent_version, name }: Subject) =>
  Effect.map(AgentTemplates.editionOf(agent_id, agent_version), (edition) =>
    edition === undefined ? null : `${edition}:${name}`,
  )

/**
 * Returns the campaign with a report on the texts that it uses: for a draft those of its present agent, after the
 * start those of its fixed version. A campaign that has ended keeps its last report, because it makes no more calls.
 */
export const bringUpToDate = Effect.fn("VariableCheck.bringUpToDate")(function* (campaign: Campaigns.CampaignRow) {
  const { agent_version, id, status, variables_of } = campaign
  if (isTerminal(status) && (agent_version === null || variables_of?.startsWith(`${agent_version}:`))) return campaign
  const present = yield* subjectKey(campaign)
  if (present === null || present === variables_of) return campaign
  const found = { variables: yield* report(campaign), variables_of: present }
  yield* Effect.orDie(Campaigns.keepReport(id, found))
  return { ...campaign, ...found } satisfies Campaigns.CampaignRow
})

export const report = Effect.fn("VariableCheck.report")(function* (subject: Subject) {
  const { agent_id, agent_version, columns, id, name } = subject
  const uses = yield* usesOf(yield* AgentTemplates.list(agent_id, agent_version))
  const unknown = uses.filter(({ needed }) => !columns.includes(needed.root)).slice(0, most)
  const columnsUsed = uses.filter(({ needed }) => columns.includes(needed.root))
  const holes = yield* emptyIn(
    id,
    columnsUsed.map(({ needed }) => needed.root),
  )
  const contacts = yield* contactsAt(id, [1, ...holes.map(({ position }) => position)])
  const now = new Date(yield* Clock.currentTimeMillis)
  const contactAt = (position: number) => contacts.find((contact) => contact.position === position)
  const sentence = ({ needed, template, where }: Use, position: number) => {
    const contact = contactAt(position)
    const custom = { ...contact?.custom_fields, campaign: { name } }
    const variables = Template.variables(custom, contact?.phone_number ?? null, now)
    return Template.sentenceWithout({ template, needed, variables, isSpokenFirst: where[0] === "first_message" })
  }
  const empty = columnsUsed.flatMap((use) => {
    const hole = holes.find(({ column }) => column === use.needed.root)
    const contact = hole === undefined ? undefined : contactAt(hole.position)
    if (hole === undefined || contact === undefined) return []
    return [{ use, rows: hole.rows, first: { position: hole.position, phone_number: contact.phone_number } }]
  })
  const report: VariableReport = {
    columns,
    unknown: yield* Effect.forEach(unknown, (use) =>
      Effect.map(sentence(use, 1), (sentence) => ({ name: use.needed.name, where: use.where, sentence })),
    ),
    empty: yield* Effect.forEach(empty.slice(0, most), ({ first, rows, use }) =>
      Effect.map(sentence(use, first.position), (sentence) => {
        return { name: use.needed.name, where: use.where, rows, first, sentence }
      }),
    ),
  }
  return report
})

/**
 * The uses of variables by name, in the order in which they would be spoken. Other fibers run between two templates.
 */
const usesOf = Effect.fnUntraced(function* (templates: ReadonlyArray<AgentTemplates.AgentTemplate>) {
  const uses = new Map<string, Use>()
  for (const { place, text } of templates) {
    for (const needed of yield* Template.needsOf(text)) {
      const use = uses.get(needed.name)
      if (use !== undefined) use.where.push(place)
      else if (!given.has(needed.name)) uses.set(needed.name, { needed, template: text, where: [place] })
    }
    yield* Effect.yieldNow
  }
  return [...uses.values()]
})

const Hole = Schema.Struct({ column: Schema.String, rows: Schema.Int, position: Schema.Int })

/** Counts the contacts that have no value in these columns, and finds the first of them. */
const emptyIn = Effect.fnUntraced(function* (id: string, columns: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  if (columns.length === 0) return []
  return yield* Rows.all(Hole)(sql`
    select used.name as column, count(*)::int as rows, min(c.position) as position
    from contacts c cross join unnest(${[...new Set(columns)].slice(0, most)}::text[]) used (name)
    where c.campaign_id = ${id} and c.phone_number <> '' and btrim(coalesce(c.custom_fields ->> used.name, ''), ${blanks}) = ''
    group by used.name`).pipe(Effect.orDie)
})

const blanks = " \t\r\n\u00a0"

const ListedContact = Schema.Struct({
  position: Schema.Int,
  phone_number: E164,
  custom_fields: Schema.Record(Schema.String, Schema.Json),
})

const contactsAt = Effect.fnUntraced(function* (id: string, positions: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.all(ListedContact)(sql`
    select position, phone_number, custom_fields from contacts
    where campaign_id = ${id} and position = any(${positions}::int[]) and phone_number <> ''`).pipe(Effect.orDie)
})
