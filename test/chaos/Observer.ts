/** Reads the accounts' databases directly, past every fault: samples during the run, and all rows at the end. */
import type { Database } from "./Database.ts"
import { platform } from "./Database.ts"
import type { Recorder, Sample } from "./History.ts"

export interface Observer {
  /** Records one instant, read by a single statement. Records nothing while the database is down. */
  readonly sample: (account: string) => Promise<void>
  /** Records every row that the checker judges. */
  readonly last: (account: string) => Promise<void>
  /** The account's call ids by the carrier's. */
  readonly callIds: (account: string) => Promise<ReadonlyArray<readonly [string, string]>>
  /** The count of live calls, and of campaigns that have started and not ended. */
  readonly unfinished: (account: string) => Promise<number>
}

const counts = ["pending", "in_progress", "completed", "failed", "skipped"]
const counted = (of: string) =>
  `jsonb_build_object('total', ${of}.total, ${counts.map((name) => `'${name}', ${of}.${name}`).join(", ")})`

const instant = `
  select (extract(epoch from clock_timestamp()) * 1000)::float8 as at, b.concurrent_max, b.in_use,
    (select count(*)::int from calls where ended_at is null) as live,
    (select coalesce(sum(max_concurrent_calls), 0)::int from campaigns where status = 'running') as running_sum,
    (select coalesce(jsonb_agg(jsonb_build_object(
        'id', c.id, 'status', c.status, 'max', c.max_concurrent_calls, 'active', p.active_calls,
        'live', (select count(*) from calls l where l.campaign_id = c.id and l.ended_at is null),
        'counts', ${counted("p")},
        'actual', (select coalesce(jsonb_object_agg(status, n), '{}') from
                    (select status, count(*) as n from contacts k where k.campaign_id = c.id group by 1) s))), '[]')
      from campaigns c join campaign_progress p on p.campaign_id = c.id
      where c.status in ('running', 'paused') or c.ended_at > clock_timestamp() - interval '5 seconds') as campaigns
  from budget b`

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8 as ${column}`

export const make = (database: Database, recorder: Recorder): Observer => {
  const names = new Map<string, string>()
  const nameOf = async (account: string) => {
    const known = names.get(account)
    if (known !== undefined) return known
    const [found] = await database.query<{ database: string }>(
      platform,
      "select database from accounts where slug = $1",
      [account],
    )
    if (found === undefined) throw new Error(`No account ${account}`)
    names.set(account, found.database)
    return found.database
  }
  const query = async (account: string, text: string) => database.query(await nameOf(account), text)

  const sample = async (account: string) => {
    try {
      const [row] = await query(account, instant)
      recorder.add({ t: "sample", account, ...row } satisfies Sample)
    } catch {
      // The database is down. The next sample will succeed.
    }
  }

  const last = async (account: string) => {
    const calls = await query(
      account,
      `select id, campaign_id, contact_id, attempt_number, to_number, status, outcome, end_reason,
         ${ms("started_at")}, ${ms("answered_at")}, ${ms("ended_at")} from calls order by started_at`,
    )
    for (const row of calls) recorder.add({ t: "call", account, ...row })
    const contacts = await query(
      account,
      `select id, campaign_id, position, phone_number, status, outcome, attempts, skip_reason from contacts
       order by campaign_id, position`,
    )
    for (const row of contacts) recorder.add({ t: "contact", account, ...row })
    const campaigns = await query(
      account,
      `select c.id, c.name, c.status, c.end_reason, coalesce((c.import ->> 'accepted')::int, -1) as accepted,
         ${ms("started_at")}, ${ms("ended_at")}, ${ms("scheduled_at")}, c.redial_unknown, c.calling_window,
         c.max_concurrent_calls, c.retries_per_contact, c.retry_delay_seconds,
         ${counted("p")} as counts
       from campaigns c join campaign_progress p on p.campaign_id = c.id order by c.created_at`,
    )
    for (const row of campaigns) recorder.add({ t: "campaign", account, ...row })
    const events = await query(
      account,
      "select e.seq::int, e.type, e.subject_id as subject from event_log l, events_between(0, l.last_seq) e order by e.seq",
    )
    for (const row of events) recorder.add({ t: "event", account, ...row })
    const [budget] = await query(account, "select in_use from budget")
    recorder.add({ t: "budget", account, in_use: budget.in_use })
  }

  const unfinished = async (account: string) => {
    const [row] = await query(
      account,
      `select ((select count(*) from calls where ended_at is null)
         + (select count(*) from campaigns where status = 'running' or (status = 'draft' and scheduled_at is not null)))::int as n`,
    )
    return row.n
  }
  const callIds = async (account: string) => {
    const rows = await query(account, "select sid, call_id from carrier_calls where sid is not null")
    return rows.map(({ call_id, sid }) => [sid, call_id] as const)
  }
  return { sample, last, callIds, unfinished }
}
