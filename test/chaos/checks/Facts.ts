/**
 * A history prepared for its checks: rows by id, requests with their responses, and the possible values of settings
 * over time.
 */
import type {
  AccountMade,
  Answer,
  Ask,
  CallRow,
  CampaignRow,
  CarrierFact,
  ContactRow,
  Event,
  History,
} from "../History.ts"

export interface Violation {
  /** `I1` … `I18`, `drain` or `log`. */
  readonly invariant: string
  readonly what: string
  readonly evidence: ReadonlyArray<Event>
}

export interface Exchange {
  readonly ask: Ask
  readonly answer: Answer
}

/** A call at the carrier, from its order to its end. */
export interface CarrierCall {
  readonly create: CarrierFact
  readonly end: CarrierFact | undefined
  readonly from: number
  readonly until: number
}

export interface Facts {
  readonly history: History
  readonly accounts: ReadonlyArray<AccountMade>
  readonly exchanges: ReadonlyArray<Exchange>
  readonly calls: ReadonlyArray<CallRow>
  readonly call: ReadonlyMap<string, CallRow>
  readonly contacts: ReadonlyArray<ContactRow>
  readonly campaigns: ReadonlyArray<CampaignRow>
  readonly carrierCalls: ReadonlyArray<CarrierCall>
  /** The request that created a campaign, whether or not its response came. */
  readonly creationOf: (campaign: CampaignRow) => Exchange | undefined
  readonly phaseBegan: (phase: string) => number
}

export const ofKind = <K extends Event["t"]>(history: History, t: K) =>
  history.filter((event): event is Extract<Event, { t: K }> => event.t === t)

/** Milliseconds after which an unanswered request can have no effect, since the server has given it up. */
export const settlesWithinMs = 60_000

export const isDone = ({ answer }: Exchange): boolean => answer.status >= 200 && answer.status < 300
/** True if it is unknown whether the request took effect. */
export const isOpen = ({ answer }: Exchange): boolean => answer.status === 0 || answer.status >= 500

export const lay = (history: History): Facts => {
  const answers = new Map(ofKind(history, "answer").map((answer) => [answer.n, answer]))
  const exchanges = ofKind(history, "ask").map((ask): Exchange => {
    const none: Answer = { t: "answer", n: ask.n, status: 0, body: null, at: Number.POSITIVE_INFINITY }
    return { ask, answer: answers.get(ask.n) ?? none }
  })
  const calls = ofKind(history, "call")
  const facts = ofKind(history, "carrier")
  const ends = new Map(facts.filter(({ event }) => event === "end").map((fact) => [fact.ref, fact]))
  const creations = new Map(
    exchanges
      .filter(({ ask }) => ask.op === "create")
      .map((exchange) => [`${exchange.ask.account} ${exchange.ask.body?.["name"]}`, exchange]),
  )
  const phases = new Map(ofKind(history, "phase").map(({ at, phase }) => [phase, at]))
  return {
    history,
    accounts: ofKind(history, "account"),
    exchanges,
    calls,
    call: new Map(calls.map((row) => [row.id, row])),
    contacts: ofKind(history, "contact"),
    campaigns: ofKind(history, "campaign"),
    carrierCalls: facts
      .filter(({ event }) => event === "create")
      .map((create) => {
        const end = ends.get(create.ref)
        return { create, end, from: create.at, until: end?.at ?? Number.POSITIVE_INFINITY }
      }),
    creationOf: ({ account, name }) => creations.get(`${account} ${name}`),
    phaseBegan: (phase) => phases.get(phase) ?? Number.POSITIVE_INFINITY,
  }
}

/**
 * The values that a setting may have had from `from` to `until`. A change takes effect somewhere between request and
 * response.
 */
export const possible = (
  facts: Facts,
  initial: number,
  changes: (exchange: Exchange) => number | undefined,
  from: number,
  until: number,
): ReadonlyArray<number> => {
  const values = facts.exchanges.flatMap((exchange) => {
    const value = isDone(exchange) || isOpen(exchange) ? changes(exchange) : undefined
    if (value === undefined) return []
    const at = exchange.ask.at
    const settled = isDone(exchange) ? exchange.answer.at : at + settlesWithinMs
    return [{ value, at, settled, done: isDone(exchange) }]
  })
  values.unshift({ value: initial, at: Number.NEGATIVE_INFINITY, settled: Number.NEGATIVE_INFINITY, done: true })
  const isReplaced = (settled: number) =>
    values.some((other) => other.done && other.settled < from && other.at >= settled && other.settled > settled)
  return values.filter(({ at, settled }) => at <= until && !isReplaced(settled)).map(({ value }) => value)
}

const numberIn = (body: Record<string, any> | null, field: string): number | undefined =>
  body?.[field] === undefined ? undefined : Number(body[field])

/** The possible values of a campaign's setting, from its creation and its changes. */
export const campaignSetting = (
  facts: Facts,
  campaign: CampaignRow,
  field: "max_concurrent_calls" | "retries_per_contact" | "retry_delay_seconds",
  from: number,
  until: number = from,
) => {
  const initial = numberIn(facts.creationOf(campaign)?.ask.body ?? null, field) ?? campaign[field]
  const changes = ({ ask }: Exchange) =>
    ask.op === "change" && ask.of === campaign.id ? numberIn(ask.body, field) : undefined
  return possible(facts, initial, changes, from, until)
}

export const accountCap = (
  facts: Facts,
  account: AccountMade,
  field: "concurrent_max" | "calls_per_minute" | "calls_per_day",
  from: number,
  until: number = from,
) => {
  const changes = ({ ask }: Exchange) =>
    ask.op === "caps" && ask.account === account.account ? numberIn(ask.body, field) : undefined
  return possible(facts, account[field], changes, from, until)
}

export const groupBy = <A>(
  items: ReadonlyArray<A>,
  key: (item: A) => string | null,
): ReadonlyArray<ReadonlyArray<A>> => {
  const groups = new Map<string, Array<A>>()
  for (const item of items) {
    const name = key(item)
    if (name === null) continue
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [item])
    else group.push(item)
  }
  return [...groups.values()]
}

/** Pairs of spans that overlap by more than `slack` milliseconds, which is the inaccuracy of the clocks. */
export const overlaps = <A extends { readonly from: number; readonly until: number }>(
  spans: ReadonlyArray<A>,
  slack = 0,
): ReadonlyArray<readonly [A, A]> => {
  const sorted = spans.toSorted((a, b) => a.from - b.from)
  const found: Array<readonly [A, A]> = []
  let longest: A | undefined
  for (const span of sorted) {
    if (longest !== undefined && span.from < longest.until - slack) found.push([longest, span])
    if (longest === undefined || span.until > longest.until) longest = span
  }
  return found
}

/** For each span, all spans that are alive when it begins, itself included. */
export const crowds = <A extends { readonly from: number; readonly until: number }>(
  spans: ReadonlyArray<A>,
): ReadonlyArray<readonly [A, ReadonlyArray<A>]> => {
  const sorted = spans.toSorted((a, b) => a.from - b.from)
  let alive: Array<A> = []
  return sorted.map((span) => {
    alive = alive.filter(({ until }) => until > span.from)
    alive.push(span)
    return [span, alive] as const
  })
}
