/** Violations seeded into a sound history, all of which the checker has to find, and histories that only look wrong. */
import type { CallRow, Event, History } from "./History.ts"
import { account, asked, atCarrier, call, created, second, snapshot, t0 } from "./SoundHistory.ts"

type Doctor = (history: History) => History

/** Changes the events of one kind by the fields that `how` returns. */
const change =
  <K extends Event["t"]>(t: K, how: (event: Extract<Event, { t: K }>) => object): Doctor =>
  (history) =>
    history.map((event) => (event.t === t ? ({ ...event, ...how(event as Extract<Event, { t: K }>) } as Event) : event))

const add =
  (...events: ReadonlyArray<Event>): Doctor =>
  (history) => [...history, ...events]

const without =
  (is: (event: Event) => boolean): Doctor =>
  (history) =>
    history.filter((event) => !is(event))

const all =
  (...doctors: ReadonlyArray<Doctor>): Doctor =>
  (history) =>
    doctors.reduce((so, doctor) => doctor(so), history)

/** A direct call, including the carrier's events. */
const direct = (id: string, from: number, until: number, more: Partial<CallRow> = {}): ReadonlyArray<Event> => {
  const row = call(id, from, until, {
    campaign_id: null,
    contact_id: null,
    attempt_number: null,
    to_number: "+14152000009",
    ...more,
  })
  return [row, ...atCarrier(row)]
}

/** A direct call over SIP that was not reached, although the phone was answered, and a client that hung it up. */
const hungUpAt = (at: number): Doctor => {
  const [row, create, end] = direct("d1", 12, 14)
  const unheard = { ...row, status: "failed", outcome: "no_answer", end_reason: "hung_up" } as CallRow
  return all(
    change("run", () => ({ carrier: "sip" })),
    add(unheard, ...asked("hangup", "d1", at)),
    add(create!, { ...create, event: "answer", at: t0 + 13 * second } as Event, end!),
    add(
      ...["call.started", "call.ended"].map((type, at): Event => ({
        t: "event",
        account,
        seq: 10 + at,
        type,
        subject: "d1",
      })),
    ),
  )
}

const row = (id: string, how: Partial<CallRow>) => change("call", (event) => (event.id === id ? how : {}))

