/** Actions on campaigns: create, operate, change, and the schedule. Responses are checked against decisions §2. */
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import { isDeepStrictEqual } from "node:util"
import { v7 as uuidv7 } from "uuid"
import { CampaignControl } from "../../src/campaigns/CampaignControl.ts"
import * as Campaigns from "../../src/campaigns/Campaigns.ts"
import { startDue } from "../../src/campaigns/dialling/Schedule.ts"
import { callbacksAtMost } from "../../src/domain/Callback.ts"
import { type CampaignStatus, Operation } from "../../src/domain/Campaign.ts"
import { lockBudget } from "../../src/tenancy/BudgetLock.ts"
import { json } from "../../src/tenancy/Json.ts"
import { transaction } from "../../src/tenancy/Transaction.ts"
import { holds } from "./Broken.ts"
import { canOpen } from "./Calendar.ts"
import { calling_window, type Person, people } from "./Lists.ts"
import type { Action } from "./Step.ts"
import type { CampaignTruth, ContactTruth, Settings, Truth } from "./Truth.ts"
import type { World } from "./World.ts"

export const nth = <A>(list: ReadonlyArray<A>, at: number): A | undefined => list[at % Math.max(1, list.length)]

const retryRule = fc.record({ retries: fc.nat({ max: 2 }), delay_seconds: fc.constantFrom(0, 7, 600) })

const settings = fc.record({
  max_concurrent_calls: fc.integer({ min: 1, max: 4 }),
  retries_per_contact: fc.integer({ min: 0, max: 3 }),
  retry_delay_seconds: fc.constantFrom(0, 1, 60, 300, 86_400),
  retry_by_outcome: fc.oneof(
    { weight: 3, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.record({ busy: fc.record({ retries: fc.nat({ max: 2 }) }), no_answer: retryRule }) },
  ),
  redial_unknown: fc.boolean(),
  calling_window,
  max_calls_per_minute: fc.oneof(
    { weight: 4, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 3 }) },
  ),
})

/** In seconds from now. Most campaigns are started by hand. */
const schedule = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constantFrom(-5, 0, 1, 30, 3_600) },
)

const list = fc.array(fc.nat({ max: people.length - 1 }), { minLength: 1, maxLength: 6 })

export const create: fc.Arbitrary<Action> = fc
  .record({ settings, schedule, list, starts: fc.nat({ max: 3 }).map((n) => n > 0) })
  .map(({ list, schedule, settings, starts }) => ({
    text: `create${starts ? " and start" : ""} over ${list.join(",")} with ${JSON.stringify(settings)}, scheduled ${schedule}`,
    can: ({ campaigns }) => campaigns.length < 6,
    act: (truth, world) => {
      const own: Settings = {
        ...settings,
        max_concurrent_calls: Math.min(settings.max_concurrent_calls, truth.caps.concurrent_max),
        scheduled_at: schedule === null ? null : truth.now + schedule * 1_000,
      }
      const contacts = list.flatMap((at) => people[at] ?? []).map((person) => ({ id: uuidv7(), person }))
      const made = Effect.map(insert(own, contacts, world), (id) => {
        truth.partly = true
        truth.campaigns.push({
          id,
          settings: own,
          status: "draft",
          by_hand: false,
          epoch: 0,
          contacts: new Map(contacts.map(({ id, person }) => [id, contactOf(id, person)])),
        })
        return truth.campaigns.length - 1
      })
      return starts && schedule === null ? Effect.flatMap(made, (at) => operateOn("start", at).act(truth, world)) : made
    },
  }))

const contactOf = (id: string, { number, zones }: Person): ContactTruth => ({
  id,
  number,
  zones,
  status: "pending",
  skip_reason: null,
  not_before: null,
  promised: null,
  called_back_at: null,
  ended: {},
  callbacks: 0,
})

