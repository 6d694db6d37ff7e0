/**
 * Nothing is lost, and everything comes to an end: rows, campaigns, slots, streams, processes (I6, I13, I15, I17,
 * drain).
 */
import type { CallRow, CampaignRow, ContactRow, Snapshot } from "../History.ts"
import { type Facts, groupBy, isDone, isOpen, ofKind, type Violation } from "./Facts.ts"

export const nothingLost = (facts: Facts): ReadonlyArray<Violation> => {
  const contactsOf = new Map(
    groupBy(facts.contacts, (row) => row.campaign_id).map((rows) => [rows[0]?.campaign_id, rows]),
  )
  const byId = new Map(facts.campaigns.map((row) => [row.id, row]))
  const ofRows = facts.campaigns.flatMap((campaign): ReadonlyArray<Violation> => {
    const rows = contactsOf.get(campaign.id) ?? []
    const { total = 0, ...statuses } = campaign.counts
    const found: Array<Violation> = []
    if (campaign.accepted !== rows.length || total !== rows.length) {
      const what = `${campaign.accepted} rows accepted, ${total} counted, ${rows.length} there`
      found.push({ invariant: "I17", what, evidence: [campaign] })
    }
    for (const [status, count] of Object.entries(statuses)) {
      const there = rows.filter((row) => row.status === status)
      if (there.length !== count) {
        found.push({ invariant: "I6", what: `${count} ${status} counted, ${there.length} there`, evidence: [campaign] })
      }
    }
    const open = rows.filter(({ status }) => status === "pending" || status === "in_progress")
    if ((campaign.status === "completed" || campaign.status === "failed") && open.length > 0) {
      const what = `a ${campaign.status} campaign has ${open.length} contacts that are not done`
      found.push({ invariant: "I6", what, evidence: [campaign, ...open.slice(0, 3)] })
    }
    return found
  })
  const ofAnswers = facts.exchanges.flatMap((exchange): ReadonlyArray<Violation> => {
    const { answer, ask } = exchange
    if (!isDone(exchange)) return []
    const lost = (what: string) => [{ invariant: "I6", what, evidence: [ask, answer] }]
    if (ask.op === "create") {
      const id = String(answer.body?.["id"])
      const isDeleted = facts.exchanges.some(
        (other) => other.ask.op === "delete" && other.ask.of === id && (isDone(other) || isOpen(other)),
      )
      return byId.has(id) || isDeleted ? [] : lost("a campaign that was answered is not there")
    }
    if (ask.op === "call")
      return facts.call.has(String(answer.body?.["id"])) ? [] : lost("a call that was answered is not there")
    const row = byId.get(ask.of ?? "")
    if (row === undefined) return []
    if (ask.op === "stop" && row.status !== "completed" && row.status !== "failed") return lost("a stop was lost")
    if ((ask.op === "start" || ask.op === "resume") && row.started_at === null) return lost("a start was lost")
    return []
  })
  return [...ofRows, ...ofAnswers]
}

export const everythingEnds = (facts: Facts): ReadonlyArray<Violation> => [
  ...facts.campaigns
    .filter(({ scheduled_at, status }) => status === "running" || (status === "draft" && scheduled_at !== null))
    .map((row) => ({ invariant: "I13", what: `a campaign is ${row.status} long after the faults`, evidence: [row] })),
  ...facts.calls
    .filter(({ ended_at }) => ended_at === null)
    .map((row) => ({ invariant: "I13", what: "a call never ended", evidence: [row] })),
  ...facts.carrierCalls
    .filter(({ end }) => end === undefined)
    .map(({ create }) => ({ invariant: "I13", what: "a call never ended at the carrier", evidence: [create] })),
  ...ofKind(facts.history, "budget")
    .filter(({ in_use }) => in_use !== 0)
    .map((row) => ({ invariant: "I3", what: `${row.in_use} slots are in use without a live call`, evidence: [row] })),
]

/** The log reports each event once, and its sequence numbers have no gap. */
export const log = (facts: Facts): ReadonlyArray<Violation> => {
  const accounts = groupBy(ofKind(facts.history, "event"), ({ account }) => account)
  const gaps = accounts.flatMap((events) =>
    events.flatMap((event, at) =>
      event.seq === at + 1
        ? []
        : [{ invariant: "log", what: `event ${event.seq} stands where ${at + 1} should`, evidence: [event] }],
    ),
  )
  const told = new Map(accounts.flat().map(({ subject, type }) => [`${type} ${subject}`, 0]))
  for (const { subject, type } of accounts.flat()) {
    told.set(`${type} ${subject}`, (told.get(`${type} ${subject}`) ?? 0) + 1)
  }
  const once = (type: string, row: CallRow | ContactRow | CampaignRow): ReadonlyArray<Violation> => {
    const count = told.get(`${type} ${row.id}`) ?? 0
    return count === 1 ? [] : [{ invariant: "log", what: `${type} was told ${count} times`, evidence: [row] }]
  }
  return [
    ...gaps.slice(0, 10),
    ...facts.calls.flatMap((row) => [
      ...once("call.started", row),
      ...(row.ended_at === null ? [] : once("call.ended", row)),
    ]),
    ...facts.contacts.flatMap((row) =>
      row.status === "completed" || row.status === "failed" ? once(`contact.${row.status}`, row) : [],
    ),
    ...facts.campaigns.flatMap((row) => (row.status === "completed" ? once("campaign.completed", row) : [])),
  ]
}

