/**
 * A campaign's cap on spending in a dial pass. It runs under the budget's lock, like the caps on calls: the reservation
 * of a call is written with its intent, and its end replaces the reservation by the cost (decision 0079).
 */
import { Effect } from "effect"
import { InstallationPrices } from "../catalog/PriceFile.ts"
import type { Allowance, PassContacts } from "../domain/DialPass.ts"
import { dayOf, mostOf, type Prices } from "../domain/PriceList.ts"
import type { Carrier } from "../domain/PhoneNumber.ts"
import type { DialCampaign } from "./DialCampaign.ts"
import type { Candidate } from "./DialQueue.ts"

type Contacts = PassContacts<Candidate> & { readonly candidates: ReadonlyArray<Candidate> }

/** What a pass may still pay for. */
interface Affordable<C extends Contacts> {
  readonly allowed: Allowance
  readonly contacts: C
  /** Millionths to reserve for a call to the contact; undefined if the campaign has no cap. */
  readonly reservedFor: (contact: Candidate) => number | undefined
}

/** The pass before money is considered. */
interface Pass<C extends Contacts> extends Pick<Affordable<C>, "allowed" | "contacts"> {
  readonly campaign: Pick<DialCampaign, "spend">
  readonly carrier: Carrier
  readonly now: Date
}

/**
 * Leaves the contacts from the front of the queue whose calls together fit into what is left, whichever of them are
 * dialled. Without a price no call fits.
 */
export const limit = Effect.fnUntraced(function* <C extends Contacts>({
  allowed,
  campaign,
  carrier,
  contacts,
  now,
}: Pass<C>) {
  if (campaign.spend === null) return { allowed, contacts, reservedFor: () => undefined } satisfies Affordable<C>
  const prices = yield* InstallationPrices
  const { committed, limit, max_call_seconds } = campaign.spend
  const reserved = new Map<Candidate, number>()
  let left = limit - committed
  for (const contact of contacts.candidates) {
    const most = prices === null ? null : mostAt(prices, { carrier, to: contact.phone_number, now, max_call_seconds })
    if (most === null || most > left) break // guard: a call is dialled only if its reservation fits the cap (I18)
    left -= most
    reserved.set(contact, most)
  }
  const reservedFor = (contact: Candidate) => reserved.get(contact)
  if (reserved.size === contacts.candidates.length) return { allowed, contacts, reservedFor } satisfies Affordable<C>
  const calls = reserved.size
  return {
    // With a window, more contacts are looked at than calls may begin: money may suffice for those.
    allowed: calls < allowed.calls ? { ...allowed, calls, own: { calls, stopped_by: "spend_cap" } } : allowed,
    contacts: { ...contacts, candidates: contacts.candidates.slice(0, reserved.size) },
    reservedFor,
  } satisfies Affordable<C>
})

/** The transaction is shorter than this, and its calls begin before its end. */
const transactionMs = 60_000

interface Asked {
  readonly carrier: Carrier
  readonly to: string
  readonly now: Date
  readonly max_call_seconds: number
}

/** The most that a call may cost. If it may begin on the next day, whose prices can be others, the dearer one counts. */
const mostAt = (prices: Prices, { carrier, max_call_seconds, now, to }: Asked): number | null => {
  const soon = new Date(now.getTime() + transactionMs)
  let most = 0
  for (const at of dayOf(now) === dayOf(soon) ? [now] : [now, soon]) {
    const there = mostOf(prices.tariffOf({ carrier, direction: "outbound", to, at }), max_call_seconds)
    if (there === null) return null
    most = Math.max(most, there)
  }
  return most
}
