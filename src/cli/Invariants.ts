/**
 * The promises of docs/promises.md that the rows of one account must keep at every moment. Each query returns evidence
 * of what breaks one: ids, counts or names, never a phone number.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

interface Invariant {
  readonly promise: string
  readonly says: string
  /** Selects one text column `evidence`. */
  readonly query: string
}

/** The most rows of evidence that are shown for a violation. */
export const shownAtMost = 5

/** Selects the campaigns that a process has to dial, now or at their scheduled time. */
export const campaignsToDial =
  "select id from campaigns where status = 'running' or (status = 'draft' and scheduled_at is not null)"

/** The times in a seal's hash, as `domain/Receipt.sealText` has them. */
const sealTimes = ["first_at", "last_at", "sealed_at"].map(
  (name) => `to_char(s.${name} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
)

/** What must hold for receipts in addition to the chain of their seals. */
export const receiptsOfRows: ReadonlyArray<Invariant> = [
  {
    promise: "receipts",
    says: "a sealed decision was not deleted by Parley and is missing",
    query: `
      select r.call_id::text as evidence from receipts r left join calls c on c.id = r.call_id
      left join dial_records d on d.id = c.dial_record_id
      where (r.nonce is not null and d.id is null) or (r.nonce is null and c.id is not null)`,
  },
  {
    promise: "receipts",
    says: "a decision has a seal and no receipt, or a receipt and no seal",
    query: `
      select c.id::text as evidence from calls c join dial_records d on d.id = c.dial_record_id
      left join receipts r on r.call_id = c.id where d.sealed <> (r.call_id is not null)`,
  },
  {
    promise: "receipts",
    says: "the number of receipts differs from the count in the seals that have their leaves",
    query: `
      select format('%s receipts, %s in seals', r.count, s.count) as evidence
      from (select count(*) from receipts) r,
        (select coalesce(sum(count), 0) as count from receipt_seals where leaves is not null) s
      where r.count <> s.count`,
  },
]

export const all: ReadonlyArray<Invariant> = [
  {
    promise: "I1",
    says: "a contact is in two live calls",
    query: `
      select contact_id::text as evidence from calls where ended_at is null and contact_id is not null
      group by contact_id having count(*) > 1`,
  },
  {
    promise: "I1",
    says: "a number is in two live calls",
    query: `
      select string_agg(id::text, ' ') as evidence from calls
      where ended_at is null and direction = 'outbound' and to_number is not null
      group by to_number having count(*) > 1`,
  },
  {
    promise: "I1",
    says: "two numbers of a person are in live calls",
    query: `
      select format('%s %s', a.id, b.id) as evidence
      from calls a join contacts k on k.id = a.contact_id join calls b on b.id <> a.id
      where a.ended_at is null and k.additional_numbers is not null and b.ended_at is null
        and b.direction = 'outbound' and b.to_number = any(k.phone_number || k.additional_numbers)`,
  },
  {
    promise: "I1",
    says: "a line is held by a call that has ended",
    query: `
      select h.line as evidence from held_lines h left join calls c on c.id = h.call_id and c.ended_at is null
      where c.id is null`,
  },
  {
    promise: "I1",
    says: "the table of live calls differs from the calls that have not ended",
    query: `
      select coalesce(l.call_id, c.id)::text as evidence
      from live_calls l full join (select id from calls where ended_at is null) c on c.id = l.call_id
      where l.call_id is null or c.id is null`,
  },
  {
    promise: "I2",
    says: "the count of a campaign's running calls is wrong",
    query: `
      select p.campaign_id::text as evidence from campaign_progress p
      where p.active_calls <>
        (select count(*) from calls c where c.campaign_id = p.campaign_id and c.ended_at is null)`,
  },
  {
    promise: "I3",
    says: "the slots in use differ from the live calls",
    query: `
      select format('%s in use, %s live', b.in_use, l.live) as evidence
      from budget b, (select count(*) as live from live_calls) l where b.in_use <> l.live`,
  },
  {
    promise: "I5",
    says: "the attempts of a contact differ from its calls",
    query: `
      select co.id::text as evidence
      from contacts co
      left join (
        select contact_id, count(*) as count, max(attempt_number) as last from calls
        where contact_id is not null group by contact_id) c on c.contact_id = co.id
      where co.attempts <> coalesce(c.count, 0) + co.deleted_calls or c.last > co.attempts`,
  },
  {
    promise: "I5",
    says: "a contact is due before the callback that it was promised",
    query: `
      select id::text as evidence from contacts
      where callback_at is not null and status = 'pending' and due_at < callback_at`,
  },
  {
    promise: "I5",
    says: "a contact has more callbacks than attempts after the first",
    query: "select id::text as evidence from contacts where callbacks > greatest(0, attempts - 1)",
  },
  {
    promise: "I6",
    says: "the counts of a campaign differ from its contacts",
    query: `
      select ca.id::text as evidence
      from campaigns ca
      left join campaign_progress p on p.campaign_id = ca.id
      left join (
        select campaign_id, count(*) as total,
          count(*) filter (where status = 'pending') as pending,
          count(*) filter (where status = 'in_progress') as in_progress,
          count(*) filter (where status = 'completed') as completed,
          count(*) filter (where status = 'failed') as failed,
          count(*) filter (where status = 'skipped') as skipped
        from contacts group by campaign_id) c on c.campaign_id = ca.id
      where p.campaign_id is null
        or (p.total, p.pending, p.in_progress, p.completed, p.failed, p.skipped) is distinct from
          (coalesce(c.total, 0), coalesce(c.pending, 0), coalesce(c.in_progress, 0), coalesce(c.completed, 0),
           coalesce(c.failed, 0), coalesce(c.skipped, 0))`,
  },
  {
    promise: "I6",
    says: "a contact is in progress without a live call, or in a live call without being in progress",
    query: `
      select co.id::text as evidence
      from (select id from contacts where status = 'in_progress') co
      full join (select contact_id from calls where ended_at is null and contact_id is not null) c
        on c.contact_id = co.id
      where co.id is null or c.contact_id is null`,
  },
  {
    promise: "I6",
    says: "a campaign is over, and a contact of it waits",
    query: `
      select co.id::text as evidence from contacts co join campaigns ca on ca.id = co.campaign_id
      where ca.status in ('completed', 'failed') and co.status = 'pending'`,
  },
  {
    promise: "I17",
    says: "a campaign has other contacts than its import says",
    query: `
      select ca.id::text as evidence from campaigns ca join campaign_progress p on p.campaign_id = ca.id
      where p.total <> (ca.import ->> 'accepted')::integer`,
  },
  {
    promise: "I18",
    says: "what a campaign has reserved differs from its live calls",
    query: `
      select p.campaign_id::text as evidence from campaign_progress p
      where p.reserved <> coalesce(
        (select sum(c.reserved) from calls c where c.campaign_id = p.campaign_id and c.ended_at is null), 0)`,
  },
  {
    promise: "I18",
    says: "what the account has reserved today differs from its live calls of today",
    query: `
      select b.reserved_today::text as evidence from budget b
      where b.reserved_today <> coalesce(
        (select sum(c.reserved) from calls c where c.ended_at is null and c.started_at >= b.day_since), 0)`,
  },
  {
    promise: "I11",
    says: "a contact was dialled, and no record says why that was allowed",
    query: `
      select c.id::text as evidence from calls c left join dial_records r on r.id = c.dial_record_id
      where c.contact_id is not null and c.transfer_of is null and r.id is null`,
  },
  {
    promise: "receipts",
    says: "the chain of receipts is broken; `parley receipts verify` says where",
    query: `
      select format('seal %s', s.number) as evidence
      from (
        select *, lag(hash) over (order by number) as hash_before,
          lag(first_seq + count) over (order by number) as next_seq, row_number() over (order by number) as position
        from receipt_seals) s
      where s.number <> s.position
        or s.previous <> coalesce(s.hash_before, decode(repeat('00', 32), 'hex'))
        or s.first_seq <> coalesce(s.next_seq, 1)
        or s.root <> coalesce(sha256(s.leaves), s.root) or octet_length(s.leaves) <> 32 * s.count
        or s.hash <> sha256(convert_to(concat_ws(chr(10), 'parley seal 1', s.number, s.first_seq, s.count,
          ${sealTimes.join(", ")}, encode(s.previous, 'hex'), encode(s.root, 'hex')), 'UTF8'))`,
  },
  ...receiptsOfRows,
  {
    promise: "log",
    says: "the numbers of the events have a gap",
    query: `
      select format('after %s', b.last) as evidence
      from event_log l, lateral (
        select l.pruned_seq as last, (select min(first_seq) from event_batches) as next
        union all
        select first_seq + cardinality(subject_ids) - 1, lead(first_seq) over (order by first_seq) from event_batches) b
      where coalesce(b.next, l.last_seq + 1) <> b.last + 1`,
  },
  {
    promise: "schema",
    says: "a function of the database is missing",
    query: `
      select f.name as evidence from schema_functions f
      where not exists (select from pg_proc p where p.proname = f.name and p.pronamespace = 'public'::regnamespace)`,
  },
]

/** Returns the promises that the rows of the fiber's database break, in words. */
export const verifyRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const broken: Array<string> = []
  for (const { query, says } of all) {
    const rows = yield* sql.unsafe(`${query} limit 1`)
    if (rows.length > 0) broken.push(says)
  }
  return broken
})
