/**
 * Shares the places that an account's caps leave among its campaigns when they want more than that: in rounds, in
 * proportion to `max_concurrent_calls` (start-time fair queueing; Goyal, Vin and Cheng 1996). Each place goes to the
 * campaign with the lowest round. A campaign that wanted nothing for a while joins at the present round, so it cannot
 * save up rounds, and no campaign waits for ever.
 */

import { MinHeap } from "./MinHeap.ts"

/** A campaign that would begin calls now if it could. */
export interface Claimant {
  readonly id: string
  /** Its `max_concurrent_calls`. */
  readonly weight: number
  readonly wants: number
  /** The round of its next call: rises by 1 / weight with each call that begins. */
  readonly round: number
}

/** Returns how many of `places` each claimant may take. No place stays free while a claimant wants it. */
export const share = (places: number, claimants: ReadonlyArray<Claimant>): ReadonlyMap<string, number> => {
  if (claimants.reduce((sum, { wants }) => sum + wants, 0) <= places) {
    return new Map(claimants.map(({ id, wants }) => [id, wants]))
  }
  const granted = new Map(claimants.map(({ id }) => [id, 0]))
  const line = new MinHeap(isBefore)
  for (const claimant of claimants) if (claimant.wants > 0) line.push(claimant)
  for (let left = places; left > 0; left--) {
    const next = line.pop()
    if (next === undefined) break
    const got = (granted.get(next.id) ?? 0) + 1
    granted.set(next.id, got)
    if (got < next.wants) line.push({ ...next, round: next.round + 1 / next.weight })
  }
  return granted
}

/** In the same round, the heavier claimant goes first, since it is served more often. */
const isBefore = (a: Claimant, b: Claimant): boolean =>
  a.round !== b.round ? a.round < b.round : a.weight !== b.weight ? a.weight > b.weight : a.id < b.id

/**
 * The round in which a campaign asks for places: its own, or the account's present round, if that is later because the
 * campaign wanted nothing for a while.
 */
export const roundAt = (own: number, present: number): number => Math.max(own, present)

/** The campaign's next round and the account's present round, after the campaign began `calls` calls. */
export const serve = (round: number, weight: number, calls: number) => ({
  round: round + calls / weight,
  present: round + Math.max(0, calls - 1) / weight,
})

/** A running campaign of the account, as its dialler reported it last. Old reports are ignored. */
export interface Standing {
  readonly id: string
  readonly phone_number_id: string
  /** The further numbers that it dials from. */
  readonly caller_numbers?: ReadonlyArray<string>
  readonly weight: number
  /** The number of calls that it would have begun in addition if the caps had left places. */
  readonly wants: number
  /**
   * The number of calls that it would have begun in addition if both the caps and its number's pace had left places.
   */
  readonly wants_of_number: number
  readonly next_round: number
  readonly last_round: number
}

export interface Wish {
  readonly id: string
  /** What its own limits leave. */
  readonly calls: number
  /** Places that the number's pace leaves to all campaigns that dial from it; Infinity if it has no pace. */
  readonly number_places: number
}

const numbersOf = ({ caller_numbers = [], phone_number_id }: Standing) => [phone_number_id, ...caller_numbers]

/** How many of the wanted calls a campaign may begin in this pass. */
export const grant = (wish: Wish, places: number, standings: ReadonlyArray<Standing>) => {
  const present = Math.max(0, ...standings.map(({ last_round }) => last_round))
  const own = standings.find(({ id }) => id === wish.id)
  const ownNumbers = new Set(own === undefined ? [] : numbersOf(own))
  const claims = standings.map((standing) => {
    const { id, next_round, wants, wants_of_number, weight } = standing
    const sharesNumber = numbersOf(standing).some((number) => ownNumbers.has(number))
    return {
      of_caps: id === wish.id ? Math.min(wish.calls, wish.number_places) : wants,
      of_number: id === wish.id ? wish.calls : sharesNumber ? wants_of_number : 0,
      claimant: { id, weight, round: wants > 0 ? next_round : roundAt(next_round, present) },
    }
  })
  const shareOf = (places: number, of: "of_caps" | "of_number") =>
    share(
      places,
      claims.map((claim) => ({ ...claim.claimant, wants: claim[of] })),
    ).get(wish.id) ?? 0
  const byCaps = shareOf(places, "of_caps")
  const byNumber = wish.number_places === Infinity ? wish.calls : shareOf(wish.number_places, "of_number")
  const round = claims.find(({ claimant }) => claimant.id === wish.id)?.claimant.round ?? present
  return { by_caps: byCaps, by_number: byNumber, round }
}
