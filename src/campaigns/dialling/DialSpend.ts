/**
 * The caps on spending in a dial pass: the campaign's and the account's daily one. They are read under the budget's
 * lock, like the caps on calls. The reservation of a call is written with its intent, and its end replaces the
 * reservation by the cost (decisions 0079 and 0083).
 */
import { Effect } from "effect"
import { mostAt } from "../../calls/Calls.ts"
import * as MissingPrice from "../../catalog/MissingPrice.ts"
import { InstallationPrices } from "../../catalog/PriceFile.ts"
import { type DailySpend, leftOf } from "../../domain/DailySpend.ts"
import { dearestOf } from "../../domain/Dearest.ts"
import type { Allowance, PassContacts } from "../../domain/DialPass.ts"
import type { Carrier } from "../../domain/PhoneNumber.ts"
import type { SpendWait } from "../../domain/SpendCap.ts"
import type { DialCampaign } from "./DialCampaign.ts"
import type { Candidate } from "./DialQueue.ts"
import { refusals } from "../SpendCheck.ts"

type Contacts = PassContacts<Candidate> & { readonly candidates: ReadonlyArray<Candidate> }

/** What a pass may still pay for. */
interface Affordable<C extends Contacts> {
  readonly allowed: Allowance
  readonly contacts: C
  /** Millionths to reserve for a call to the contact; undefined if no cap applies. */
  readonly reservedFor: (contact: Candidate) => number | undefined
  /** The cap that leaves less, and the price that is missing for it; null if no cap applies. */
  readonly spend_wait: SpendWait | null
}

/** The pass before money is considered. */
interface Pass<C extends Contacts> extends Pick<Affordable<C>, "allowed" | "contacts"> {
  readonly campaign: Pick<DialCampaign, "spend" | "max_call_seconds">
  readonly daily_spend: DailySpend | null
  readonly carrier: Carrier
  readonly now: Date
}

/**
 * Leaves the contacts from the front of the queue whose calls together fit into what is left, whichever of them are
 * dialled. Without a price no call fits.
 */
export const limit = Effect.fnUntraced(function* <C extends Contacts>({
  allowed,
  campaign: { max_call_seconds, spend },
  carrier,
  contacts,
  daily_spend,
  now,
}: Pass<C>) {
  const ownLeft = spend === null ? Infinity : spend.limit - spend.committed
  const dayLeft = daily_spend === null ? Infinity : leftOf(daily_spend)
  let left = Math.min(ownLeft, dayLeft)
  if (left === Infinity || max_call_seconds === null) {
    return { allowed, contacts, reservedFor: () => undefined, spend_wait: null } satisfies Affordable<C>
  }
  const cap = ownLeft <= dayLeft ? "max_spend" : "daily_spend_cap"
  const prices = yield* InstallationPrices
  const missing = MissingPrice.find(prices, { carrier, at: now })
  const spend_wait = { cap, missing_price: missing === null ? null : refusals[cap](missing) } satisfies SpendWait
  const reserved = new Map<string, number>()
  for (const contact of contacts.candidates) {
    const numbers = [contact, ...(contacts.othersOf?.(contact) ?? [])].map(({ phone_number }) => phone_number)
    const most = dearestOf(numbers, (to) => mostAt(prices, { carrier, to, now, max_call_seconds }))
    if (most === null || most > left) break // guard: a call is dialled only if its reservation fits the caps (I18)
    left -= most
    reserved.set(contact.id, most)
  }
  const reservedFor = (contact: Candidate) => reserved.get(contact.id)
  if (reserved.size === contacts.candidates.length) {
    return { allowed, contacts, reservedFor, spend_wait } satisfies Affordable<C>
  }
  const calls = reserved.size
  return {
    // With a window, more contacts are looked at than calls may begin: money may suffice for those.
    allowed: calls < allowed.calls ? { ...allowed, calls, own: { calls, stopped_by: "spend_cap" } } : allowed,
    contacts: { ...contacts, candidates: contacts.candidates.slice(0, reserved.size) },
    reservedFor,
    spend_wait,
  } satisfies Affordable<C>
})
