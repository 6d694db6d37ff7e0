/** A small history that keeps every promise: two contacts, three calls, and one process that stops and returns. */
import type { CallRow, CampaignRow, ContactRow, Event, History, Sample } from "./History.ts"

export const t0 = Date.parse("2026-03-02T12:00:00.000Z")
export const second = 1_000
export const account = "acme"

const campaign = (id: string, more: Partial<CampaignRow> = {}): CampaignRow => ({
  t: "campaign",
  account,
  id,
  name: `campaign ${id}`,
  status: "completed",
  end_reason: "finished",
  accepted: 2,
  started_at: t0 + second,
  ended_at: t0 + 20 * second,
  scheduled_at: null,
  redial_unknown: false,
  max_concurrent_calls: 2,
  retries_per_contact: 1,
  retry_delay_seconds: 2,
  calling_window: null,
  counts: { total: 2, pending: 0, in_progress: 0, completed: 1, failed: 1, skipped: 0 },
  ...more,
})

const contact = (id: string, position: number, more: Partial<ContactRow> = {}): ContactRow => ({
  t: "contact",
  account,
  id,
  campaign_id: "c1",
  position,
  phone_number: `+1415200000${position}`,
  status: "completed",
  outcome: "answered",
  attempts: 1,
  skip_reason: null,
  ...more,
})

export const call = (id: string, from: number, until: number, more: Partial<CallRow> = {}): CallRow => ({
  t: "call",
  account,
  id,
  campaign_id: "c1",
  contact_id: "k1",
  attempt_number: 1,
  to_number: "+14152000001",
  status: "completed",
  outcome: "answered",
  end_reason: "caller_hung_up",
  started_at: t0 + from * second,
  answered_at: null,
  ended_at: t0 + until * second,
  ...more,
})

export const atCarrier = (row: CallRow): ReadonlyArray<Event> => [
  { t: "carrier", event: "create", ref: row.id, number: row.to_number, at: row.started_at + 20 },
  {
    t: "carrier",
    event: "end",
    ref: row.id,
    number: row.to_number,
    at: (row.ended_at ?? t0) - 20,
    outcome: row.outcome,
  },
]

let asks = 0
/** A request, and its response 100 ms later. */
export const asked = (
  op: string,
  of: string | null,
  at: number,
  status = 200,
  body: Record<string, any> | null = null,
  answer: Record<string, any> | null = null,
): ReadonlyArray<Event> => {
  const n = asks++
  return [
    { t: "ask", n, account, op, of, body, at: t0 + at * second },
    ...(status === 0 ? [] : [{ t: "answer" as const, n, status, body: answer, at: t0 + at * second + 100 }]),
  ]
}

const k2 = {
  contact_id: "k2",
  to_number: "+14152000002",
  status: "failed",
  outcome: "busy",
  end_reason: "not_answered",
}
const rows = [call("a1", 2, 8), call("a2", 3, 5, k2), call("a3", 8, 10, { ...k2, attempt_number: 2 })]

const sample = (more: Partial<Sample> = {}): Sample => ({
  t: "sample",
  account,
  at: t0 + 4 * second,
  concurrent_max: 2,
  in_use: 2,
  live: 2,
  running_sum: 2,
  campaigns: [
    {
      id: "c1",
      status: "running",
      max: 2,
      live: 2,
      active: 2,
      counts: { total: 2, pending: 0, in_progress: 2, completed: 0, failed: 0, skipped: 0 },
      actual: { in_progress: 2 },
    },
  ],
  ...more,
})

export const snapshot = (event: string, at: number, status: string, completed: number): Event => ({
  t: "sse",
  account,
  campaign: "c1",
  stream: 0,
  event,
  data: {
    status,
    counts: { total: 2, pending: 0, in_progress: 2 - completed - 1, completed, failed: 1, skipped: 0 },
  },
  at: t0 + at * second,
})

export const created = {
  name: "campaign c1",
  max_concurrent_calls: "2",
  retries_per_contact: "1",
  retry_delay_seconds: "2",
}

/** Two contacts: one answers, the other is busy twice. */
export const sound: History = [
  { t: "run", seed: 0, processes: 1, carrier: "twilio", drain_seconds: 10 },
  {
    t: "account",
    account,
    concurrent_max: 2,
    calls_per_minute: 4,
    calls_per_day: 5,
    time_zone: "UTC",
    prefix: "+1415200",
  },
  { t: "phase", phase: "chaos", at: t0 },
  ...asked("create", null, 0, 201, created, { id: "c1", status: "draft" }),
  ...asked("start", "c1", 1, 200, null, { id: "c1", status: "running" }),
  sample(),
  snapshot("message", 9, "running", 0),
  snapshot("end", 11, "completed", 1),
  { t: "phase", phase: "rolling", at: t0 + 30 * second },
  { t: "process", event: "term", process: 0, pid: 7, at: t0 + 31 * second },
  { t: "process", event: "exit", process: 0, pid: 7, at: t0 + 33 * second, code: 0 },
  { t: "phase", phase: "healed", at: t0 + 40 * second },
  { t: "phase", phase: "over", at: t0 + 50 * second },
  ...rows,
  contact("k1", 1),
  contact("k2", 2, { status: "failed", outcome: "busy", attempts: 2 }),
  campaign("c1"),
  { t: "budget", account, in_use: 0 },
  ...rows.flatMap(atCarrier),
  ...[
    ...rows.flatMap(({ id }) => [`call.started ${id}`, `call.ended ${id}`]),
    ...["contact.completed k1", "contact.failed k2", "campaign.completed c1"],
  ].map((told, at): Event => {
    const [type = "", subject = ""] = told.split(" ")
    return { t: "event", account, seq: at + 1, type, subject }
  }),
]
