/** No contact is called twice at once, more often or earlier than allowed, or after its last attempt (I1, I5, I14). */
import { campaignSetting, type Facts, groupBy, ofKind, overlaps, type Violation } from "./Facts.ts"

const rowSpan = (row: Facts["calls"][number]) => ({
  row,
  from: row.started_at,
  until: row.ended_at ?? Number.POSITIVE_INFINITY,
})

/** Outcomes that end a contact whatever the campaign's retries. */
const final = new Set(["answered", "rejected", "invalid_number"])

/** Milliseconds. The carrier reports whole seconds, on which the retry delay is based. */
const carrierSlackMs = 1_100
const clockSlackMs = 5

export const oneLiveAttempt = (facts: Facts): ReadonlyArray<Violation> => [
  ...groupBy(facts.calls, ({ contact_id }) => contact_id).flatMap((rows) =>
    overlaps(rows.map(rowSpan), clockSlackMs).map(([a, b]) => ({
      invariant: "I1",
      what: `a contact had two live attempts`,
      evidence: [a.row, b.row],
    })),
  ),
  ...groupBy(facts.calls, ({ account, to_number }) => `${account} ${to_number}`).flatMap((rows) =>
    overlaps(rows.map(rowSpan), clockSlackMs).map(([a, b]) => ({
      invariant: "I1",
      what: `${b.row.to_number} had two live calls of ${b.row.account}`,
      evidence: [a.row, b.row],
    })),
  ),
  ...groupBy(facts.carrierCalls, ({ create }) => {
    const row = facts.call.get(create.ref)
    return row === undefined ? null : `${row.account} ${create.number}`
  }).flatMap((calls) =>
    overlaps(calls).map(([a, b]) => ({
      invariant: "I1",
      what: `the carrier called ${b.create.number} while it was in another call of the account`,
      evidence: [a.create, ...(a.end === undefined ? [] : [a.end]), b.create],
    })),
  ),
]

export const dialledOnce = (facts: Facts): ReadonlyArray<Violation> => [
  ...groupBy(facts.carrierCalls, ({ create }) => create.ref)
    .filter((calls) => calls.length > 1)
    .map((calls) => ({
      invariant: "I1",
      what: `one attempt was dialled ${calls.length} times`,
      evidence: calls.map(({ create }) => create),
    })),
  ...facts.carrierCalls.flatMap(({ create }): ReadonlyArray<Violation> => {
    const row = facts.call.get(create.ref)
    if (row === undefined) {
      return [
        { invariant: "I6", what: `the carrier called ${create.number}, and no row knows of it`, evidence: [create] },
      ]
    }
    if (create.at < row.started_at - clockSlackMs) {
      return [{ invariant: "I1", what: "the carrier was asked before the intent stood", evidence: [row, create] }]
    }
    return row.ended_at !== null && create.at > row.ended_at + carrierSlackMs
      ? [{ invariant: "I1", what: "a call was dialled after its attempt had been settled", evidence: [row, create] }]
      : []
  }),
]

export const attemptsWithinBudget = (facts: Facts): ReadonlyArray<Violation> => {
  const campaigns = new Map(facts.campaigns.map((row) => [row.id, row]))
  const created = new Map(facts.carrierCalls.map((call) => [call.create.ref, call]))
  const contacts = new Map(facts.contacts.map((row) => [row.id, row]))
  return groupBy(facts.calls, ({ contact_id }) => contact_id).flatMap((rows) => {
    const attempts = rows.toSorted((a, b) => (a.attempt_number ?? 0) - (b.attempt_number ?? 0))
    const [first] = attempts
    const campaign = campaigns.get(first?.campaign_id ?? "")
    const contact = contacts.get(first?.contact_id ?? "")
    if (campaign === undefined || contact === undefined) {
      return [{ invariant: "I6", what: "a call's contact or campaign is gone", evidence: attempts }]
    }
    const found: Array<Violation> = []
    if (attempts.some(({ attempt_number }, at) => attempt_number !== at + 1) || contact.attempts !== attempts.length) {
      const what = `${attempts.length} calls, ${contact.attempts} attempts counted`
      found.push({ invariant: "I5", what, evidence: [contact, ...attempts] })
    }
    for (const [at, next] of attempts.entries()) {
      const before = attempts[at - 1]
      if (before === undefined) continue
      const evidence = [before, next]
      const ended = before.ended_at ?? Number.POSITIVE_INFINITY
      const outcome = before.outcome ?? ""
      if (final.has(outcome) || (outcome === "unknown" && !campaign.redial_unknown)) {
        found.push({ invariant: "I5", what: `called again after ${outcome}`, evidence })
      }
      const retries = Math.max(...campaignSetting(facts, campaign, "retries_per_contact", ended, next.started_at))
      if (at > retries) {
        found.push({ invariant: "I5", what: `attempt ${at + 1} of a campaign with ${retries} retries`, evidence })
      }
      const delay = Math.min(...campaignSetting(facts, campaign, "retry_delay_seconds", ended, next.started_at)) * 1_000
      if (next.started_at - ended < delay - clockSlackMs) {
        const what = `called again after ${Math.round(next.started_at - ended)} ms instead of ${delay}`
        found.push({ invariant: "I5", what, evidence })
      }
      const [last, again] = [created.get(before.id), created.get(next.id)]
      if (last?.end !== undefined && again !== undefined && again.from - last.until < delay - carrierSlackMs) {
        const what = `the carrier called again after ${Math.round(again.from - last.until)} ms instead of ${delay}`
        found.push({ invariant: "I5", what, evidence: [last.end, again.create] })
      }
    }
    return found
  })
}

