/**
 * The rule packs of a campaign: chosen by id, frozen with their content when the campaign starts, and judged for its
 * contacts (decision 0076).
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { linesOf, type Reachable } from "../domain/AdditionalNumbers.ts"
import type { CallingWindow } from "../domain/CallingWindow.ts"
import type { CampaignStatus } from "../domain/Campaign.ts"
import type { JudgeRules } from "../domain/DialDecision.ts"
import type { RuleGrounds } from "../domain/DialRecord.ts"
import { Invalid } from "../domain/Refusals.ts"
import { freeze, type FrozenPack, FrozenPack as Frozen } from "../domain/RulePack.ts"
import {
  type EarlierAttempt,
  hoursBack,
  isInSeries,
  type Judge,
  judgeAt,
  type Party,
  type RuleVerdict,
} from "../domain/Rules.ts"
import { json } from "../tenancy/Json.ts"
import * as Rows from "../tenancy/Rows.ts"
import * as Ticks from "../tenancy/Ticks.ts"
import { placeOfContact, zonesOfPlace } from "./NumberPlaces.ts"
import { zonesOfContact } from "./NumberZones.ts"
import * as RuleContents from "./RuleContents.ts"
import { RulePacks } from "./RulePacks.ts"

/** A campaign's frozen packs, as a column. */
export const FrozenPacks = Schema.Array(Schema.toType(Frozen))

interface Contact extends Reachable {
  readonly custom_fields: Readonly<Record<string, unknown>>
}

export const partyOf = ({ custom_fields, phone_number }: Contact, earlier: ReadonlyArray<EarlierAttempt>): Party => {
  const place = placeOfContact(phone_number, custom_fields)
  return {
    place,
    zones: zonesOfPlace(phone_number, custom_fields, place),
    window_zones: zonesOfContact(phone_number, custom_fields),
    earlier,
  }
}

export type Earlier = ReadonlyMap<string, ReadonlyArray<EarlierAttempt>>
const none: Earlier = new Map()

/**
 * The attempts of all campaigns to these numbers in the hours that the packs count, oldest first, and the direct calls
 * that named packs. An attempt without a subject may have been about any: it counts for each, and each counts for a call
 * without one. The caller holds the budget's lock, so that no other call begins meanwhile.
 */
export const readEarlier = Effect.fn("CampaignRules.readEarlier")(function* (
  packs: ReadonlyArray<FrozenPack>,
  subject: string | null,
  numbers: ReadonlyArray<string>,
  now: Date,
) {
  const hours = hoursBack(packs)
  if (hours === 0 || numbers.length === 0) return none
  const sql = yield* SqlClient.SqlClient
  const called = [...new Set(numbers)]
  const rows = yield* sql<{ readonly number: string; readonly at: Date; readonly same_subject: boolean }>`
    select l.to_number as number, l.started_at as at,
      coalesce(lower(c.subject) = lower(${subject}::text), true) as same_subject
    from calls l join campaigns c on c.id = l.campaign_id
    where l.to_number = any(${called}::text[]) and l.contact_id is not null
      and l.started_at > ${now}::timestamptz - make_interval(hours => ${hours})
    union all
    select l.to_number, l.started_at, coalesce(lower(d.record ->> 'subject') = lower(${subject}::text), true)
    from calls l join dial_records d on d.id = l.dial_record_id
    -- The first two conditions are those of calls_of_people.
    where case l.direction when 'outbound' then l.to_number else l.from_number end = any(${called}::text[])
      and l.contact_id is null and l.started_at > ${now}::timestamptz - make_interval(hours => ${hours})
      and d.record -> 'rules' is not null
    order by at`
  const earlier = new Map<string, Array<EarlierAttempt>>()
  for (const { at, number, same_subject } of rows) {
    const own = earlier.get(number) ?? []
    own.push({ at: at.getTime(), same_subject })
    earlier.set(number, own)
  }
  return earlier as Earlier
})

