/**
 * The numbers of contacts that have several, in a dial pass (decision 0087). Each number has its own entry on the
 * do-not-call list, its own consent and its own place; the quiet period and the attempts are the person's.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { groundFor } from "../../catalog/ConsentGround.ts"
import { quietFor } from "../../catalog/QuietPeriods.ts"
import { isForbidden } from "../../catalog/SubjectSuppressions.ts"
import { orderAfter } from "../../domain/AdditionalNumbers.ts"
import { uuids } from "../../tenancy/Columns.ts"
import type { DialCampaign } from "./DialCampaign.ts"
import type { Candidate } from "./DialQueue.ts"

/** The contacts of a pass, each with the number whose turn it is, and the person's other numbers after it. */
export interface WithNumbers {
  readonly candidates: ReadonlyArray<Candidate>
  /** All candidates, and each of them with each of the other numbers. */
  readonly all: ReadonlyArray<Candidate>
  readonly othersOf: (contact: Candidate) => ReadonlyArray<Candidate>
}

interface Row extends Pick<Candidate, "suppressed" | "consent" | "quiet" | "quiet_until"> {
  readonly id: string
  readonly number: string
  /** Whether an attempt found that the number does not exist. */
  readonly is_invalid: boolean
  /** The number of the last attempt. */
  readonly last: string | null
}

type Campaign = Pick<DialCampaign, "required_consent" | "quiet_after_answer_seconds" | "subject">

/** Reads the numbers of those candidates that have several. Without any, nothing is read. */
export const read = Effect.fn("PersonNumbers.read")(function* (
  campaign: Campaign,
  due: ReadonlyArray<Candidate>,
  now: Date,
) {
  const persons = due.filter(({ additional_numbers }) => additional_numbers !== null)
  if (persons.length === 0) return { candidates: due, all: due, othersOf: () => [] } satisfies WithNumbers
  const rows = Map.groupBy(yield* readRows(campaign, persons, now), ({ id }) => id)
  const others = new Map<Candidate, ReadonlyArray<Candidate>>()
  const candidates = due.map((contact) => {
    const [first = contact, ...rest] = numbersOf(contact, rows.get(contact.id) ?? [], campaign)
    others.set(first, rest)
    return first
  })
  const othersOf = (contact: Candidate) => others.get(contact) ?? []
  const all = candidates.flatMap((contact) => [contact, ...othersOf(contact)])
  return { candidates, all, othersOf } satisfies WithNumbers
})

const readRows = Effect.fnUntraced(function* (
  { quiet_after_answer_seconds, required_consent, subject }: Campaign,
  persons: ReadonlyArray<Candidate>,
  now: Date,
) {
  const sql = yield* SqlClient.SqlClient
  const number = sql.literal("n.number")
  return yield* sql<Row>`
    with person as materialized (
      select c.id, c.attempts, c.phone_number || c.additional_numbers as lines, l.to_number as last,
        ${yield* quietFor(quiet_after_answer_seconds, now, "= any(c.phone_number || c.additional_numbers)")} as quiet
      from contacts c left join calls l on l.id = c.last_call_id
      where c.id = any(${uuids(persons.map(({ id }) => id))}))
    select p.id, n.number, p.last, p.quiet, (p.quiet ->> 'until')::timestamptz as quiet_until,
      ${yield* isForbidden(number, sql`${subject}::text`)} as suppressed,
      ${yield* groundFor(required_consent, number, now)} as consent,
      p.attempts > 0 and exists (select from calls k where k.contact_id = p.id and k.to_number = n.number
        and k.outcome = 'invalid_number') as is_invalid
    from person p cross join lateral unnest(p.lines) n(number)`
})

/** The contact with each number that exists, in the order in which they are tried. */
const numbersOf = (
  contact: Candidate,
  rows: ReadonlyArray<Row>,
  { required_consent }: Campaign,
): ReadonlyArray<Candidate> => {
  const lines = [contact.phone_number, ...(contact.additional_numbers ?? [])]
  const order = orderAfter(lines, rows[0]?.last ?? null, contact.callback_at !== null)
  const known = new Map(rows.map((row) => [row.number, row]))
  const passed_over: Array<number> = []
  return order.flatMap((number) => {
    const row = known.get(number)
    const position = lines.indexOf(number) + 1
    const before = [...passed_over]
    passed_over.push(position)
    if (row === undefined || row.is_invalid) return []
    const { consent, quiet, quiet_until, suppressed } = row
    const lacks_consent = required_consent !== null && consent === null
    const facts = { consent, lacks_consent, quiet, quiet_until, suppressed }
    return [
      {
        ...contact,
        ...facts,
        phone_number: number,
        lines,
        number: { position, of: lines.length, passed_over: before },
      },
    ]
  })
}
