/**
 * The rule packs and the consent that a direct call asks for. They are judged in the transaction that writes the call,
 * by the functions that judge the contacts of campaigns (decision 0090).
 */
import { Effect, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as CampaignRules from "../catalog/CampaignRules.ts"
import { groundFor } from "../catalog/ConsentGround.ts"
import * as Consents from "../catalog/Consents.ts"
import { dataVersions } from "../catalog/PrefixData.ts"
import * as RuleContents from "../catalog/RuleContents.ts"
import { noConsent, refusedByRule } from "../domain/CallNotPermitted.ts"
import type { ConsentStamp, RequiredConsent } from "../domain/Consent.ts"
import { type DirectGrounds, placedBecause } from "../domain/DirectDialRecord.ts"
import type { FrozenPack } from "../domain/RulePack.ts"

/** What the request asks to be checked. */
export interface Terms {
  readonly packs: ReadonlyArray<FrozenPack>
  readonly subject: string | null
  readonly required_consent: RequiredConsent | null
}

/** The called party, as a contact whose fields are the variables of the call. */
interface Party {
  readonly phone_number: string
  readonly custom_fields: Schema.JsonObject
}

type Circumstances = Pick<DirectGrounds<Party>, "agent" | "agent_version" | "usage" | "daily_spend" | "now">

/** The record of the decision, the consent that it is based on, and the digest of the packs; null without them. */
interface Permission {
  readonly record: Schema.JsonObject
  readonly consent: ConsentStamp | null
  readonly content: string | null
}

/**
 * Returns the permission of the call, or null if the request asked for no check. Fails if the consent is missing or a
 * rule refuses. The caller's transaction holds the budget's lock.
 */
export const judge = Effect.fn("DirectCallRules.judge")(function* (
  { packs, required_consent, subject }: Terms,
  party: Party,
  from_number: string,
  circumstances: Circumstances,
) {
  if (packs.length === 0 && required_consent === null) return null
  const { now } = circumstances
  const consent = required_consent === null ? null : yield* readConsent(required_consent, party.phone_number, now)
  // guard: a direct call begins only with the consent that it requires (decision 0090)
  if (required_consent !== null && consent === null) return yield* noConsent(party.phone_number, required_consent)
  // end of guard
  const rules = yield* CampaignRules.judgeContacts({ rules: packs, subject }, null, [from_number], [party], now)
  // No window is given, so only a rule can refuse.
  const verdict = rules?.judge(party)
  // guard: a direct call begins only if the rule packs that it names permit it (decision 0090)
  if (rules !== undefined && verdict !== undefined && verdict._tag !== "Open" && verdict.by !== "window") {
    const { place } = rules.grounds.partyOf(party)
    return yield* refusedByRule(party.phone_number, verdict.by, place, verdict._tag === "Never" ? null : verdict.at)
  }
  // end of guard
  const grounds = { ...circumstances, subject, required_consent, consent, data: dataVersions, rules: rules?.grounds }
  const content = rules?.grounds.content ?? null
  return { record: placedBecause(party, grounds), consent, content } satisfies Permission
})

/** Keeps what the permission of a call that begins now depends on: the content of the packs, and the use of the consent. */
export const keep = Effect.fn("DirectCallRules.keep")(function* (
  { packs }: Terms,
  { consent, content }: Permission,
  now: Date,
) {
  if (content !== null) yield* RuleContents.keep(content, packs)
  if (consent !== null) yield* Consents.markUsed([consent.id], now)
})

const readConsent = Effect.fnUntraced(function* (required: RequiredConsent, phone_number: string, now: Date) {
  const sql = yield* SqlClient.SqlClient
  const ground = yield* groundFor(required, sql`${phone_number}::text`, now)
  const [row] = yield* sql<{ readonly consent: ConsentStamp | null }>`select ${ground} as consent`
  return row?.consent ?? null
})
