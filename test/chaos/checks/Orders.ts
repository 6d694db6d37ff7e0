/**
 * What clients were promised holds from the moment of the response: stop, pause, schedule, window, do-not-call list
 * (I7, I8, I10, I11, I12).
 */
import type { CallRow, Event } from "../History.ts"
import { type Exchange, type Facts, isDone, isOpen, settlesWithinMs, type Violation } from "./Facts.ts"

/** The client's clock has whole milliseconds. */
const slackMs = 2

const dialledIn = (rows: ReadonlyArray<CallRow>, from: number, until: number) =>
  rows.filter(({ started_at }) => started_at > from + slackMs && started_at < until)

/**
 * The moment until which an order holds: the first request after its response that may undo it. If an unanswered one
 * may still take effect, the order does not hold at all.
 */
const holds = (exchange: Exchange, undoings: ReadonlyArray<Exchange>): number => {
  const { at } = exchange.answer
  const underWay = undoings.some(
    (other) => isOpen(other) && other.ask.at <= at && other.ask.at > exchange.ask.at - settlesWithinMs,
  )
  return underWay
    ? at
    : Math.min(...undoings.filter((other) => other.ask.at >= at).map((other) => other.ask.at), Infinity)
}

export const stopAndPause = (facts: Facts): ReadonlyArray<Violation> => {
  const ofCampaign = new Map<string, Array<CallRow>>()
  for (const row of facts.calls) {
    if (row.campaign_id === null) continue
    const rows = ofCampaign.get(row.campaign_id)
    if (rows === undefined) ofCampaign.set(row.campaign_id, [row])
    else rows.push(row)
  }
  return facts.exchanges.flatMap((exchange): ReadonlyArray<Violation> => {
    const { answer, ask } = exchange
    if (!isDone(exchange) || (ask.op !== "stop" && ask.op !== "pause")) return []
    const undoings = facts.exchanges.filter(
      (other) => other.ask.of === ask.of && (other.ask.op === "start" || other.ask.op === "resume"),
    )
    const until = ask.op === "stop" ? Infinity : holds(exchange, undoings)
    return dialledIn(ofCampaign.get(ask.of ?? "") ?? [], answer.at, until).map((row) => ({
      invariant: ask.op === "stop" ? "I7" : "I8",
      what: `dialled ${Math.round(row.started_at - answer.at)} ms after a ${ask.op} was answered`,
      evidence: [ask, answer, row],
    }))
  })
}

/** A stop does not hang up calls in progress. Only a client, a limit of the call, or a process that exits does. */
export const stopHangsUpNobody = (facts: Facts): ReadonlyArray<Violation> => {
  const ends = new Map(facts.carrierCalls.map((call) => [call.create.ref, call.end]))
  const asked = new Set(facts.exchanges.filter(({ ask }) => ask.op === "hangup").map(({ ask }) => ask.of))
  return facts.exchanges
    .filter((exchange) => isDone(exchange) && exchange.ask.op === "stop")
    .flatMap(({ answer, ask }) =>
      facts.calls.flatMap((row): ReadonlyArray<Violation> => {
        if (row.campaign_id !== ask.of || row.end_reason !== "hung_up" || asked.has(row.id)) return []
        if (row.started_at > answer.at || (row.ended_at ?? Infinity) < ask.at) return []
        const end = ends.get(row.id)
        return [
          {
            invariant: "I7",
            what: "a call in progress was hung up by a stop",
            evidence: [ask, row, ...(end === undefined ? [] : [end])],
          },
        ]
      }),
    )
}

export const suppressed = (facts: Facts): ReadonlyArray<Violation> =>
  facts.exchanges.flatMap((exchange): ReadonlyArray<Violation> => {
    const { answer, ask } = exchange
    if (!isDone(exchange) || ask.op !== "suppress") return []
    const same = ({ ask: other }: Exchange) => other.account === ask.account && other.of === ask.of
    const until = holds(
      exchange,
      facts.exchanges.filter((other) => same(other) && other.ask.op === "unsuppress"),
    )
    const rows = facts.calls.filter(({ account, to_number }) => account === ask.account && to_number === ask.of)
    return dialledIn(rows, answer.at, until).map((row) => ({
      invariant: "I12",
      what: `${row.to_number} was dialled ${Math.round(row.started_at - answer.at)} ms after it was put on the do-not-call list`,
      evidence: [ask, answer, row],
    }))
  })

export const schedules = (facts: Facts): ReadonlyArray<Violation> =>
  facts.campaigns.flatMap((campaign): ReadonlyArray<Violation> => {
    const { scheduled_at } = campaign
    if (scheduled_at === null) return []
    const early = facts.exchanges
      .filter(({ ask }) => ask.of === campaign.id && ask.op === "start")
      .some(({ ask }) => ask.at < scheduled_at)
    if (early) return []
    const evidence = (row: CallRow): ReadonlyArray<Event> => [campaign, row]
    return facts.calls
      .filter((row) => row.campaign_id === campaign.id && row.started_at < scheduled_at - slackMs)
      .map((row) => ({
        invariant: "I10",
        what: `dialled ${Math.round(scheduled_at - row.started_at)} ms before its time`,
        evidence: evidence(row),
      }))
  })

const weekdays: Record<string, string> = {
  Mon: "mon",
  Tue: "tue",
  Wed: "wed",
  Thu: "thu",
  Fri: "fri",
  Sat: "sat",
  Sun: "sun",
}

/** True if the window is open at this moment, by the calendar of its zone. */
const isOpenAt = (window: Record<string, any>, at: number): boolean => {
  const parts = new Map(
    new Intl.DateTimeFormat("en-US", {
      timeZone: window["time_zone"],
      weekday: "short",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    })
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  )
  const day = weekdays[parts.get("weekday") ?? ""] ?? ""
  const time = `${parts.get("hour")}:${parts.get("minute")}`
  const { days, end, start } = window
  if (start < end) return days.includes(day) && time >= start && time < end
  // A window over midnight: the hours after midnight belong to the previous day.
  const names = Object.values(weekdays)
  const before = names[(names.indexOf(day) + 6) % 7]
  return (days.includes(day) && time >= start) || (days.includes(before) && time < end)
}

export const windows = (facts: Facts): ReadonlyArray<Violation> =>
  facts.campaigns.flatMap((campaign): ReadonlyArray<Violation> => {
    const window = campaign.calling_window
    if (window === null || window["time_zone"] === "contact") return []
    return facts.calls
      .filter((row) => row.campaign_id === campaign.id && !isOpenAt(window, row.started_at))
      .map((row) => ({
        invariant: "I11",
        what: `dialled outside of ${window["start"]}–${window["end"]} ${window["time_zone"]}`,
        evidence: [campaign, row],
      }))
  })
