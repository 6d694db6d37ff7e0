/**
 * What a call costs: prices as data with dates (`PARLEY_PRICES_FILE`, docs/costs.md). Pure. All sums are whole
 * millionths of the currency.
 */
import { Result, Schema } from "effect"
import type { Cost, CostPart } from "./Call.ts"
import { Amount, currency, microsOf, numberOf } from "./Money.ts"
import { Carrier } from "./PhoneNumber.ts"

/** The day from which a price holds, at midnight UTC. It holds until the day of the next price of the same thing. */
const from = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/u, { message: "must be a date such as 2026-01-01" }),
  Schema.makeFilter((day) => !Number.isNaN(Date.parse(day)) || "must be a date of the calendar"),
)

const CarrierPrice = Schema.Struct({
  carrier: Carrier,
  /** What calls the price is of: those that Parley places, which is the default, or those that it answers. */
  direction: Schema.optionalKey(Schema.Literals(["outbound", "inbound"])),
  /** The beginning of the called number. `+` is every number without a longer prefix of its own. */
  prefix: Schema.String.check(Schema.isPattern(/^\+\d{0,15}$/u, { message: "must be + and digits, such as +44" })),
  from,
  per_minute: Amount,
  /** Each begun part of this many seconds is charged. */
  increment_seconds: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3_600 })),
  /** Charged once for a call that was answered. */
  per_call: Schema.optionalKey(Amount),
})
type CarrierPrice = typeof CarrierPrice.Type

export const PriceList = Schema.Struct({
  currency: Schema.Literal(currency),
  carriers: Schema.Array(CarrierPrice),
  recogniser: Schema.optionalKey(Schema.Array(Schema.Struct({ from, per_minute: Amount }))),
  voice: Schema.optionalKey(Schema.Array(Schema.Struct({ from, per_1000_characters: Amount }))),
  /** The most that model, recogniser and voice together cost in a minute of a call. Caps on spending reserve it. */
  agent_at_most: Schema.optionalKey(Schema.Array(Schema.Struct({ from, per_minute: Amount }))),
})
export type PriceList = typeof PriceList.Type

/** The prices that one call is charged by: those of the day on which it began. Millionths; null without a price. */
export interface Tariff {
  readonly carrier: {
    readonly per_minute: number
    readonly increment_seconds: number
    readonly per_call: number
  } | null
  /** Whether the call goes over a carrier at all; a conversation on a web page does not. */
  readonly has_carrier: boolean
  readonly recogniser: number | null
  readonly voice: number | null
  readonly agent_at_most: number | null
  /** Whether the language model has a price in `PARLEY_MODEL_PRICES`. */
  readonly isModelPriced: (model: string) => boolean
}

/** What of a call is charged. */
export interface Used {
  readonly talked_ms: number
  /** The cost of language models in millionths. */
  readonly brain: number
  /** The models that answered. */
  readonly models: ReadonlyArray<string>
  /** Characters that the agent's voice spoke. Null if Parley's recogniser and voice did not take part. */
  readonly characters: number | null
}

/** Which call a tariff is for. */
export interface Charged {
  readonly carrier: Carrier | "web"
  readonly direction: "outbound" | "inbound" | "web"
  /** The called number; null if there is none. */
  readonly to: string | null
  readonly at: Date
}

export interface Prices {
  readonly tariffOf: (call: Charged) => Tariff
}

interface Dated {
  readonly from: string
}

/** The price that holds on a day: the latest of those whose day has come. */
const current = <P extends Dated>(prices: ReadonlyArray<P> | undefined, day: string): P | null => {
  let found: P | null = null
  for (const price of prices ?? []) {
    if (price.from <= day && (found === null || price.from >= found.from)) found = price
  }
  return found
}

/** The day of a time in UTC, in the form of `from`. */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

const routeOf = (carrier: string, direction: string) => `${carrier} ${direction}`

/**
 * Compiles a list for look-ups by number. Fails with a sentence if a carrier has no price for `+`: then some numbers
 * would have no price at all, which would be found out only when one of them is on a list.
 */
