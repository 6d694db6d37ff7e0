/**
 * There are never more calls at once, per minute or per day than allowed: by the rows, by the carrier, and by every
 * sample of the database (I2, I3, I4, I9).
 */
import type { CallRow } from "../History.ts"
import { accountCap, campaignSetting, crowds, type Facts, groupBy, ofKind, type Violation } from "./Facts.ts"

const span = (row: CallRow) => ({ row, from: row.started_at, until: row.ended_at ?? Number.POSITIVE_INFINITY })

export const slots = (facts: Facts): ReadonlyArray<Violation> => {
  const rowsOf = (of: (row: CallRow) => boolean) => facts.calls.filter(of)
  const atCarrier = (of: (row: CallRow) => boolean) =>
    facts.carrierCalls.flatMap((call) => {
      const row = facts.call.get(call.create.ref)
      return row !== undefined && of(row) ? [{ ...call, row }] : []
    })
  const tooMany = (
    invariant: string,
    whose: string,
    of: (row: CallRow) => boolean,
    limit: (from: number, until: number) => ReadonlyArray<number>,
  ): ReadonlyArray<Violation> => [
    ...crowds(rowsOf(of).map(span)).flatMap(([{ from, row }, alive]) => {
      const most = Math.max(...limit(from, from))
      const what = `${alive.length} calls of ${whose} at once, ${most} allowed`
      return alive.length > most ? [{ invariant, what, evidence: [row, ...alive.map((other) => other.row)] }] : []
    }),
    ...crowds(atCarrier(of)).flatMap(([{ from, row }, alive]) => {
      const most = Math.max(...limit(row.started_at, from))
      const what = `${alive.length} calls of ${whose} at once at the carrier, ${most} allowed`
      return alive.length > most ? [{ invariant, what, evidence: [row, ...alive.map(({ create }) => create)] }] : []
    }),
  ]
  return [
    ...facts.campaigns.flatMap((campaign) =>
      tooMany(
        "I2",
        `campaign ${campaign.id}`,
        ({ campaign_id }) => campaign_id === campaign.id,
        (from, until) => campaignSetting(facts, campaign, "max_concurrent_calls", from, until),
      ),
    ),
    ...facts.accounts.flatMap((account) =>
      tooMany(
        "I3",
        account.account,
        (row) => row.account === account.account,
        (from, until) => accountCap(facts, account, "concurrent_max", from, until),
      ),
    ),
  ]
}

/** Every sample is consistent: the counts match the rows, and the running campaigns fit into the account. */
export const instants = (facts: Facts): ReadonlyArray<Violation> => {
  const accounts = new Map(facts.accounts.map((account) => [account.account, account]))
  return ofKind(facts.history, "sample").flatMap((sample) => {
    const found: Array<Violation> = []
    const violated = (invariant: string, what: string) => found.push({ invariant, what, evidence: [sample] })
    if (sample.in_use !== sample.live) violated("I3", `${sample.in_use} slots in use, ${sample.live} calls live`)
    const account = accounts.get(sample.account)
    // Lowering a cap does not end running campaigns, so the highest cap so far is the bound.
    const ever = account === undefined ? [] : accountCap(facts, account, "concurrent_max", -Infinity, sample.at)
    const most = Math.max(sample.concurrent_max, ...ever)
    if (sample.live > most) violated("I3", `${sample.live} calls live, ${most} allowed`)
    if (sample.running_sum > most) violated("I4", `running campaigns ask for ${sample.running_sum} of ${most} calls`)
    for (const { active, actual, counts, id, live } of sample.campaigns) {
      if (active !== live) violated("I2", `campaign ${id}: ${active} calls counted, ${live} live`)
      const { total = 0, ...statuses } = counts
      const sum = Object.values(statuses).reduce((a, b) => a + b, 0)
      if (sum !== total) violated("I6", `campaign ${id}: ${sum} contacts by status, ${total} in all`)
      for (const [status, count] of Object.entries(statuses)) {
        if ((actual[status] ?? 0) !== count) {
          violated("I6", `campaign ${id}: ${count} ${status} counted, ${actual[status] ?? 0} there`)
        }
      }
    }
    return found
  })
}

const minuteMs = 60_000

export const rates = (facts: Facts): ReadonlyArray<Violation> =>
  facts.accounts.flatMap((account) => {
    const rows = facts.calls
      .filter((row) => row.account === account.account)
      .toSorted((a, b) => a.started_at - b.started_at)
    const local = new Intl.DateTimeFormat("en-CA", { timeZone: account.time_zone, dateStyle: "short" })
    const days = new Map<string, number>()
    let oldest = 0
    return rows.flatMap((row, at): ReadonlyArray<Violation> => {
      while ((rows[oldest]?.started_at ?? Infinity) <= row.started_at - minuteMs) oldest++
      const minute = rows.slice(oldest, at + 1)
      const day = local.format(row.started_at)
      const today = (days.get(day) ?? 0) + 1
      days.set(day, today)
      const [perMinute, perDay] = [
        Math.max(...accountCap(facts, account, "calls_per_minute", row.started_at)),
        Math.max(...accountCap(facts, account, "calls_per_day", row.started_at)),
      ]
      return [
        ...(minute.length > perMinute
          ? [
              {
                invariant: "I9",
                what: `${minute.length} calls of ${account.account} within a minute, ${perMinute} allowed`,
                evidence: [...minute.slice(0, 1), row],
              },
            ]
          : []),
        ...(today > perDay
          ? [
              {
                invariant: "I9",
                what: `${today} calls of ${account.account} on ${day}, ${perDay} allowed`,
                evidence: [row],
              },
            ]
          : []),
      ]
    })
  })

/** A phone number is in the lists of one account only, and no other account calls it. */
export const apart = (facts: Facts): ReadonlyArray<Violation> =>
  groupBy(facts.carrierCalls, ({ create }) => facts.call.get(create.ref)?.account ?? null).flatMap((calls) =>
    calls.flatMap(({ create }) => {
      const row = facts.call.get(create.ref)
      const prefix = facts.accounts.find(({ account }) => account === row?.account)?.prefix ?? ""
      return create.number.startsWith(prefix) && create.number === row?.to_number
        ? []
        : [
            {
              invariant: "I16",
              what: `${row?.account} called ${create.number}, which is not its own`,
              evidence: row === undefined ? [create] : [row, create],
            },
          ]
    }),
  )
