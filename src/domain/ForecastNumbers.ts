/**
 * The numbers of a campaign in its forecast, which counts calls and does not place them one by one: how fast the numbers
 * that may call begin calls, how many they have left of the day, and when that changes. Pure.
 */
import { groupOf, spacingSeconds } from "./NumberPace.ts"
import type { PlannedNumber } from "./PlannedNumber.ts"

interface Use {
  readonly number: PlannedNumber
  readonly perSecond: number
  left: number
}

const perSecondOf = ({ calls_per_second: rate }: PlannedNumber): number =>
  rate === null ? Infinity : groupOf(rate) / spacingSeconds(rate, groupOf(rate))

/** Counts below this count as zero: expected values have fractions. */
const negligible = 1e-6

export class ForecastNumbers {
  private readonly uses: ReadonlyArray<Use>

  constructor(numbers: ReadonlyArray<PlannedNumber>) {
    this.uses = numbers.map((number) => ({
      number,
      perSecond: perSecondOf(number),
      left: Math.max(0, (number.max_calls_per_day ?? Infinity) - number.begun),
    }))
  }

  /** The calls per second of those that may call. Infinity if one of them has no pace, or if a number was deleted. */
  perSecond(at: number): number {
    return this.uses.length === 0 ? Infinity : this.working(at).reduce((sum, { perSecond }) => sum + perSecond, 0)
  }

  /** The calls that may begin at once. */
  burst(at: number): number {
    return this.perSecond(at) === Infinity ? Infinity : this.working(at).length
  }

  /** The calls that are left of this day. */
  left(at: number): number {
    return this.uses.length === 0 ? Infinity : this.working(at).reduce((sum, { left }) => sum + left, 0)
  }

  /** When one may call, if none may at `at`; Infinity if none ever may without a user. */
  resumesAt(at: number, dayEnds: number): number {
    return Math.min(
      ...this.uses.map(({ left, number }) => Math.max(number.rests_until, left > negligible ? at : dayEnds)),
    )
  }

  /** The next end of a rest. */
  changesAt(at: number): number {
    return Math.min(...this.uses.flatMap(({ number: { rests_until } }) => (rests_until > at ? [rests_until] : [])))
  }

  /** The calls after which the first of the numbers has begun its last one of the day. */
  callsUntilChange(at: number, isPaced: boolean): number {
    const working = this.working(at)
    const shares = sharesOf(working, isPaced)
    return Math.min(...working.map(({ left }, index) => left / (shares[index] ?? 1)))
  }

  /** Begins this many calls, at most `left`. `isPaced`: the numbers' paces decide which of them calls, not their turn. */
  begin(calls: number, at: number, isPaced: boolean): void {
    for (let rest = calls; rest > negligible;) {
      const working = this.working(at)
      if (working.length === 0) return
      const part = Math.min(rest, this.callsUntilChange(at, isPaced))
      const shares = sharesOf(working, isPaced)
      for (const [index, use] of working.entries()) use.left -= part * (shares[index] ?? 0)
      rest -= part
    }
  }

  beginDay(): void {
    for (const use of this.uses) use.left = use.number.max_calls_per_day ?? Infinity
  }

  private working(at: number): ReadonlyArray<Use> {
    return this.uses.filter(({ left, number }) => left > negligible && number.rests_until <= at)
  }
}

/** The parts of the calls that each of them begins: in turn, or as many as its pace permits. */
const sharesOf = (working: ReadonlyArray<Use>, isPaced: boolean): ReadonlyArray<number> => {
  const all = working.reduce((sum, { perSecond }) => sum + perSecond, 0)
  return working.map(({ perSecond }) => (isPaced && all < Infinity ? perSecond / all : 1 / working.length))
}
