/** Whole passes of a campaign's dialler, without a database: what may begin, what becomes of each contact, what comes next. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import type { CapUsage } from "../../src/domain/Cap.ts"
import { allowance, type PassContact, type PassFacts, plan, type Upcoming } from "../../src/domain/DialPass.ts"
import type { Standing } from "../../src/domain/FairShare.ts"
import type { NumberPace } from "../../src/domain/NumberPace.ts"

const now = new Date("2026-11-23T10:00:00.000Z")
const after = (ms: number) => new Date(now.getTime() + ms)
const cap = (used: number, limit: number, frees_in_ms = 0): CapUsage => ({ used, limit, resets_at: after(frees_in_ms) })
const wide = { concurrent_cap: cap(0, 1_000), per_minute_cap: cap(0, 1_000), daily_cap: cap(0, 10_000) }
const unpaced: NumberPace = { calls_per_second: null, free: Infinity, free_in_ms: 0 }
const standing: Standing = {
  id: "own",
  phone_number_id: "number",
  weight: 5,
  wants: 0,
  wants_of_number: 0,
  next_round: 0,
  last_round: 0,
}
const facts: PassFacts = {
  id: "own",
  pace: { max_concurrent_calls: 5, active_calls: 0, max_calls_per_minute: null, last_minute: 0 },
  minute_frees_in_ms: null,
  usage: wide,
  numberPace: unpaced,
  room: Infinity,
  standings: [standing],
  window: null,
  requires_consent: false,
  waiting_for: null,
  now,
}
const weekdays = { days: ["mon", "tue", "wed", "thu", "fri"], time_zone: "contact" } as const
/** Ten o'clock in UTC: eleven in Berlin, five in the morning in New York. */
const officeHours = { ...weekdays, start: "09:00", end: "17:00" }

interface Contact extends PassContact {
  readonly zone: string | null
  readonly in_call: boolean
}
const contact = (number: number, more: Partial<Contact> = {}): Contact => ({
  phone_number: `+1415555${1_000 + number}`,
  attempts: 0,
  due_at: null,
  waits_for: null,
  suppressed: false,
  lacks_consent: false,
  quiet_until: null,
  fresh: true,
  zone: "Europe/Berlin",
  in_call: false,
  ...more,
})

const nothing: Upcoming = { behind_calls: false, timed: null }

/** A pass over these contacts as the dialler runs it: it reads one more than it may look at. */
const passOver = (given: PassFacts, contacts: ReadonlyArray<Contact>, upcoming = nothing) => {
  const allowed = allowance(given)
  const live = new Set(contacts.flatMap(({ in_call, phone_number }) => (in_call ? [phone_number] : [])))
  const planned = plan(given, allowed, {
    candidates: contacts.slice(0, allowed.contacts),
    hasMore: (looked) => looked < Math.min(contacts.length, allowed.contacts + 1),
    upcoming: () => upcoming,
    zonesOf: ({ zone }) => (zone === null ? [] : [zone]),
    inCall: (number) => live.has(number),
  })
  return { ...planned, allowed, verdicts: planned.decided.map(({ verdict }) => verdict._tag) }
}

describe("what a pass may begin", () => {
  const list = Array.from({ length: 20 }, (_, at) => contact(at))

  it("is what slots, caps, pace and other campaigns leave", () => {
    const begun = (more: Partial<PassFacts>) => passOver({ ...facts, ...more }, list).dialled.length
    assert.strictEqual(begun({}), 5)
    assert.strictEqual(begun({ pace: { ...facts.pace, active_calls: 4 } }), 1)
    assert.strictEqual(begun({ pace: { ...facts.pace, max_calls_per_minute: 6, last_minute: 4 } }), 2)
    assert.strictEqual(begun({ usage: { ...wide, daily_cap: cap(9_997, 10_000) } }), 3)
    assert.strictEqual(begun({ numberPace: { calls_per_second: 1, free: 1, free_in_ms: 0 } }), 1)
    const other = { ...standing, id: "other", phone_number_id: "another", wants: 100 }
    const usage = { ...wide, concurrent_cap: cap(996, 1_000) }
    assert.strictEqual(begun({ usage, standings: [standing, other] }), 2)
  })
  it("is limited to the calls that the processes have room for; a campaign that finds none waits, without a reason of its own", () => {
    assert.isFalse(allowance({ ...facts, room: 5 }).is_full)
    assert.isTrue(allowance({ ...facts, room: 4 }).is_full)
    assert.isFalse(allowance({ ...facts, room: 4, usage: { ...wide, daily_cap: cap(9_997, 10_000) } }).is_full)
    assert.strictEqual(passOver({ ...facts, room: 3 }, list).dialled.length, 3)
    const full = passOver({ ...facts, room: 0 }, list)
    assert.deepInclude(full, { dialled: [], waiting_for: null, quiet: false, next_ms: null })
    assert.deepInclude(full.share, { wants: 0, wants_of_number: 0 })
  })
  it("looks at 500 contacts where a window may leave many out, at as many as may begin where there is none", () => {
    assert.strictEqual(allowance(facts).contacts, 5)
    assert.strictEqual(allowance({ ...facts, window: officeHours }).contacts, 500)
    assert.strictEqual(allowance({ ...facts, requires_consent: true }).contacts, 500)
    assert.strictEqual(allowance({ ...facts, usage: { ...wide, daily_cap: cap(1, 1) } }).contacts, 0)
  })
  it("reads no contact once the last call has begun", () => {
    let read = 0
    const lazily = function* () {
      for (const one of list) {
        read++
        yield one
      }
    }
    const allowed = allowance({ ...facts, window: officeHours })
    const rest = { hasMore: () => true, upcoming: () => nothing, zonesOf: () => ["Europe/Berlin"], inCall: () => false }
    plan({ ...facts, window: officeHours }, allowed, { candidates: lazily(), ...rest })
    assert.strictEqual(read, 5)
  })
})