/**
 * The outcomes in the row that agree with a carrier's outcome. Only a report tells why a call failed. If it was lost, a
 * look-up finds a coarser outcome.
 */
const meanings: Record<string, ReadonlyArray<string>> = {
  answered: ["answered", "voicemail"],
  canceled: ["no_answer"],
  invalid_number: ["invalid_number", "carrier_error"],
  rejected: ["rejected", "busy", "carrier_error"],
}
/** The outcomes that are right if the carrier never heard of the call. */
const withoutTheCarrier = new Set(["unknown", "carrier_error", "no_answer"])

export const outcomesAgree = (facts: Facts): ReadonlyArray<Violation> => {
  const created = new Map(facts.carrierCalls.map((call) => [call.create.ref, call]))
  const isOver = (name: string) => ofKind(facts.history, "run").some(({ carrier }) => carrier === name)
  const isSip = isOver("sip")
  /** Telnyx's look-ups tell that a call is over but not how, so they cannot make up for a lost report. */
  const isTelnyx = isOver("telnyx-stream")
  const stops = ofKind(facts.history, "process").filter(({ event }) => event === "exit" || event === "pause")
  /**
   * True if a process died or froze in this time. A trunk cannot be asked about a call, so what the process had not
   * stored by then is lost.
   */
  const wasCut = (from: number, until: number) => stops.some(({ at }) => at >= from && at <= until)
  const hangups = facts.exchanges.filter(({ ask }) => ask.op === "hangup")
  const pickedUp = ofKind(facts.history, "carrier").filter(({ event }) => event === "answer")
  /**
   * True if a client asked to hang up before the phone was answered. Over SIP the answer may cross the order: Parley
   * then ends the call at once, and nobody has talked.
   */
  const wasGivenUp = ({ id }: Facts["calls"][number]) => {
    const answer = pickedUp.find(({ ref }) => ref === id)
    return answer !== undefined && hangups.some(({ ask }) => ask.of === id && ask.at <= answer.at)
  }
  return facts.calls.flatMap((row): ReadonlyArray<Violation> => {
    const call = created.get(row.id)
    if (call === undefined) {
      return row.outcome === null || withoutTheCarrier.has(row.outcome)
        ? []
        : [{ invariant: "I14", what: `${row.outcome}, and the carrier never heard of the call`, evidence: [row] }]
    }
    const truth = call.end?.outcome
    if (truth === undefined || truth === null || row.outcome === null) return []
    if (row.outcome === "unknown" && isTelnyx) return []
    if (row.outcome === "unknown" && isSip && wasCut(call.from, row.ended_at ?? Number.POSITIVE_INFINITY)) return []
    if (row.outcome === "no_answer" && isSip && row.end_reason === "hung_up" && wasGivenUp(row)) return []
    return (meanings[truth] ?? [truth]).includes(row.outcome)
      ? []
      : [
          {
            invariant: "I14",
            what: `${row.outcome} here, ${truth} at the carrier`,
            evidence: [row, call.create, ...(call.end === undefined ? [] : [call.end])],
          },
        ]
  })
}
