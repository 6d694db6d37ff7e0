/** Remembers trunks' addresses that failed lately, so that a server's other addresses are tried first. */
import type { Place } from "./Hop.ts"

const avoidedMs = 60_000
const mostKept = 5_000

const keyOf = ({ address, port, transport }: Place): string => `${transport} ${address} ${port}`

export class AvoidedAddresses {
  /** Milliseconds since 1970. */
  private readonly now: () => number
  private readonly untilOf = new Map<string, number>()

  constructor(now: () => number) {
    this.now = now
  }

  readonly add = (place: Place): void => {
    if (this.untilOf.size >= mostKept) this.untilOf.clear()
    this.untilOf.set(keyOf(place), this.now() + avoidedMs)
  }

  /** Orders the places: those that failed lately come last. */
  order(places: ReadonlyArray<Place>): ReadonlyArray<Place> {
    const now = this.now()
    const isAvoided = (place: Place) => Number((this.untilOf.get(keyOf(place)) ?? 0) > now)
    return places.toSorted((a, b) => isAvoided(a) - isAvoided(b))
  }
}