describe("what becomes of a contact", () => {
  it("is a call, a wait, or the end of it, and the places go to those behind it", () => {
    const { decided, dialled } = passOver({ ...facts, window: officeHours }, [
      contact(1, { suppressed: true }),
      contact(2, { zone: "America/New_York" }),
      contact(3, { in_call: true }),
      contact(4, { zone: null }),
      contact(5),
      contact(5),
    ])
    const until = new Date("2026-11-23T14:00:00.000Z")
    assert.deepStrictEqual(
      decided.map(({ verdict }) => verdict),
      [
        { _tag: "Skip", reason: "do_not_call" },
        { _tag: "Wait", reason: "calling_window", until },
        { _tag: "Wait", reason: "in_call", until: null },
        { _tag: "Skip", reason: "outside_window" },
        { _tag: "Dial" },
        { _tag: "Wait", reason: "in_call", until: null },
      ],
    )
    assert.strictEqual(dialled.length, 1)
  })
})

describe("when a campaign looks again, and what it waits for", () => {
  const two = [contact(1), contact(2)]
  const oneSlot: PassFacts = { ...facts, pace: { ...facts.pace, max_concurrent_calls: 1 } }
  const after_ms = ({ next_ms, waiting_for }: ReturnType<typeof passOver>) => [next_ms, waiting_for]

  it("is not known while all its slots are in calls, or no contact waits: it waits for nothing", () => {
    assert.deepStrictEqual(after_ms(passOver(oneSlot, two)), [null, null])
    assert.deepStrictEqual(after_ms(passOver(facts, two)), [null, null])
    assert.deepStrictEqual(after_ms(passOver(facts, [])), [null, null])
  })
  it("is when the next contact is due", () => {
    const timed = { due_at: after(300), waits_for: "retry_delay" as const }
    assert.deepStrictEqual(after_ms(passOver(facts, [], { behind_calls: false, timed })), [300, "retry_delay"])
    const until = { due_at: after(4 * 3_600_000), waits_for: "calling_window" as const }
    const closed = passOver({ ...facts, window: officeHours }, [], { behind_calls: false, timed: until })
    assert.deepStrictEqual(after_ms(closed), [4 * 3_600_000, "calling_window"])
    assert.isTrue(closed.quiet)
  })
  it("is when a cap has a place again, and not before", () => {
    const usage = { ...wide, per_minute_cap: cap(1_000, 1_000, 400) }
    assert.deepStrictEqual(after_ms(passOver({ ...facts, usage }, two)), [400, "per_minute_cap"])
    const both = { ...usage, daily_cap: cap(10_000, 10_000, 900_000) }
    assert.deepStrictEqual(after_ms(passOver({ ...facts, usage: both }, two)), [900_000, "daily_cap"])
    const paced = { calls_per_second: 10, free: 1, free_in_ms: 0 }
    const few = { ...facts, usage: { ...wide, daily_cap: cap(9_999, 10_000, 900_000) }, numberPace: paced }
    assert.deepStrictEqual(after_ms(passOver(few, two)), [100, null])
  })
  it("is soon while the places are another campaign's", () => {
    const other = { ...standing, id: "other", wants: 4, next_round: -1 }
    const usage = { ...wide, concurrent_cap: cap(999, 1_000) }
    const shared = passOver({ ...facts, usage, standings: [standing, other] }, two)
    assert.deepStrictEqual(after_ms(shared), [200, "concurrent_cap"])
    assert.deepInclude(shared.share, { begun: 0, wants: 5 })
  })
  it("is when its own calls a minute have a place", () => {
    const pace = { ...facts.pace, max_calls_per_minute: 3, last_minute: 3 }
    const full = { ...facts, pace, minute_frees_in_ms: 500 }
    assert.deepStrictEqual(after_ms(passOver(full, two)), [500, "per_minute_cap"])
  })
  it("is when its number may begin another call", () => {
    const numberPace = { calls_per_second: 1, free: 0, free_in_ms: 700 }
    assert.deepStrictEqual(after_ms(passOver({ ...facts, numberPace }, two)), [700, null])
  })
  it("is at once when a full batch left room, or contacts were put off and others stand behind them", () => {
    const many = { ...facts.pace, max_concurrent_calls: 501 }
    const list = Array.from({ length: 502 }, (_, at) => contact(at))
    assert.strictEqual(passOver({ ...facts, pace: many }, list).next_ms, 0)
    // And after the last one too: the campaign may be finished, and it has yet to say what it waits for.
    const last = passOver({ ...facts, window: officeHours }, [contact(1, { suppressed: true })])
    assert.deepStrictEqual([last.next_ms, last.quiet], [0, false])
    const early = Array.from({ length: 501 }, (_, at) => contact(at, { zone: "America/New_York" }))
    const waiting = { ...facts, window: officeHours, waiting_for: "retry_delay" as const }
    assert.deepStrictEqual(after_ms(passOver(waiting, early)), [0, "retry_delay"])
  })
})