/** The attempts to all numbers of the person. */
const earlierOf = (contact: Contact, earlier: Earlier): ReadonlyArray<EarlierAttempt> => {
  const { lines, phone_number } = contact
  if (lines === undefined) return earlier.get(phone_number) ?? []
  return lines.flatMap((line) => earlier.get(line) ?? []).sort((a, b) => a.at - b.at)
}

/** The rules of a campaign at work on some of its contacts. */
export interface RulesAtWork<C> {
  readonly judge: JudgeRules<C>
  readonly grounds: RuleGrounds<C>
  /** Whether the rules let the contact be called from the number. */
  readonly permits: (contact: C, from_number: string) => boolean
}

/** Reads what the rules depend on, and returns the function that judges; undefined without packs. */
export const judgeContacts = Effect.fn("CampaignRules.judgeContacts")(function* <C extends Contact>(
  campaign: { readonly rules: ReadonlyArray<FrozenPack>; readonly subject: string | null },
  window: CallingWindow | null,
  from_numbers: ReadonlyArray<string>,
  contacts: ReadonlyArray<C>,
  now: Date,
) {
  const { rules: packs, subject } = campaign
  if (packs.length === 0) return undefined
  const earlier = yield* readEarlier(packs, subject, contacts.flatMap(linesOf), now)
  const judgeFor = judgesOf(packs, window, from_numbers, now)
  const judges = [...new Set(judgeFor.values())]
  const parties = new Map<C, Party>()
  const verdicts = new Map<C, ReadonlyMap<Judge, RuleVerdict>>()
  // Computed here with yields, because the plan of a pass does not yield: it asks again for each number of a pool, which
  // held the event loop for 0.1 s with a hundred numbers and a hundred people who had been called before.
  yield* Ticks.forEach(contacts, (contact) => {
    const party = partyOf(contact, earlierOf(contact, earlier))
    parties.set(contact, party)
    verdicts.set(contact, new Map(judges.map((judge) => [judge, judge(party)])))
  })
  const known = (contact: C) => parties.get(contact) ?? partyOf(contact, [])
  const verdictOf = (contact: C, judge: Judge) => verdicts.get(contact)?.get(judge) ?? judge(known(contact))
  return {
    judge: (contact) => best(judges.map((judge) => verdictOf(contact, judge))),
    permits: (contact, from_number) => {
      const judge = judgeFor.get(from_number)
      return judge !== undefined && verdictOf(contact, judge)._tag === "Open"
    },
    grounds: { packs: versionsOf(packs), content: RuleContents.digestOf(packs), partyOf: known },
  } satisfies RulesAtWork<C>
})

/** The judge of each number. Numbers that are in the same series share one. */
const judgesOf = (
  packs: ReadonlyArray<FrozenPack>,
  window: CallingWindow | null,
  from_numbers: ReadonlyArray<string>,
  now: Date,
) => {
  const series = packs.flatMap(({ rules }) => rules.flatMap((rule) => (rule.kind === "number_series" ? [rule] : [])))
  const shared = new Map<string, Judge>()
  return new Map(
    from_numbers.map((from_number) => {
      const key = series.map((rule) => isInSeries(rule, from_number)).join()
      const judge = shared.get(key) ?? judgeAt({ packs, window, from_number }, now)
      shared.set(key, judge)
      return [from_number, judge]
    }),
  )
}

/** The verdict on the number that may call first. */
const best = (verdicts: ReadonlyArray<RuleVerdict>): RuleVerdict => {
  const opening = ({ at }: Extract<RuleVerdict, { readonly _tag: "OpensAt" }>) => at.getTime()
  return verdicts.reduce((one, other) => {
    if (one._tag === "Open" || other._tag === "Never") return one
    if (other._tag === "Open" || one._tag === "Never") return other
    return opening(other) < opening(one) ? other : one
  })
}

const versionsOf = (packs: ReadonlyArray<FrozenPack>) =>
  Object.fromEntries(packs.map(({ id, version }) => [id, version]))

/**
 * The packs that a campaign or a direct call chooses by id: those in `kept` as they were frozen, the others as the installation has them.
 * Fails if an id is unknown, or if a pack demands another number to call from.
 */