export const compile = (list: PriceList, models: ReadonlySet<string>): Result.Result<Prices, string> => {
  const routes = Map.groupBy(list.carriers, ({ carrier, direction = "outbound" }) => routeOf(carrier, direction))
  const tables = new Map<string, ReadonlyMap<string, ReadonlyArray<CarrierPrice>>>()
  for (const [route, prices] of routes) {
    const table = Map.groupBy(prices, ({ prefix }) => prefix)
    if (!table.has("+"))
      return Result.fail(`carriers: ${route} has no price for the prefix +, which is all other numbers`)
    tables.set(route, table)
  }
  const tariffOf = ({ at, carrier, direction, to }: Charged): Tariff => {
    const table = tables.get(routeOf(carrier, direction))
    const day = dayOf(at)
    return {
      carrier: table === undefined ? null : toCarrierTariff(priceFor(table, to ?? "+", day)),
      has_carrier: carrier !== "web",
      recogniser: microsOr(current(list.recogniser, day)?.per_minute),
      voice: microsOr(current(list.voice, day)?.per_1000_characters),
      agent_at_most: microsOr(current(list.agent_at_most, day)?.per_minute),
      isModelPriced: (model) => models.has(model),
    }
  }
  return Result.succeed({ tariffOf })
}

const microsOr = (amount: string | undefined) => (amount === undefined ? null : microsOf(amount))

/** The price of the longest prefix that has one on the day. */
const priceFor = (table: ReadonlyMap<string, ReadonlyArray<CarrierPrice>>, to: string, day: string) => {
  for (let length = to.length; length > 0; length--) {
    const price = current(table.get(to.slice(0, length)), day)
    if (price !== null) return price
  }
  return null
}

const toCarrierTariff = (price: CarrierPrice | null): Tariff["carrier"] =>
  price === null
    ? null
    : {
        per_minute: microsOf(price.per_minute),
        increment_seconds: price.increment_seconds,
        per_call: microsOf(price.per_call ?? "0"),
      }

const minuteMs = 60_000

/** What the carrier charges for a call that was answered, rounded up to a millionth. */
export const carrierCost = ({ increment_seconds, per_call, per_minute }: NonNullable<Tariff["carrier"]>, ms: number) =>
  per_call + Math.ceil((Math.ceil(ms / (increment_seconds * 1_000)) * increment_seconds * per_minute) / 60)

/** What the recogniser costs in a call, in millionths; null without a price. */
export const recogniserCost = ({ recogniser }: Tariff, ms: number): number | null =>
  recogniser === null ? null : Math.ceil((ms * recogniser) / minuteMs)

/** The cost of a call that was answered, by part. A part without a price is in `not_priced`, and not zero. */
export const costOf = (tariff: Tariff, { brain, characters, models, talked_ms }: Used): Cost => {
  const parts: Array<readonly [CostPart, number | null]> = [
    ["brain", models.every(tariff.isModelPriced) ? brain : null],
  ]
  if (tariff.has_carrier) parts.unshift(["telephony", tariff.carrier && carrierCost(tariff.carrier, talked_ms)])
  if (characters !== null) {
    const { voice } = tariff
    parts.push(["recogniser", recogniserCost(tariff, talked_ms)])
    parts.push(["voice", voice === null ? null : Math.ceil((characters * voice) / 1_000)])
  }
  const priced = parts.flatMap(([part, micros]) => (micros === null ? [] : [[part, micros] as const]))
  const not_priced = parts.flatMap(([part, micros]) => (micros === null ? [part] : []))
  return {
    amount: numberOf(priced.reduce((sum, [, micros]) => sum + micros, 0)),
    currency,
    parts: Object.fromEntries(priced.map(([part, micros]) => [part, numberOf(micros)])),
    ...(not_priced.length === 0 ? {} : { not_priced }),
  }
}

/** A call may last this much longer than the agent's `max_call_seconds`, until its line is down. */
const graceMs = minuteMs

/** The most that a call of an agent may cost, in millionths. Null if a price for that is missing. */
export const mostOf = (tariff: Tariff, max_call_seconds: number): number | null =>
  mostFor(tariff, max_call_seconds * 1_000 + graceMs)

/** The most that a call of this length may cost, in millionths. Null if a price for that is missing. */
export const mostFor = ({ agent_at_most, carrier }: Tariff, ms: number): number | null =>
  agent_at_most === null || carrier === null
    ? null
    : carrierCost(carrier, ms) + Math.ceil((ms * agent_at_most) / minuteMs)