describe("whatever the facts", () => {
  const count = (max: number) => fc.integer({ min: 0, max })
  const usage = fc.record({ used: count(30), limit: count(30) }).map(({ used, limit }) => cap(used, limit, 1_000))
  const anyFacts: fc.Arbitrary<PassFacts> = fc
    .record({
      pace: fc.record({
        max_concurrent_calls: fc.integer({ min: 1, max: 20 }),
        active_calls: count(20),
        max_calls_per_minute: fc.option(count(10)),
        last_minute: count(10),
      }),
      minute_frees_in_ms: fc.option(count(60_000)),
      usage: fc.record({ concurrent_cap: usage, per_minute_cap: usage, daily_cap: usage }),
      numberPace: fc.oneof(
        fc.constant(unpaced),
        fc.record({ calls_per_second: fc.constantFrom(1, 40), free: count(2), free_in_ms: count(900) }),
      ),
      others: fc.array(fc.record({ weight: fc.integer({ min: 1, max: 9 }), wants: count(9), next_round: count(3) }), {
        maxLength: 3,
      }),
      window: fc.option(fc.constant(officeHours)),
    })
    .map(({ others, ...rest }) => ({
      ...facts,
      ...rest,
      standings: [standing, ...others.map((other, at) => ({ ...standing, ...other, id: `${at}` }))],
    }))
  const anyContact = fc
    .record({
      number: count(15),
      zone: fc.constantFrom("Europe/Berlin", "America/New_York", null),
      suppressed: fc.boolean(),
      lacks_consent: fc.boolean(),
      in_call: fc.boolean(),
      fresh: fc.boolean(),
    })
    .map(({ number, ...rest }) => contact(number, rest))

  it("a pass dials within every limit, only contacts that may be dialled, each number once, and looks at contacts in their order", () => {
    fc.assert(
      fc.property(anyFacts, fc.array(anyContact, { maxLength: 40 }), (given, list) => {
        const { decided, dialled, next_ms, share } = passOver(given, list)
        const { numberPace, pace, usage, window } = given
        assert.isAtMost(dialled.length, Math.max(0, pace.max_concurrent_calls - pace.active_calls))
        if (pace.max_calls_per_minute !== null) {
          assert.isAtMost(dialled.length, Math.max(0, pace.max_calls_per_minute - pace.last_minute))
        }
        for (const { limit, used } of Object.values(usage)) assert.isAtMost(dialled.length, Math.max(0, limit - used))
        assert.isAtMost(dialled.length, numberPace.free)
        assert.strictEqual(new Set(dialled.map(({ phone_number }) => phone_number)).size, dialled.length)
        const inCall = new Set(list.filter(({ in_call }) => in_call).map(({ phone_number }) => phone_number))
        for (const { lacks_consent, phone_number, suppressed, zone } of dialled) {
          assert.isFalse(suppressed || lacks_consent)
          if (window !== null) assert.strictEqual(zone, "Europe/Berlin")
          assert.isFalse(window === null && inCall.has(phone_number))
        }
        assert.deepStrictEqual(
          decided.map((one) => one.contact),
          list.slice(0, decided.length),
        )
        assert.strictEqual(share.begun, dialled.length)
        if (next_ms !== null) assert.isAtLeast(next_ms, 0)
      }),
      { numRuns: 1_000 },
    )
  })

  it("no place is left while a contact could take it: the campaigns together begin all that the caps let begin", () => {
    fc.assert(
      fc.property(anyFacts, (given) => {
        const alone = { ...given, window: null, standings: [standing] }
        const list = Array.from({ length: 40 }, (_, at) => contact(at))
        const { numberPace, pace, usage } = alone
        const minute = pace.max_calls_per_minute ?? Infinity
        const limits = Object.values(usage).map(({ limit, used }) => limit - used)
        const places = Math.min(
          ...[pace.max_concurrent_calls - pace.active_calls, minute - pace.last_minute],
          ...[numberPace.free, ...limits],
        )
        assert.strictEqual(passOver(alone, list).dialled.length, Math.max(0, places))
      }),
      { numRuns: 500 },
    )
  })
})
