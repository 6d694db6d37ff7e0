/** A snapshot of a campaign in its middle, as the stream sends it; what a test is about stands in `change`. */
import type { Snapshot } from "../../apps/monitor/Snapshot.ts"

export const snapshot = (change: Partial<Snapshot> = {}): Snapshot => ({
  campaign_id: "01a1ff58-60d9-7154-9c7e-af1fd1fb4ddd",
  status: "running",
  counts: { total: 2_400, pending: 1_095, in_progress: 8, completed: 1_118, failed: 160, skipped: 19 },
  active_calls: 8,
  dialed: 1_731,
  calls_per_minute: 10,
  outcomes: {
    answered: 926,
    voicemail: 192,
    no_answer: 421,
    busy: 88,
    rejected: 31,
    invalid_number: 22,
    carrier_error: 40,
    unknown: 3,
  },
  dispositions: {},
  eta_seconds: 7_800,
  forecast: {
    seconds: 7_800,
    ends_at: new Date(2026, 10, 21, 16, 42, 6).toISOString(),
    limited_by: "slots",
    basis: "observed",
  },
  waiting_for: null,
  waiting: {
    slots: { used: 8, limit: 8 },
    budget: { used: 14, limit: 20 },
    per_minute: { used: 17, limit: 60 },
    per_day: { used: 1_731, limit: 10_000 },
    window: { open: 1_095, closed: 0, next_open_at: null },
    retries: { due: 0, waiting: 46, next_at: new Date(2026, 10, 21, 14, 34).toISOString() },
    callbacks: { due: 0, waiting: 0, next_at: null },
  },
  cost: { amount: 1.24, currency: "USD" },
  at: new Date(2026, 10, 21, 14, 32, 6).toISOString(),
  ...change,
})