/** Inserts a campaign as an import does, but without a file. */
const insert = (
  own: Settings,
  contacts: ReadonlyArray<{ readonly id: string; readonly person: Person }>,
  { agent_id, phone_number_id }: World,
) =>
  transaction(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const id = uuidv7()
      yield* Campaigns.reserve(id)
      yield* sql`
        insert into contacts (id, campaign_id, position, phone_number, custom_fields)
        select c.id, ${id}, c.position, c.number, c.fields
        from jsonb_to_recordset(${json(contacts.map(rowOf))}::jsonb)
          as c(id uuid, position int, number text, fields jsonb)`
      yield* lockBudget()
      yield* Campaigns.complete(
        id,
        {
          name: "c",
          agent_id,
          phone_number_id,
          ...own,
          scheduled_at: own.scheduled_at === null ? null : new Date(own.scheduled_at),
          duplicate_policy: "keep",
          callbacks_per_contact: callbacksAtMost,
          rule_packs: [],
          subject: null,
          opt_out_scope: "account",
          max_spend: null,
          default_country: null,
          caller_numbers: [],
          local_presence: false,
          number_rest: null,
          required_consent: null,
          retry_time_of_day: null,
          quiet_after_answer_seconds: null,
        },
        { columns: [], report: { rows: 0, accepted: 0, duplicates: 0, invalid: 0, errors: [] } },
        { variables: { columns: [], unknown: [], empty: [] }, variables_of: null },
      )
      if (own.scheduled_at !== null) yield* startDue()
      return id
    }),
  )

const rowOf = ({ id, person }: { readonly id: string; readonly person: Person }, at: number) => ({
  id,
  position: at + 1,
  number: person.number,
  fields: person.time_zone === null ? {} : { time_zone: person.time_zone },
})

/** The table of decisions §2, States. */
const table: Record<CampaignStatus, Record<Operation, CampaignStatus | "removed" | "409">> = {
  draft: { start: "running", pause: "409", resume: "409", stop: "completed", delete: "removed" },
  running: { start: "running", pause: "paused", resume: "running", stop: "completed", delete: "409" },
  paused: { start: "running", pause: "paused", resume: "running", stop: "completed", delete: "409" },
  completed: { start: "409", pause: "409", resume: "409", stop: "completed", delete: "409" },
  failed: { start: "409", pause: "409", resume: "409", stop: "failed", delete: "409" },
}

/** True if the running campaigns other than this one leave room for `asked` more calls (I4). */
const fits = (truth: Truth, campaign: CampaignTruth, asked: number): boolean => {
  const others = truth.campaigns.filter(({ id, status }) => status === "running" && id !== campaign.id)
  const in_use = others.reduce((sum, { settings }) => sum + settings.max_concurrent_calls, 0)
  return in_use + asked <= truth.caps.concurrent_max
}

const run = Effect.fnUntraced(function* (operation: Operation, id: string) {
  const control = yield* CampaignControl
  if (operation !== "delete") return (yield* control[operation](id)).status
  yield* control.remove(id)
  return "removed" as const
})

export const operate: fc.Arbitrary<Action> = fc
  .tuple(
    fc.oneof(
      { weight: 4, arbitrary: fc.constant("start" as const) },
      { weight: 5, arbitrary: fc.constantFrom(...Operation.literals) },
    ),
    fc.nat({ max: 5 }),
  )
  .map(([operation, pick]) => operateOn(operation, pick))

export const operateOn = (operation: Operation, pick: number): Action => ({
  text: `${operation} campaign ${pick}`,
  can: ({ campaigns }) => campaigns.length > 0,
  act: (truth) =>
    Effect.gen(function* () {
      const campaign = nth(truth.campaigns, pick)
      if (campaign === undefined) return
      const from = campaign.status
      const said = table[from][operation]
      const full =
        said === "running" && from !== "running" && !fits(truth, campaign, campaign.settings.max_concurrent_calls)
      const answer = yield* Effect.result(run(operation, campaign.id))
      if (Result.isSuccess(answer)) {
        truth.acknowledge(campaign, answer.success)
        if (operation === "start" || operation === "resume") campaign.by_hand = true
      }
      if (!truth.alone) return
      const status = Result.isSuccess(answer) ? answer.success : answer.failure._tag
      const expected = said === "409" ? "InvalidState" : full ? "BudgetExceeded" : said
      holds(
        "states",
        status === expected,
        () => `a ${from} campaign answers ${operation} with ${status}, not ${expected}`,
      )
    }),
})