export const seeded: ReadonlyArray<readonly [invariant: string, what: string, doctor: Doctor]> = [
  ["I1", "a contact has two live attempts", row("a3", { started_at: t0 + 4 * second })],
  ["I1", "a number has two live calls", add(call("b1", 4, 6, { contact_id: null, attempt_number: null }))],
  [
    "I1",
    "the carrier calls a number that is in a call, whatever the rows say",
    change("carrier", ({ event, ref }) => (ref === "a2" && event === "end" ? { at: t0 + 9 * second } : {})),
  ],
  [
    "I1",
    "one attempt is dialled twice",
    add({ t: "carrier", event: "create", ref: "a1", number: "+14152000001", at: t0 + 6 * second }),
  ],
  [
    "I1",
    "the carrier is asked before the intent stands",
    change("carrier", ({ event, ref }) => (ref === "a1" && event === "create" ? { at: t0 + 1 * second } : {})),
  ],
  [
    "I1",
    "a process that was thought dead dials an attempt that was settled",
    all(
      row("a1", { ended_at: t0 + 3 * second, outcome: "unknown" }),
      change("carrier", ({ event, ref }) => (ref === "a1" && event === "create" ? { at: t0 + 6 * second } : {})),
    ),
  ],
  [
    "I2",
    "a campaign has more calls at once than it may",
    change("ask", ({ op }) => (op === "create" ? { body: { ...created, max_concurrent_calls: "1" } } : {})),
  ],
  [
    "I2",
    "a campaign takes slots that a change took away",
    add(...asked("change", "c1", 2.5, 200, { max_concurrent_calls: 1 })),
  ],
  [
    "I2",
    "a campaign's calls are miscounted",
    change("sample", ({ campaigns }) => ({ campaigns: campaigns.map((one) => ({ ...one, active: 1 })) })),
  ],
  ["I3", "an account has more calls at once than it may", add(...direct("d1", 4, 6))],
  [
    "I3",
    "a direct call takes the slot that the carrier still needs",
    all(
      add(...direct("d1", 5.5, 6)),
      change("carrier", ({ event, ref }) => (ref === "a2" && event === "end" ? { at: t0 + 7.5 * second } : {})),
    ),
  ],
  ["I3", "a slot leaks", change("budget", () => ({ in_use: 1 }))],
  ["I3", "slots in use are not the calls that live", change("sample", () => ({ in_use: 1 }))],
  ["I4", "running campaigns ask for more than the account has", change("sample", () => ({ running_sum: 3 }))],
  [
    "I5",
    "one attempt too many",
    change("ask", ({ op }) => (op === "create" ? { body: { ...created, retries_per_contact: "0" } } : {})),
  ],
  [
    "I5",
    "a retry comes too soon",
    change("ask", ({ op }) => (op === "create" ? { body: { ...created, retry_delay_seconds: "4" } } : {})),
  ],
  [
    "I5",
    "the carrier sees a retry come too soon",
    change("carrier", ({ event, ref }) => (ref === "a2" && event === "end" ? { at: t0 + 7.9 * second } : {})),
  ],
  [
    "I5",
    "a contact that declined is called again",
    all(
      row("a2", { outcome: "rejected" }),
      change("carrier", ({ event, ref }) => (ref === "a2" && event === "end" ? { outcome: "rejected" } : {})),
    ),
  ],
  [
    "I5",
    "an unknown attempt is dialled again automatically",
    all(
      row("a2", { outcome: "unknown" }),
      without((event) => event.t === "carrier" && event.ref === "a2"),
    ),
  ],
  ["I5", "an attempt is not counted", change("contact", ({ id }) => (id === "k2" ? { attempts: 1 } : {}))],
  ["I6", "a contact is lost", without((event) => event.t === "contact" && event.id === "k2")],
  ["I6", "a count is wrong", change("campaign", ({ counts }) => ({ counts: { ...counts, completed: 2, failed: 0 } }))],
  [
    "I6",
    "a completed campaign has a pending contact",
    all(
      change("contact", ({ id }) => (id === "k2" ? { status: "pending" } : {})),
      change("campaign", ({ counts }) => ({ counts: { ...counts, pending: 1, failed: 0 } })),
    ),
  ],
  [
    "I6",
    "the carrier made a call that no row knows",
    add({ t: "carrier", event: "create", ref: "x1", number: "+14152000007", at: t0 + 9 * second }),
  ],
  ["I6", "a campaign that was answered is gone", add(...asked("create", null, 5, 201, created, { id: "c2" }))],
  [
    "I6",
    "an answered stop is lost",
    all(
      add(...asked("stop", "c1", 12)),
      change("campaign", () => ({ status: "paused", end_reason: null, ended_at: null })),
    ),
  ],
  ["I6", "an answered direct call is gone", add(...asked("call", "+14152000009", 12, 201, null, { id: "d9" }))],
  [
    "I6",
    "a snapshot of the database counts what is not there",
    change("sample", ({ campaigns }) => ({
      campaigns: campaigns.map((one) => ({ ...one, actual: { in_progress: 1, pending: 1 } })),
    })),
  ],
  ["I7", "a contact is dialled after a stop", add(...asked("stop", "c1", 7))],
  [
    "I7",
    "a stop hangs up a call in progress",
    all(add(...asked("stop", "c1", 7)), row("a1", { end_reason: "hung_up" })),
  ],
  ["I8", "a contact is dialled after a pause", add(...asked("pause", "c1", 7))],
  [
    "I8",
    "a contact is dialled between a pause and the resume",
    add(...asked("pause", "c1", 7), ...asked("resume", "c1", 9)),
  ],
  ["I9", "too many calls within a minute", add(...direct("d1", 11, 12), ...direct("d2", 13, 14))],
  ["I9", "too many calls in a day", add(...[100, 200, 300].flatMap((at) => direct(`d${at}`, at, at + 1)))],
  [
    "I10",
    "a campaign dials before its time",
    all(
      change("campaign", () => ({ scheduled_at: t0 + 4 * second })),
      without((event) => event.t === "ask" && event.op === "start"),
    ),
  ],
  [
    "I11",
    "a contact is dialled outside of the window",
    change("campaign", () => ({
      calling_window: { days: ["mon"], start: "09:00", end: "17:00", time_zone: "America/Los_Angeles" },
    })),
  ],
  [
    "I11",
    "a contact is dialled on the wrong day",
    change("campaign", () => ({
      calling_window: { days: ["tue", "wed"], start: "09:00", end: "17:00", time_zone: "UTC" },
    })),
  ],
  ["I12", "a number is dialled that was put on the list before", add(...asked("suppress", "+14152000002", 6, 201))],
  ["I13", "a campaign still runs", change("campaign", () => ({ status: "running", ended_at: null, end_reason: null }))],
  [
    "I13",
    "a scheduled draft never starts",
    change("campaign", () => ({
      status: "draft",
      scheduled_at: t0 + 1,
      started_at: null,
      ended_at: null,
      end_reason: null,
    })),
  ],
  ["I13", "a call never ends", row("a3", { ended_at: null, outcome: null, status: "ringing" })],
  [
    "I13",
    "a call never ends at the carrier",
    without((event) => event.t === "carrier" && event.ref === "a1" && event.event === "end"),
  ],
  ["I14", "a late report turned an outcome", row("a1", { outcome: "busy" })],
  ["I14", "a call that was hung up after its answer was not answered", hungUpAt(13.5)],
  [
    "I14",
    "an outcome is invented for a call that the carrier never made",
    without((event) => event.t === "carrier" && event.ref === "a1"),
  ],
  [
    "I15",
    "a snapshot does not add up",
    change("sse", ({ data, event }) =>
      event === "message" ? { data: { ...data, counts: { total: 2, pending: 1 } } } : {},
    ),
  ],
  ["I15", "something comes after the end", add(snapshot("message", 12, "completed", 1))],
  [
    "I15",
    "the end comes before the campaign's",
    change("sse", ({ data, event }) => (event === "end" ? { data: { ...data, status: "running" } } : {})),
  ],
  ["I16", "an account calls a number of another one", add(...direct("d1", 11, 12, { to_number: "+14159990000" }))],
  ["I17", "half an import", change("campaign", () => ({ accepted: 3 }))],
  ["drain", "a process leaves with an error", change("process", ({ event }) => (event === "exit" ? { code: 1 } : {}))],
  ["drain", "a process never leaves", without((event) => event.t === "process" && event.event === "exit")],
  [
    "drain",
    "a process takes too long to leave",
    change("process", ({ at, event }) => (event === "exit" ? { at: at + 60 * second } : {})),
  ],
  ["drain", "a rolling restart loses a call", add(...direct("d1", 31, 33, { outcome: "unknown" }))],
  [
    "drain",
    "a process hangs up before its time to drain is over",
    add(...direct("d1", 30.5, 33, { end_reason: "interrupted" })),
  ],
  [
    "drain",
    "a stream breaks when its process leaves",
    add({ t: "sse", account, campaign: "c1", stream: 3, event: "broken", data: null, at: t0 + 32 * second }),
  ],
  [
    "drain",
    "a stream is not told to come back when its process leaves",
    add(
      ...["open", "retry", "closed"].map((event) => ({
        t: "sse" as const,
        account,
        campaign: "c1",
        stream: 4,
        data: null,
        event,
        at: t0 + 32 * second,
      })),
    ),
  ],
  ["log", "an event is missing", without((event) => event.t === "event" && event.seq === 9)],
  ["log", "a number is missing", change("event", ({ seq }) => ({ seq: seq > 3 ? seq + 1 : seq }))],
  ["log", "an end is told twice", add({ t: "event", account, seq: 10, type: "call.ended", subject: "a1" })],
]

