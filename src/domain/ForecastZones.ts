/**
 * How the calls that a campaign has still to place spread over sets of time zones. A person with several numbers is called
 * on the next one at each attempt, and a number that may never be called is passed over, as in a dial pass (decision
 * 0087).
 */
import { type CallingWindow, verdict } from "./CallingWindow.ts"
import { zoneKeyOf } from "./ZoneKey.ts"

export interface ZoneShare {
  readonly share: number
  readonly zones: ReadonlyArray<string>
}

interface Retried {
  readonly window: CallingWindow
  readonly at: number
  /** The attempts that a contact may have, and the share of attempts that are retried. */
  readonly attempts: number
  readonly retried: number
}

/** `persons`: for each sampled contact the zones of its numbers. Yields after each reading of a set of zones. */
export function* zoneShares(
  persons: ReadonlyArray<ReadonlyArray<ReadonlyArray<string>>>,
  { at, attempts, retried, window }: Retried,
): Generator<void, ReadonlyArray<ZoneShare>> {
  const opens = new Map<number, boolean>()
  const groups = new Map<number, { readonly zones: ReadonlyArray<string>; share: number }>()
  for (const numbers of persons) {
    const callable: Array<ReadonlyArray<string>> = []
    for (const zones of numbers) {
      const key = zoneKeyOf(zones)
      const known = opens.get(key) ?? verdict(window, zones, new Date(Math.ceil(at)))._tag !== "Never"
      opens.set(key, known)
      if (known) callable.push(zones)
      yield
    }
    // Without any, the contact will be skipped, which the forecast finds by the zones of its first number.
    const order = callable.length === 0 ? numbers.slice(0, 1) : callable
    const weights = weightsOf(order.length, attempts, retried)
    for (const [index, zones] of order.entries()) {
      const key = zoneKeyOf(zones)
      const group = groups.get(key) ?? { zones, share: 0 }
      group.share += (weights[index] ?? 0) / persons.length
      groups.set(key, group)
    }
  }
  return [...groups.values()]
}

/** The shares of a contact's calls that go to each of its numbers: the first attempt to the first, and so on in turn. */
const weightsOf = (numbers: number, attempts: number, retried: number): ReadonlyArray<number> => {
  const weights = Array.from({ length: numbers }, () => 0)
  let all = 0
  for (let attempt = 0, weight = 1; attempt < attempts; attempt++, weight *= retried) {
    weights[attempt % numbers] = (weights[attempt % numbers] ?? 0) + weight
    all += weight
  }
  return weights.map((weight) => weight / all)
}