export const choose = Effect.fn("CampaignRules.choose")(function* (
  ids: ReadonlyArray<string>,
  phone_number_ids: ReadonlyArray<string>,
  kept: ReadonlyArray<FrozenPack> = [],
) {
  const installed = yield* RulePacks
  const packs = ids.map((id) => {
    const pack = installed.get(id)
    return kept.find((other) => other.id === id) ?? (pack === undefined ? undefined : freeze(pack))
  })
  const unknown = packs.flatMap((pack, index) =>
    pack === undefined
      ? [
          {
            pointer: `/rule_packs/${index}`,
            detail: `is no rule pack of this installation: it has ${[...installed.keys()].sort().join(", ")}`,
          },
        ]
      : [],
  )
  if (unknown.length > 0) return yield* new Invalid({ errors: unknown })
  const chosen = packs.filter((pack) => pack !== undefined)
  yield* checkSeries(chosen, phone_number_ids)
  return chosen
})

/** Refuses packs whose number series a calling number is not in: they would refuse each call, one by one. */
const checkSeries = Effect.fnUntraced(function* (
  packs: ReadonlyArray<FrozenPack>,
  phone_number_ids: ReadonlyArray<string>,
) {
  const series = packs.flatMap(({ id, rules }, index) =>
    rules.flatMap((rule) => (rule.kind === "number_series" ? [{ id, index, rule }] : [])),
  )
  if (series.length === 0) return
  const sql = yield* SqlClient.SqlClient
  const numbers = yield* sql<{ readonly number: string }>`
    select number from phone_numbers where id = any(${[...phone_number_ids]}::uuid[])
    order by array_position(${[...phone_number_ids]}::uuid[], id)`
  const errors = series.flatMap(({ id, index, rule }) =>
    numbers
      .filter(({ number }) => !isInSeries(rule, number))
      .slice(0, 1)
      .map(({ number }) => ({
        pointer: `/rule_packs/${index}`,
        detail: `cannot be kept with the number ${number}: the rule ${rule.id} of ${id} asks for a number that begins with ${rule.prefixes.join(" or ")}. Choose another phone number, or leave the pack out`,
      })),
  )
  if (errors.length > 0) return yield* new Invalid({ errors })
})

/** The packs by which a campaign is judged now: a draft's as they would be frozen if it started. */
export const presentOf = Effect.fn("CampaignRules.presentOf")(function* (campaign: {
  readonly status: CampaignStatus
  readonly rules: ReadonlyArray<FrozenPack>
}) {
  const installed = yield* RulePacks
  return campaign.status === "draft" ? campaign.rules.map(refresh(installed)) : campaign.rules
})

/** A pack as the installation has it now. If it was taken out, it keeps the content that it had when it was chosen. */
const refresh =
  (installed: RulePacks["Service"]) =>
  (pack: FrozenPack): FrozenPack => {
    const present = installed.get(pack.id)
    return present === undefined ? pack : freeze(present)
  }

/** Stores the content of a campaign's packs. */
export const store = Effect.fn("CampaignRules.store")(function* (id: string, packs: ReadonlyArray<FrozenPack>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update campaigns set rules = ${json(packs)} where id = ${id}`
})

/** After packs were removed: contacts that a rule put off are judged again at once. */
export const lookAgain = Effect.fn("CampaignRules.lookAgain")(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update contacts set due_at = clock_timestamp(), waits_for = null, updated_at = clock_timestamp()
    where campaign_id = ${id} and status = 'pending' and waits_for = 'rule'`
})

const Draft = Schema.Struct({ id: Schema.String, rules: FrozenPacks })

/** Freezes the packs of drafts that start now, as the installation has them now. */
export const freezeAll = Effect.fn("CampaignRules.freezeAll")(function* (ids: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const installed = yield* RulePacks
  const drafts = yield* Rows.all(Draft)(sql`
    select id, rules from campaigns
    where id = any(${ids}::uuid[]) and status = 'draft' and cardinality(rule_packs) > 0`)
  for (const { id, rules } of drafts) yield* store(id, rules.map(refresh(installed)))
})