/** Histories that look odd but keep every promise, so that the checker must not report a violation. */
export const innocent: ReadonlyArray<readonly [what: string, doctor: Doctor]> = [
  ["a pause that was never answered", add(...asked("pause", "c1", 7, 0))],
  ["a dial after a pause whose resume was asked before", add(...asked("pause", "c1", 6), ...asked("resume", "c1", 7))],
  [
    "a dial after a pause while an unanswered resume may still come",
    add(...asked("resume", "c1", 5, 0), ...asked("pause", "c1", 7)),
  ],
  ["a cap that is lowered while calls go on", add(...asked("change", "c1", 8.5, 200, { max_concurrent_calls: 1 }))],
  [
    "slots of a campaign whose creation was not answered, and that were fewer in the end",
    all(
      without((event) => event.t === "answer" && event.status === 201 && event.body?.["id"] === "c1"),
      change("campaign", () => ({ max_concurrent_calls: 1 })),
      add(...asked("change", "c1", 8.5, 200, { max_concurrent_calls: 1 })),
    ),
  ],
  [
    "a retry delay that was changed, perhaps",
    all(
      change("ask", ({ op }) => (op === "create" ? { body: { ...created, retry_delay_seconds: "4" } } : {})),
      add(...asked("change", "c1", 4, 0, { retry_delay_seconds: 1 })),
    ),
  ],
  [
    "a number that left the do-not-call list in time",
    add(...asked("suppress", "+14152000002", 5.5, 201), ...asked("unsuppress", "+14152000002", 7, 204)),
  ],
  ["a call that was answered after a client had hung it up", hungUpAt(12.5)],
  ["a scheduled campaign that was started by hand", all(change("campaign", () => ({ scheduled_at: t0 + 4 * second })))],
  [
    "a process that is killed while it leaves",
    all(
      change("process", ({ event }) => (event === "exit" ? { code: "SIGKILL" } : {})),
      add({ t: "process", event: "kill", process: 0, pid: 7, at: t0 + 32 * second }),
    ),
  ],
]