/** Starts the campaigns that are due, as any process may do. */
export const lookAtSchedule: fc.Arbitrary<Action> = fc.constant({
  text: "the schedule looks",
  can: ({ campaigns }: Truth) => campaigns.length > 0,
  act: () => transaction(startDue()),
})

const change = fc.oneof(
  fc.record({ max_concurrent_calls: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ retries_per_contact: fc.integer({ min: 0, max: 3 }) }),
  fc.record({ retry_delay_seconds: fc.constantFrom(0, 1, 60, 300) }),
  fc.record({ calling_window }),
  fc.record({ scheduled_in: schedule }),
)

const whileRunning: ReadonlyArray<string> = ["max_concurrent_calls", "retries_per_contact", "retry_delay_seconds"]

export const update: fc.Arbitrary<Action> = fc.tuple(change, fc.nat({ max: 5 })).map(([change, pick]) => ({
  text: `change ${JSON.stringify(change)} of campaign ${pick}`,
  can: ({ campaigns }) => campaigns.length > 0,
  act: (truth) =>
    Effect.gen(function* () {
      const campaign = nth(truth.campaigns, pick)
      if (campaign === undefined) return
      const { scheduled_in, ...fields } = { scheduled_in: undefined, ...change }
      const moved =
        scheduled_in === undefined
          ? {}
          : { scheduled_at: scheduled_in === null ? null : truth.now + scheduled_in * 1_000 }
      const wanted: Settings = { ...campaign.settings, ...fields, ...moved }
      const { scheduled_at, ...others } = { ...fields, ...moved } as Partial<Settings>
      const sent =
        scheduled_at === undefined
          ? others
          : { ...others, scheduled_at: scheduled_at === null ? null : new Date(scheduled_at) }
      const from = campaign.status
      const expected = refusal(truth, campaign, wanted)
      const control = yield* CampaignControl
      const answer = yield* Effect.result(control.update(campaign.id, sent, undefined))
      if (Result.isSuccess(answer)) {
        truth.change(campaign, { ...fields, ...moved })
        if (answer.success.status !== from) truth.acknowledge(campaign, answer.success.status)
      }
      if (!truth.alone) return
      const status = Result.isSuccess(answer) ? null : answer.failure._tag
      holds(
        "settings",
        status === expected,
        () => `a ${from} campaign answers a change with ${status}, not ${expected}`,
      )
    }),
}))

/** The error with which the change has to be refused, or null (decisions §1 and §2). */
const refusal = (truth: Truth, campaign: CampaignTruth, wanted: Settings): string | null => {
  const { settings, status } = campaign
  const fields = (Object.keys(wanted) as Array<keyof Settings>).filter(
    (field) => !isDeepStrictEqual(wanted[field], settings[field]),
  )
  if (fields.length === 0) return null
  const over = status === "completed" || status === "failed"
  if (over || (status !== "draft" && fields.some((field) => !whileRunning.includes(field)))) return "InvalidState"
  if (fields.includes("calling_window") && wanted.calling_window !== null) {
    const { calling_window } = wanted
    const hopeless = [...campaign.contacts.values()].every(
      ({ zones }) => zones.length > 0 && !canOpen(calling_window, zones),
    )
    if (hopeless) return "Invalid"
  }
  if (!fields.includes("max_concurrent_calls")) return null
  if (wanted.max_concurrent_calls > truth.caps.concurrent_max) return "Invalid"
  return status === "running" && !fits(truth, campaign, wanted.max_concurrent_calls) ? "BudgetExceeded" : null
}
