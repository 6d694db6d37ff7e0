/**
 * The outstanding callbacks of campaigns: rows of `contacts` with a `callback_at` (decision 0073). Every change runs
 * under the budget's lock, like every other write on contacts.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type CallbackDecision, decideCallback } from "../domain/Callback.ts"
import { CallingWindow } from "../domain/CallingWindow.ts"
import { CampaignStatus, isTerminal } from "../domain/Campaign.ts"
import { ContactStatus } from "../domain/Contact.ts"
import { windowOf } from "../domain/DialDecision.ts"
import { type EarlierAttempt, judgeAt } from "../domain/Rules.ts"
import { isUuid } from "../domain/Name.ts"
import { lockBudget } from "../tenancy/BudgetLock.ts"
import * as Rows from "../tenancy/Rows.ts"
import { transaction } from "../tenancy/Transaction.ts"
import * as CampaignRules from "./CampaignRules.ts"
import { zonesOfContact } from "./NumberZones.ts"
import { isForbidden } from "./SubjectSuppressions.ts"

/**
 * SQL for what a row of `contacts` waits for. A callback is stored as a wait for a retry, which earlier releases know
 * too. `contact` is the table's alias.
 */
export const waitsFor = (contact: string): string =>
  `case when ${contact}.callback_at is not null and ${contact}.waits_for = 'retry_delay' then 'callback' else ${contact}.waits_for end`

const Row = Schema.Struct({
  id: Schema.String,
  campaign_id: Schema.String,
  phone_number: Schema.String,
  /** The columns that place and time zone depend on. */
  custom_fields: Schema.Record(Schema.String, Schema.NullOr(Schema.String)),
  status: ContactStatus,
  callback_at: Schema.NullOr(Schema.Date),
  callbacks: Schema.Int,
  callbacks_per_contact: Schema.Int,
  suppressed: Schema.Boolean,
  campaign_status: CampaignStatus,
  calling_window: Schema.NullOr(Schema.toType(CallingWindow)),
  rules: CampaignRules.FrozenPacks,
  subject: Schema.NullOr(Schema.String),
  from_number: Schema.NullOr(Schema.String),
})
type Row = typeof Row.Type & { readonly earlier: ReadonlyArray<EarlierAttempt> }
type Budget = Effect.Success<ReturnType<typeof lockBudget>>

/** A contact and what decides on its callback; undefined if it does not exist. The caller holds the budget's lock. */
export const find = Effect.fn("Callbacks.find")(function* (contact: string) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* Rows.first(Row)(sql`
    select k.id, k.campaign_id, k.phone_number, k.status,
      jsonb_build_object('time_zone', k.custom_fields ->> 'time_zone', 'country', k.custom_fields ->> 'country',
        'state', k.custom_fields ->> 'state') as custom_fields, k.callback_at,
      k.callbacks, ${yield* isForbidden(sql.literal("k.phone_number"), sql.literal("c.subject"))} as suppressed,
      c.status as campaign_status, c.calling_window, c.callbacks_per_contact, c.rules, c.subject,
      (select number from phone_numbers where id = c.phone_number_id) as from_number
    from contacts k join campaigns c on c.id = k.campaign_id where k.id = ${contact}`)
  if (found === undefined) return undefined
  if (found.rules.length === 0) return { ...found, earlier: [] } satisfies Row
  const { now } = yield* lockBudget()
  const earlier = yield* CampaignRules.readEarlier(found.rules, found.subject, [found.phone_number], now)
  return { ...found, earlier: earlier.get(found.phone_number) ?? [] } satisfies Row
})

export const decide = (at: Date, contact: Row, budget: Budget): CallbackDecision =>
  decideCallback(at, {
    callbacks: contact.callbacks,
    callbacks_per_contact: contact.callbacks_per_contact,
    suppressed: contact.suppressed,
    window: windowOf(contact, budget),
    zones: zonesOfContact(contact.phone_number, contact.custom_fields),
    ...rulesOf(contact, windowOf(contact, budget), at),
    now: budget.now,
  })

/** What the rules say to a call at that time; nothing without packs. */
const rulesOf = (contact: Row, window: CallingWindow | null, at: Date) => {
  const { earlier, from_number, rules: packs } = contact
  if (packs.length === 0) return {}
  const party = CampaignRules.partyOf(contact, earlier)
  return { rules: judgeAt({ packs, window, from_number: from_number ?? "" }, at)(party) }
}

/**
 * Arranges the callback that the person of a live call asks for: its campaign dials the contact then, in place of
 * completing it. Another request in the same call replaces the first. `NoCampaign`: no campaign placed the call, or it
 * permits no callbacks or has ended, or the contact was withdrawn, so nothing dials.
 */
export const arrange = Effect.fn("Callbacks.arrange")(
  function* (call: string, at: Date) {
    const sql = yield* SqlClient.SqlClient
    if (!isUuid(call)) return noCampaign
    const budget = yield* lockBudget()
    const [own] = yield* sql<{ readonly id: string }>`
      select k.id from calls c join contacts k on k.id = c.contact_id
      where c.id = ${call} and k.last_call_id = c.id and k.status = 'in_progress' and k.withdrawn_at is null`
    const contact = own === undefined ? undefined : yield* find(own.id)
    if (contact === undefined || contact.callbacks_per_contact === 0 || isTerminal(contact.campaign_status))
      return noCampaign
    const decision = decide(at, contact, budget)
    if (decision._tag === "Agreed") {
      yield* sql`
        update contacts set callback_at = ${decision.at}, callback_by = 'agent', updated_at = clock_timestamp()
        where id = ${contact.id}`
    }
    return decision
  },
  transaction,
  Effect.orDie,
)

const noCampaign = { _tag: "NoCampaign" } as const
