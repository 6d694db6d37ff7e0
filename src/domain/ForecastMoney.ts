/**
 * The caps on spending in a forecast, which counts calls and does not place them one by one. As in a dial pass, a call
 * begins only if the most that it may cost is left, and when it has ended, only its cost counts (decision 0079). Pure.
 */
import type { SpendCap } from "./SpendCap.ts"

export interface PlannedMoney {
  readonly caps: ReadonlyArray<{
    readonly cap: SpendCap
    /** In millionths. The campaign's share of the account's cap, if other campaigns run. */
    readonly limit: number
    /** What is spent of it, and what the calls in progress will cost. */
    readonly used: number
  }>
  /** What an average call reserves, in millionths; Infinity if a price is missing. */
  readonly reserved: number
  /** What it costs in the end. */
  readonly cost: number
}

interface Counted {
  readonly cap: SpendCap
  readonly limit: number
  /** What is left after the calls so far. */
  money: number
  /** The calls that may still begin. */
  calls: number
}

export class ForecastMoney {
  private readonly planned: Pick<PlannedMoney, "reserved" | "cost">
  private readonly caps: ReadonlyArray<Counted>

  constructor({ caps, cost, reserved }: PlannedMoney) {
    this.planned = { reserved, cost: Math.min(cost, reserved) }
    this.caps = caps.map(({ cap, limit, used }) => ({
      cap,
      limit,
      money: limit - used,
      calls: this.callsFor(limit - used),
    }))
  }

  /** The cap that permits the fewest further calls, and how many; null without a cap. */
  scarcest(): Pick<Counted, "cap" | "calls"> | null {
    return this.caps.reduce<Counted | null>(
      (one, other) => (one === null || other.calls < one.calls ? other : one),
      null,
    )
  }

  /** The calls for which the campaign's own money suffices, on whichever day. */
  callsInAll(): number {
    return Math.min(...this.caps.flatMap(({ calls, cap }) => (cap === "max_spend" ? [calls] : [])))
  }

  /** How many calls may be in progress at the same time: each holds more money than it will cost. */
  slots(): number {
    const held = this.planned.reserved - this.planned.cost
    const slots = Math.min(...this.caps.map(({ money }) => (held > 0 ? Math.floor(money / held) : Infinity)))
    return Math.max(1, slots)
  }

  /** The calls after which fewer slots than `wanted` may be in use, or half as many as now. */
  callsUntilChange(wanted: number): number {
    const { cost, reserved } = this.planned
    const held = (reserved - cost) * wanted
    return Math.min(
      ...this.caps.map(({ money }) => (cost <= 0 ? Infinity : (money > held ? money - held : money / 2) / cost)),
    )
  }

  begin(calls: number): void {
    for (const counted of this.caps) this.count(counted, calls)
  }

  /** Counts the calls of days that are passed over, each of which has its own daily cap. */
  beginOnOtherDays(calls: number): void {
    for (const counted of this.caps) if (counted.cap === "max_spend") this.count(counted, calls)
  }

  beginDay(): void {
    for (const counted of this.caps) {
      if (counted.cap !== "daily_spend_cap") continue
      counted.money = counted.limit
      counted.calls = this.callsFor(counted.limit)
    }
  }

  private count(counted: Counted, calls: number): void {
    counted.calls -= calls
    counted.money -= calls * this.planned.cost
  }

  private callsFor(money: number): number {
    const { cost, reserved } = this.planned
    if (money < reserved) return 0
    return cost <= 0 ? Infinity : Math.floor((money - reserved) / cost) + 1
  }
}
