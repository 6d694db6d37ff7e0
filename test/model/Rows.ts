/** Everything that dialling writes, read by one statement. Times are milliseconds with a precision of a microsecond. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Outcome } from "../../src/domain/Call.ts"
import type { CallingWindow } from "../../src/domain/CallingWindow.ts"
import type { CampaignStatus } from "../../src/domain/Campaign.ts"
import type { ContactStatus, SkipReason } from "../../src/domain/Contact.ts"

export interface CampaignRow {
  readonly id: string
  readonly status: CampaignStatus
  readonly end_reason: string | null
  readonly max_concurrent_calls: number
  readonly retries_per_contact: number
  readonly retry_delay_seconds: number
  readonly updated_at: number
  readonly started_at: number | null
  readonly ended_at: number | null
  readonly scheduled_at: number | null
  readonly waiting_for: string | null
  readonly calling_window: CallingWindow | null
}

export interface ContactRow {
  readonly id: string
  readonly campaign_id: string
  readonly status: ContactStatus
  readonly outcome: Outcome | null
  readonly attempts: number
  readonly due_at: number | null
  readonly waits_for: string | null
  readonly last_call_id: string | null
  readonly skip_reason: SkipReason | null
  readonly callback_at: number | null
  readonly callbacks: number
}

export interface CallRow {
  readonly id: string
  readonly campaign_id: string | null
  readonly contact_id: string | null
  readonly attempt_number: number | null
  readonly to_number: string
  readonly status: string
  readonly outcome: Outcome | null
  readonly started_at: number
  readonly ended_at: number | null
}

export interface ProgressRow {
  readonly campaign_id: string
  readonly total: number
  readonly pending: number
  readonly in_progress: number
  readonly completed: number
  readonly failed: number
  readonly skipped: number
  readonly to_be_retried: number
  readonly active_calls: number
  readonly dialed: number
  readonly outcomes: Readonly<Record<string, number>>
  /** `ended_answered`, …: the count of contacts that ended with this outcome. */
  readonly [ended: `ended_${string}`]: number
}

export interface Rows {
  readonly campaigns: ReadonlyArray<CampaignRow>
  readonly contacts: ReadonlyArray<ContactRow>
  readonly calls: ReadonlyArray<CallRow>
  readonly progress: ReadonlyArray<ProgressRow>
  readonly budget: { readonly in_use: number; readonly day: string; readonly calls_today: number }
}

export const read = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const ms = (column: string) =>
    sql.literal(`(extract(epoch from nullif(${column}, '-infinity')) * 1000)::float8 as ${column}`)
  const [rows] = yield* sql<Rows>`
    select
      (select coalesce(jsonb_agg(x order by id), '[]') from (
        select id, status, end_reason, max_concurrent_calls, retries_per_contact, retry_delay_seconds, waiting_for, calling_window,
          ${ms("updated_at")}, ${ms("started_at")}, ${ms("ended_at")}, ${ms("scheduled_at")} from campaigns) x) as campaigns,
      (select coalesce(jsonb_agg(x order by id), '[]') from (
        select id, campaign_id, status, outcome, attempts, waits_for, last_call_id, skip_reason, callbacks, ${ms("due_at")},
          ${ms("callback_at")}
        from contacts) x) as contacts,
      (select coalesce(jsonb_agg(x order by id), '[]') from (
        select id, campaign_id, contact_id, attempt_number, to_number, status, outcome, ${ms("started_at")},
          ${ms("ended_at")} from calls) x) as calls,
      (select coalesce(jsonb_agg(to_jsonb(p) - 'cost' order by campaign_id), '[]') from campaign_progress p) as progress,
      (select jsonb_build_object('in_use', in_use, 'day', day, 'calls_today', calls_today) from budget) as budget`
  if (rows === undefined) return yield* Effect.die("no budget row")
  return rows
}).pipe(Effect.orDie)
