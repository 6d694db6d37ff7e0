/**
 * The numbers that a simulated campaign calls from: their paces, limits per day and rests, judged by the dialler's own
 * functions. Which number calls which contact is not simulated; the one whose last call is the longest ago calls next.
 */
import { isHeld, paceOfPool } from "./CallerPool.ts"
import { groupOf, type NumberPace, spacingSeconds } from "./NumberPace.ts"
import { isPool, type PlannedNumber } from "./PlannedNumber.ts"
import { nextDay } from "./ZoneClock.ts"

interface Use {
  readonly number: PlannedNumber
  begun_today: number
  paced_until: number
}

const leftOf = ({ begun_today, number: { max_calls_per_day } }: Use): number =>
  max_calls_per_day === null ? Infinity : Math.max(0, max_calls_per_day - begun_today)

export class PreflightPool {
  /** The one whose last call is the longest ago first. */
  private uses: Array<Use>
  private readonly isPool: boolean
  private readonly timeZone: string
  private dayEnds: number

  constructor(numbers: ReadonlyArray<PlannedNumber>, starting_at: number, timeZone: string) {
    this.uses = numbers.map((number) => ({ number, begun_today: number.begun, paced_until: 0 }))
    this.isPool = isPool(numbers)
    this.timeZone = timeZone
    this.dayEnds = nextDay(timeZone, starting_at)
  }

  pace(now: number): NumberPace {
    this.beginDayAt(now)
    const numbers = this.uses.map((use) => this.callerAt(use, now))
    return paceOfPool({ numbers, tomorrow_ms: this.dayEnds - now })
  }

  /** Milliseconds for which the dialler says that it waits for a number; 0 if it does not. */
  heldMs(now: number): number {
    const pace = this.pace(now)
    return this.isPool && isHeld(pace) ? pace.free_in_ms : 0
  }

  /** Takes as many calls as `pace` permits at most. */
  begin(calls: number, now: number): void {
    this.beginDayAt(now)
    const begun = new Map<Use, number>()
    for (let left = calls; left > 0;) {
      const free = (use: Use) => this.callerAt(use, now).free - (begun.get(use) ?? 0)
      const at = this.uses.findIndex((use) => free(use) > 0)
      const [use] = this.uses.splice(at, 1)
      if (use === undefined) return
      // A number without limits that is the only one takes all of them at once.
      const taken = this.uses.length === 0 ? Math.min(left, free(use)) : 1
      begun.set(use, (begun.get(use) ?? 0) + taken)
      this.uses.push(use)
      left -= taken
    }
    for (const [use, count] of begun) {
      const { calls_per_second } = use.number
      use.begun_today += count
      if (calls_per_second !== null) use.paced_until = now + spacingSeconds(calls_per_second, count) * 1_000
    }
  }

  private callerAt(use: Use, now: number) {
    const { calls_per_second, rests_until } = use.number
    const free_in_ms = calls_per_second === null ? 0 : Math.max(0, Math.ceil(use.paced_until - now))
    const group = calls_per_second === null ? Infinity : groupOf(calls_per_second)
    const pace = { calls_per_second, free: free_in_ms === 0 ? group : 0, free_in_ms }
    const rests_ms = Math.max(0, rests_until - now)
    const left_today = leftOf(use)
    return { pace, left_today, rests_ms, free: rests_ms > 0 ? 0 : Math.min(pace.free, left_today) }
  }

  private beginDayAt(now: number): void {
    if (now < this.dayEnds) return
    this.dayEnds = nextDay(this.timeZone, now)
    for (const use of this.uses) use.begun_today = 0
  }
}
