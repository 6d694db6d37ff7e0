/** The forecast of a snapshot, made beside the process's other requests. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { setImmediate } from "node:timers/promises"
import { forecastOf, type ForecastRow } from "../../src/campaigns/CampaignForecast.ts"

const at = new Date("2027-01-04T10:00:00Z")

const row: ForecastRow = {
  status: "running",
  counts: { total: 100_000, pending: 100_000, in_progress: 0, completed: 0, failed: 0, skipped: 0 },
  active_calls: 0,
  outcomes: {},
  max_concurrent_calls: 10,
  budget_used: 10,
  concurrent_max: 100,
  last_minute: 0,
  minute_limit: 1_000,
  today: 0,
  day_limit: 1_000,
  retries_due: 0,
  retries_waiting: 0,
  callbacks_due: 0,
  callbacks_waiting: 0,
  at,
  scheduled_at: null,
  max_calls_per_minute: null,
  retries_per_contact: 0,
  retry_delay_seconds: 300,
  retry_by_outcome: null,
  calling_window: { days: ["mon", "tue"], start: "09:00", end: "17:00", time_zone: "contact" },
  account_window: null,
  time_zone: "UTC",
  last_retry_at: null,
  last_callback_at: null,
  numbers: [],
  voicemail_action: null,
  lately: { ended: 0, seconds: 0 },
  spent: "0",
  reserved: "0",
  max_spend: null,
  day_spent: "0",
  day_reserved: "0",
  daily_spend_cap: null,
  max_call_seconds: 600,
  sample: [],
}

it.live("of a list with sixty time zones lets the process serve other requests meanwhile", () =>
  Effect.gen(function* () {
    let turns = 0
    const turn = Effect.andThen(
      Effect.promise(() => setImmediate()),
      Effect.sync(() => turns++),
    )
    const others = yield* Effect.forkChild(Effect.forever(turn), { startImmediately: true })
    // Their clocks were not read yet, which is the slow part.
    const sample = Intl.supportedValuesOf("timeZone")
      .slice(0, 60)
      .map((time_zone) => ({ phone_number: "+14155550100", additional_numbers: null, time_zone }))
    const forecast = yield* forecastOf({ ...row, sample })
    yield* Fiber.interrupt(others)
    assert.strictEqual(forecast?.limited_by, "calling_window")
    // One may come before or after it in any case.
    assert.isAbove(turns, 1)
  }),
)