export const streams = (facts: Facts): ReadonlyArray<Violation> => {
  const ofStream = groupBy(ofKind(facts.history, "sse"), ({ stream }) => String(stream))
  return ofStream.flatMap((events) => {
    const found: Array<Violation> = []
    const violated = (what: string, ...evidence: ReadonlyArray<Snapshot>) =>
      found.push({ invariant: "I15", what, evidence })
    const end = events.findIndex(({ event }) => event === "end")
    for (const [at, event] of events.entries()) {
      const counts: Record<string, number> | undefined = event.data?.["counts"]
      if (counts !== undefined) {
        const { total = 0, ...statuses } = counts
        const sum = Object.values(statuses).reduce((a, b) => a + b, 0)
        if (sum !== total) violated(`a snapshot of ${sum} contacts, of ${total}`, event)
      }
      if (end >= 0 && at > end && event.data !== null) violated("something came after the end", event)
    }
    const last = events[end]
    const status = last?.data?.["status"]
    if (last !== undefined && status !== "completed" && status !== "failed") violated(`ended while ${status}`, last)
    return found
  })
}

const slackMs = 500

/** A process that gets SIGTERM exits in time with 0, and leaves no call without an owner. */
export const drain = (facts: Facts): ReadonlyArray<Violation> => {
  const [run] = ofKind(facts.history, "run")
  const limitMs = ((run?.drain_seconds ?? 30) + 45) * 1_000
  const events = ofKind(facts.history, "process")
  const from = facts.phaseBegan("rolling")
  const until = facts.phaseBegan("healed")
  const leaving = events.filter(({ event }) => event === "term")
  const exits = leaving.flatMap((term): ReadonlyArray<Violation> => {
    const later = events.filter(({ at, pid }) => pid === term.pid && at >= term.at)
    const exit = later.find(({ event }) => event === "exit")
    if (later.some(({ event }) => event === "kill")) return []
    if (exit === undefined) return [{ invariant: "drain", what: "a process never left", evidence: [term] }]
    if (exit.code !== 0) {
      return [{ invariant: "drain", what: `a process left with ${exit.code}`, evidence: [term, exit] }]
    }
    return exit.at - term.at > limitMs
      ? [{ invariant: "drain", what: `a process took ${exit.at - term.at} ms to leave`, evidence: [term, exit] }]
      : []
  })
  /** True if a process was draining at this moment of the rolling restart. */
  const isLeft = (at: number) =>
    leaving.some((term) => {
      const exit = events.find(({ event, pid }) => event === "exit" && pid === term.pid)
      return term.at >= from && term.at < until && at >= term.at && at <= (exit?.at ?? Infinity)
    })
  // The stream of a deleted draft ends too.
  const there = new Set(facts.campaigns.map(({ id }) => id))
  const during = facts.calls.filter(({ started_at }) => started_at > from && started_at < until)
  /** True if the call's process waited for it as long as allowed, and hung up then. */
  const hadItsTime = (row: CallRow) => {
    const ended = row.ended_at ?? Number.POSITIVE_INFINITY
    const told = Math.max(...leaving.map(({ at }) => at).filter((at) => at < ended && at > row.started_at))
    return row.end_reason === "interrupted" && ended - told > (run?.drain_seconds ?? 30) * 1_000 - slackMs
  }
  return [
    ...exits,
    ...during
      .filter((row) => (row.outcome === "unknown" || row.end_reason === "interrupted") && !hadItsTime(row))
      .map((row) => ({ invariant: "drain", what: "a call was lost in a rolling restart", evidence: [row] })),
    ...ofKind(facts.history, "sse")
      .filter(({ at, event }) => event === "broken" && at > from && at < until)
      .map((event) => ({ invariant: "drain", what: "a stream was broken instead of ended", evidence: [event] })),
    ...groupBy(ofKind(facts.history, "sse"), ({ stream }) => String(stream)).flatMap((events) => {
      const closed = events.find(({ at, campaign, event }) => event === "closed" && there.has(campaign) && isLeft(at))
      const told = events.filter(({ event }) => event === "retry").length > 1
      return closed === undefined || told || events.some(({ event }) => event === "end")
        ? []
        : [{ invariant: "drain", what: "a stream ended without a word when to come back", evidence: [closed] }]
    }),
  ]
}
