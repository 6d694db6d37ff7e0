/**
 * Replays the decision of a receipt: the function that decided (`DialDecision.decide`) runs again over the recorded
 * facts and has to permit the dial, and what the record derives from them has to come out the same (decision 0082).
 */
import { Option, Schema } from "effect"
import { CallingWindow } from "./CallingWindow.ts"
import { ConsentBasis, RequiredConsent } from "./Consent.ts"
import { decide, TimedWait } from "./DialDecision.ts"
import type { ReceiptContent } from "./Receipt.ts"
import type { FrozenPack } from "./RulePack.ts"
import { judgeAt, type Party } from "./Rules.ts"
import { Timestamp } from "./Timestamp.ts"
import { clockText } from "./ZoneClock.ts"

const Clocks = { zones: Schema.Array(Schema.String), local_times: Schema.Record(Schema.String, Schema.String) }
const Use = Schema.Struct({ used: Schema.Finite, limit: Schema.NullOr(Schema.Finite) })
const Stamp = Schema.Struct({
  id: Schema.String,
  basis: ConsentBasis,
  at: Timestamp,
  expires_at: Schema.NullOr(Timestamp),
})

/** The facts in a record. A record of an earlier release has no `data`. */
const Facts = Schema.Struct({
  rule: Schema.String,
  attempt: Schema.Int,
  due_at: Schema.NullOr(Timestamp),
  waited_for: Schema.NullOr(TimedWait),
  quiet_until: Schema.optionalKey(Timestamp),
  // These two are a campaign's.
  slots: Schema.optionalKey(Use),
  campaign_minute: Schema.optionalKey(Use),
  caps: Schema.Record(Schema.String, Use),
  window: Schema.NullOr(Schema.Struct({ ...CallingWindow.fields, ...Clocks })),
  rules: Schema.optionalKey(
    Schema.Struct({
      packs: Schema.Record(Schema.String, Schema.String),
      content: Schema.String,
      place: Schema.Struct({
        country: Schema.NullOr(Schema.String),
        state: Schema.NullOr(Schema.String),
        found_by: Schema.Literals(["column", "prefix", "unknown"]),
      }),
      ...Clocks,
      earlier: Schema.Array(Schema.Struct({ at: Timestamp, same_subject: Schema.Boolean })),
    }),
  ),
  do_not_call: Schema.Boolean,
  required_consent: Schema.optionalKey(RequiredConsent),
  consent: Schema.optionalKey(Schema.NullOr(Stamp)),
  data: Schema.Struct({ time_zones: Schema.String, prefixes: Schema.String }),
  decided_at: Timestamp,
})
type Facts = typeof Facts.Type
const decodeFacts = Schema.decodeUnknownOption(Facts)

/** `differs` says what came out otherwise. */
export type Replay =
  | { readonly _tag: "Same" }
  | { readonly _tag: "NotReplayable" }
  | { readonly _tag: "Differs"; readonly says: string }

const same: Replay = { _tag: "Same" }
const differs = (says: string): Replay => ({ _tag: "Differs", says })

/** `packsOf`: the packs with this digest, whose content was compared with it; undefined if there are none. */
export const replay = (
  receipt: ReceiptContent,
  packsOf: (digest: string) => ReadonlyArray<FrozenPack> | undefined,
): Replay => {
  const facts = Option.getOrUndefined(decodeFacts(receipt.decision))
  if (facts === undefined)
    return "data" in receipt.decision ? differs("its facts cannot be read") : { _tag: "NotReplayable" }
  const packs = facts.rules === undefined ? [] : packsOf(facts.rules.content)
  if (packs === undefined) return differs("the content of its rule packs is missing")
  const versions = Object.entries(facts.rules?.packs ?? {})
  if (versions.length !== packs.length || packs.some(({ id, version }) => facts.rules?.packs[id] !== version)) {
    return differs("its rule packs have other versions")
  }
  try {
    const verdict = decideAgain(receipt, facts, packs)
    if (verdict._tag !== "Dial") return differs(`it is refused now: ${verdict.reason}${dataNote(facts)}`)
    return findDerived(facts, receipt)
  } catch {
    // A moment that does not exist, or a time zone that this process does not know.
    return differs(`its clocks cannot be read${dataNote(facts)}`)
  }
}

const decideAgain = (receipt: ReceiptContent, facts: Facts, packs: ReadonlyArray<FrozenPack>) => {
  const { decided_at: now, rules, window } = facts
  const zones = window?.zones ?? []
  const party: Party | undefined = rules && {
    place: rules.place,
    zones: rules.zones,
    window_zones: zones,
    earlier: rules.earlier.map(({ at, same_subject }) => ({ at: at.getTime(), same_subject })),
  }
  const judge = judgeAt({ packs, window, from_number: receipt.from_number ?? "" }, now)
  return decide({
    status: "running",
    window,
    zonesOf: () => zones,
    rules: party && (() => judge(party)),
    inCall: () => false,
    now,
  })({
    phone_number: receipt.to_number ?? "",
    attempts: facts.attempt - 1,
    due_at: facts.due_at,
    waits_for: facts.waited_for,
    quiet_until: facts.quiet_until ?? null,
    suppressed: facts.do_not_call,
    lacks_consent: facts.required_consent !== undefined && !permits(facts.consent ?? null, facts.required_consent, now),
  })
}

const permits = (consent: typeof Stamp.Type | null, required: RequiredConsent, now: Date): boolean =>
  consent !== null &&
  required.basis.includes(consent.basis) &&
  consent.at <= now &&
  (consent.expires_at === null || consent.expires_at > now)

/** Clocks are read with the time zone data of this process, which may be newer than the recorded one. */
const dataNote = ({ data }: Facts) => ` (time zone data of the decision: ${data.time_zones})`

/** What the record says in other words: the attempt, the local times, and room within each limit. */
const findDerived = (facts: Facts, receipt: ReceiptContent): Replay => {
  const { attempt, campaign_minute, caps, decided_at, rule, rules, slots, window } = facts
  const isDirect = receipt.campaign_id === null
  if (attempt !== (isDirect ? 1 : receipt.attempt_number)) return differs("its call is another attempt")
  const isFirst = isDirect ? "direct_call" : "first_attempt"
  if ((rule === isFirst) !== (attempt === 1) && rule !== "callback") return differs("its rule is another one")
  for (const { local_times, zones } of [window, rules].filter((one) => one !== null && one !== undefined)) {
    const isSame = Object.keys(local_times).length === zones.length
    if (!isSame || zones.some((zone) => local_times[zone] !== clockText(zone, decided_at))) {
      return differs(`its local times are others${dataNote(facts)}`)
    }
  }
  const full = Object.entries({ slots, campaign_minute, ...caps }).find(
    ([, use]) => use !== undefined && use.limit !== null && use.used >= use.limit,
  )
  return full === undefined ? same : differs(`it had no room in ${full[0]}`)
}
