/** The guards beneath the promises, each as the text that is it, and the suite that has to miss it. */

interface Cut {
  readonly file: string
  /** Stands in the file exactly once. */
  readonly removes: string
  /** What stands there instead. */
  readonly puts?: string
}

export interface Guard {
  readonly name: string
  /** The promise that rests on it. */
  readonly keeps: string
  readonly cuts: ReadonlyArray<Cut>
  readonly suite: string
  /** Of the suite, the tests whose names match. */
  readonly tests?: string
}

const baseline = "migrations/tenant/0001_baseline.sql"
const callsBegin = "migrations/tenant/functions/calls_begin.sql"
const turn = "test/campaigns/DialTransaction.test.ts"
const beneath = "test/campaigns/Guards.test.ts"

export const guards: ReadonlyArray<Guard> = [
  {
    name: "unique index: one live call a contact",
    keeps: "I1",
    cuts: [
      {
        file: baseline,
        removes:
          "create unique index calls_one_live_a_contact on live_calls (contact_id) where contact_id is not null;",
      },
    ],
    suite: beneath,
  },
  {
    name: "unique index: one live call a number",
    keeps: "I1",
    cuts: [
      {
        file: baseline,
        removes: " constraint calls_one_live_a_number primary key",
      },
    ],
    suite: beneath,
  },
  {
    name: "numbers in a call are not dialled",
    keeps: "I1",
    cuts: [
      {
        file: "src/campaigns/DialQueue.ts",
        removes: "and not exists (select from live_calls l where l.line = c.phone_number)",
      },
      { file: "src/campaigns/DialTransaction.ts", removes: "live.has(number)", puts: "false" },
    ],
    suite: turn,
  },
  {
    name: "a number that stands twice in a batch",
    keeps: "I1",
    cuts: [
      {
        file: "src/domain/DialDecision.ts",
        removes: "chosen.has(number) || ",
      },
    ],
    suite: turn,
  },
  {
    name: "a contact is claimed while it waits",
    keeps: "I1, I5",
    cuts: [
      {
        file: "src/campaigns/DialQueue.ts",
        removes: " and c.status = 'pending'\n      returning 1",
        puts: "\n      returning 1",
      },
    ],
    suite: turn,
  },
  {
    name: "the campaign's own slots",
    keeps: "I2",
    cuts: [
      {
        file: "src/domain/DialPlan.ts",
        removes: "Math.max(0, pace.max_concurrent_calls - pace.active_calls)",
        puts: "pace.max_concurrent_calls",
      },
    ],
    suite: turn,
  },
  {
    name: "trigger: no call beyond concurrent_max",
    keeps: "I3",
    cuts: [{ file: callsBegin, removes: "if caps.in_use > caps.concurrent_max then", puts: "if false then" }],
    suite: turn,
  },
  {
    name: "the concurrent cap of an admission",
    keeps: "I3",
    cuts: [
      {
        file: "src/domain/Cap.ts",
        removes: `["daily_cap", "per_minute_cap", "concurrent_cap"] as const`,
        puts: `["daily_cap", "per_minute_cap"] as const`,
      },
    ],
    suite: turn,
  },
  {
    name: "row lock: admissions one after another",
    keeps: "I3",
    cuts: [
      {
        file: "src/calls/ledger/Admission.ts",
        removes: "yield* lockBudget()",
      },
    ],
    suite: "test/decisions/call-caps.test.ts",
    tests: "of ten calls placed at once",
  },
  {
    name: "row lock: starts one after another",
    keeps: "I4",
    cuts: [
      {
        file: "src/tenancy/BudgetLock.ts",
        removes: "clock_timestamp() as now from budget for update`",
        puts: "clock_timestamp() as now from budget`",
      },
    ],
    suite: beneath,
  },
  {
    name: "the budget of running campaigns",
    keeps: "I4",
    cuts: [{ file: "src/campaigns/CampaignBudget.ts", removes: "yield* check(id, requested, concurrent_max)" }],
    suite: beneath,
  },
  {
    name: "attempts are bounded",
    keeps: "I5",
    cuts: [{ file: "src/domain/Settlement.ts", removes: " || end.attempt_number > rules.retries_per_contact" }],
    suite: "test/domain/Settlement.test.ts",
  },
  {
    name: "unknown is not dialled again by itself",
    keeps: "I5",
    cuts: [
      {
        file: "src/domain/Settlement.ts",
        removes: "unknown: ({ redial_unknown }) => redial_unknown,",
        puts: "unknown: () => true,",
      },
    ],
    suite: "test/domain/Settlement.test.ts",
  },
  {
    name: "the retry delay, in rule and query",
    keeps: "I5",
    cuts: [
      { file: "src/domain/DialDecision.ts", removes: "byTurn(contact, now) ??" },
      { file: "src/campaigns/DialQueue.ts", removes: "and c.due_at <= ${now}" },
    ],
    suite: turn,
  },
  {
    name: "unique: each attempt of a contact once",
    keeps: "I5",
    cuts: [{ file: baseline, removes: ",\n  unique (contact_id, attempt_number)" }],
    suite: turn,
  },
  {
    name: "only a running campaign dials",
    keeps: "I7, I8",
    cuts: [
      {
        file: "src/domain/DialPlan.ts",
        removes: `paused: "wait",\n  completed: "over",`,
        puts: `paused: "dial",\n  completed: "dial",`,
      },
    ],
    suite: beneath,
  },
  {
    name: "fence: the epoch of the dialler",
    keeps: "I7, I8",
    cuts: [
      {
        file: "src/campaigns/DialTransaction.ts",
        removes: `if (campaign.epoch !== epoch) return { _tag: "Lost" } satisfies AfterPass`,
      },
    ],
    suite: beneath,
  },
  {
    name: "fence: whose an intent is, asked before it is dialled",
    keeps: "I1",
    cuts: [
      {
        file: "src/calls/live/OutboundCalls.ts",
        removes: "mine: ownership.confirm(entry),",
        puts: "mine: Effect.void,",
      },
    ],
    suite: "test/calls/live/Ownership.test.ts",
  },
  {
    name: "fence: whose a call is, asked when it is ended",
    keeps: "I1, I14",
    cuts: [
      {
        file: "src/calls/ledger/CallLog.ts",
        removes: "where c.id = e.id and c.node_id = ${node} and c.ended_at is null",
        puts: "where c.id = e.id and c.ended_at is null",
      },
    ],
    suite: "test/calls/live/Ownership.test.ts",
  },
  {
    name: "the cap of a minute",
    keeps: "I9",
    cuts: [
      {
        file: "src/domain/Cap.ts",
        removes: `["daily_cap", "per_minute_cap", "concurrent_cap"] as const`,
        puts: `["daily_cap", "concurrent_cap"] as const`,
      },
    ],
    suite: turn,
  },
  {
    name: "trigger: no call beyond calls_per_day",
    keeps: "I9",
    cuts: [{ file: callsBegin, removes: "if caps.calls_today > caps.calls_per_day then", puts: "if false then" }],
    suite: turn,
  },
  {
    name: "the calling window",
    keeps: "I11",
    cuts: [
      {
        file: "src/domain/DialDecision.ts",
        removes: "(window === null || say === null ? null : byWindow(say(zonesIn(window, () => zonesOf(contact))))) ??",
      },
    ],
    suite: turn,
  },
  {
    name: "the do-not-call list",
    keeps: "I12",
    cuts: [{ file: "src/domain/DialDecision.ts", removes: "(contact.suppressed ? onTheList : null) ??" }],
    suite: turn,
  },
  {
    name: "the do-not-call list, for direct calls",
    keeps: "I12",
    cuts: [
      {
        file: "src/calls/DirectCalls.ts",
        removes: "if (yield* Suppressions.isSuppressed(to)) return yield* new DoNotCall({ phone_number: to })",
      },
    ],
    suite: "test/decisions/calls.test.ts",
  },
  {
    name: "a call ends once",
    keeps: "I14",
    cuts: [
      {
        file: "src/calls/ledger/CallLog.ts",
        removes: "where c.id = e.id and c.node_id = ${node} and c.ended_at is null",
        puts: "where c.id = e.id and c.node_id = ${node}",
      },
    ],
    suite: turn,
  },
  {
    name: "reports are joined, not overwritten",
    keeps: "I14",
    cuts: [{ file: "src/domain/CarrierReport.ts", removes: "isLater(other, one) ? other : one", puts: "other" }],
    suite: "test/domain/CarrierReport.test.ts",
  },
]
