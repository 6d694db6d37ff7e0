/**
 * May this contact be dialled now, and if not, until when and why: each rule, their order, and what holds of all (I1,
 * I5, I7, I8, I11, I12).
 */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { orderAfter } from "../../src/domain/AdditionalNumbers.ts"
import type { CallingWindow } from "../../src/domain/CallingWindow.ts"
import { CampaignStatus } from "../../src/domain/Campaign.ts"
import { choose, type Circumstances, decide, type DialFacts, windowOf } from "../../src/domain/DialDecision.ts"

const now = new Date("2026-11-20T12:00:00.000Z")
const later = new Date("2026-11-20T12:05:00.000Z")
const hours: CallingWindow = {
  days: ["mon", "tue", "wed", "thu", "fri"],
  start: "09:00",
  end: "20:00",
  time_zone: "contact",
}

const contact: DialFacts = {
  phone_number: "+493012345601",
  attempts: 0,
  due_at: null,
  waits_for: null,
  suppressed: false,
  lacks_consent: false,
  quiet_until: null,
}
const circumstances: Circumstances<DialFacts> = {
  status: "running",
  window: null,
  zonesOf: () => ["Europe/Berlin"],
  inCall: () => false,
  now,
}
/** What may keep a number from being called. */
const states = { suppressed: fc.boolean(), lacks_consent: fc.boolean(), later: fc.boolean() }

const verdict = (facts: Partial<DialFacts> = {}, own: Partial<Circumstances<DialFacts>> = {}) =>
  decide({ ...circumstances, ...own })({ ...contact, ...facts })

describe("may a contact be dialled now", () => {
  it("yes, when nothing speaks against it", () => {
    assert.deepStrictEqual(verdict(), { _tag: "Dial" })
    assert.deepStrictEqual(verdict({ due_at: now, attempts: 1 }, { window: hours }), { _tag: "Dial" })
  })

  it.each([
    ["draft", { _tag: "Wait", reason: "not_running", until: null }],
    ["paused", { _tag: "Wait", reason: "not_running", until: null }],
    ["completed", { _tag: "Skip", reason: "stopped" }],
    ["failed", { _tag: "Skip", reason: "stopped" }],
  ] as const)("not of a %s campaign (I7, I8)", (status, expected) => {
    assert.deepStrictEqual(verdict({}, { status }), expected)
  })

  it("not before its time, for the reason that put it off (I5)", () => {
    for (const reason of ["retry_delay", "calling_window"] as const) {
      assert.deepStrictEqual(verdict({ due_at: later, waits_for: reason }), { _tag: "Wait", reason, until: later })
    }
  })

  it("never while its number is on the do-not-call list (I12)", () => {
    assert.deepStrictEqual(verdict({ suppressed: true }), { _tag: "Skip", reason: "do_not_call" })
    assert.deepStrictEqual(verdict({ lacks_consent: true }), { _tag: "Skip", reason: "no_consent" })
  })

  it("not outside its hours, but when they begin; never where its zone is unknown (I11)", () => {
    const night = new Date("2026-11-20T20:00:00.000Z")
    assert.deepStrictEqual(verdict({}, { window: hours, now: night }), {
      _tag: "Wait",
      reason: "calling_window",
      until: new Date("2026-11-23T08:00:00.000Z"),
    })
    assert.deepStrictEqual(verdict({}, { window: hours, zonesOf: () => [] }), {
      _tag: "Skip",
      reason: "outside_window",
    })
  })

  it("not while a call to its number lives, until that has ended (I1)", () => {
    assert.deepStrictEqual(verdict({}, { inCall: () => true }), { _tag: "Wait", reason: "in_call", until: null })
  })

  it("is not skipped for the list before its turn has come: the entry may have expired by then", () => {
    assert.strictEqual(verdict({ due_at: later, suppressed: true })._tag, "Wait")
  })

  it("goes by the campaign's own hours, and by the account's where it has none", () => {
    const own = { ...hours, start: "10:00" }
    assert.strictEqual(windowOf({ calling_window: own }, { calling_window: hours }), own)
    assert.strictEqual(windowOf({ calling_window: null }, { calling_window: hours }), hours)
    assert.isNull(windowOf({ calling_window: null }, { calling_window: null }))
  })
})

const zones = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"]
const moment = fc.date({
  min: new Date("2026-01-01T00:00:00Z"),
  max: new Date("2027-01-01T00:00:00Z"),
  noInvalidDate: true,
})
const facts: fc.Arbitrary<DialFacts> = fc.record({
  phone_number: fc.constantFrom("+14155550101", "+14155550102", "+14155550103"),
  attempts: fc.nat({ max: 11 }),
  due_at: fc.option(moment),
  waits_for: fc.constantFrom(null, "retry_delay" as const, "calling_window" as const),
  suppressed: fc.boolean(),
  lacks_consent: fc.boolean(),
  quiet_until: fc.option(moment),
})
const surroundings: fc.Arbitrary<Circumstances<DialFacts>> = fc.record({
  status: fc.constantFrom(...CampaignStatus.literals),
  window: fc.option(fc.constant(hours)),
  zonesOf: fc.subarray(zones).map((own) => () => own),
  inCall: fc.boolean().map((busy) => () => busy),
  now: moment,
})

describe("whatever the contact and the circumstances", () => {
  it("there is a verdict, and a dial breaks no rule", () => {
    fc.assert(
      fc.property(facts, surroundings, (own, around) => {
        const say = decide(around)(own)
        if (say._tag === "Wait") return assert.isTrue(say.until === null || say.until > around.now)
        if (say._tag === "Skip") return
        assert.strictEqual(around.status, "running")
        assert.isFalse(own.suppressed || own.lacks_consent || around.inCall(own.phone_number))
        assert.isTrue(own.due_at === null || own.due_at <= around.now)
        assert.isTrue(own.quiet_until === null || own.quiet_until <= around.now)
      }),
    )
  })

  it("who waits until a moment is not dialled before it, and waits then for another reason at most", () => {
    fc.assert(
      fc.property(facts, surroundings, fc.double({ min: 0, max: 1, noNaN: true }), (own, around, part) => {
        const say = decide(around)(own)
        if (say._tag !== "Wait" || say.until === null) return
        const between = around.now.getTime() + Math.floor((say.until.getTime() - around.now.getTime()) * part)
        const meanwhile = new Date(Math.min(between, say.until.getTime() - 1))
        assert.notStrictEqual(decide({ ...around, now: meanwhile })(own)._tag, "Dial")
        const then = decide({ ...around, now: say.until })(own)
        if (then._tag === "Wait")
          assert.notStrictEqual(then.reason, say.reason === "retry_delay" ? "retry_delay" : null)
      }),
    )
  })

  it("an entry on the list, a live call or a pause never makes a dial possible", () => {
    fc.assert(
      fc.property(facts, surroundings, (own, around) => {
        const worse = [
          decide(around)({ ...own, suppressed: true }),
          decide({ ...around, inCall: () => true })(own),
          decide({ ...around, status: "paused" })(own),
        ]
        for (const say of worse) assert.notStrictEqual(say._tag, "Dial")
      }),
    )
  })
})

describe("among those whose turn it is", () => {
  const offered = fc.array(facts, { maxLength: 20 })

  it("as many are dialled as there are places, in their order, and each number once (I1, I2)", () => {
    fc.assert(
      fc.property(offered, fc.nat({ max: 8 }), surroundings, (contacts, free, around) => {
        const decided = choose(contacts, free, around)
        const dialled = decided.filter(({ verdict }) => verdict._tag === "Dial").map(({ contact }) => contact)
        assert.isAtMost(dialled.length, free)
        assert.strictEqual(new Set(dialled.map(({ phone_number }) => phone_number)).size, dialled.length)
        assert.deepStrictEqual(
          decided.map(({ contact }) => contact),
          contacts.slice(0, decided.length),
        )
        // A contact is left undecided only if no place was free.
        assert.isTrue(decided.length === contacts.length || dialled.length === free)
      }),
    )
  })

  it("one more slot takes no slot away", () => {
    fc.assert(
      fc.property(offered, fc.nat({ max: 8 }), surroundings, (contacts, free, around) => {
        const fewer = choose(contacts, free, around)
        assert.deepStrictEqual(choose(contacts, free + 1, around).slice(0, fewer.length), fewer)
      }),
    )
  })
})

describe("of the numbers of a person (decision 0087)", () => {
  const person = fc
    .uniqueArray(fc.integer({ min: 10, max: 16 }), { minLength: 1, maxLength: 4 })
    .chain((numbers) => fc.tuple(...numbers.map((number) => fc.record({ number: fc.constant(number), ...states }))))
    .map((states) => {
      const lines = states.map(({ number }) => `+4930123456${number}`)
      return states.map(({ later: waits, ...state }, at): DialFacts => ({
        ...contact,
        ...state,
        phone_number: lines[at] ?? "",
        lines,
        quiet_until: waits ? later : null,
      }))
    })

  it("the first is called that may be, now or later; the contact is skipped if none may; two calls share no number (I1)", () => {
    fc.assert(
      fc.property(fc.array(person, { maxLength: 8 }), fc.nat({ max: 8 }), (persons, free) => {
        const others = new Map(persons.map(([first, ...rest]) => [first ?? contact, rest]))
        const offered = persons.map(([first]) => first ?? contact)
        const decided = choose(offered, free, { ...circumstances, othersOf: (one) => others.get(one) ?? [] })
        for (const [at, { contact: chosen, verdict }] of decided.entries()) {
          const open = (persons[at] ?? []).filter(({ lacks_consent, suppressed }) => !lacks_consent && !suppressed)
          assert.strictEqual(chosen, open[0] ?? persons[at]?.[0])
          assert.strictEqual(verdict._tag === "Skip", open.length === 0)
        }
        const dialled = decided.filter(({ verdict }) => verdict._tag === "Dial")
        const lines = dialled.flatMap(({ contact }) => contact.lines ?? [])
        assert.isAtMost(dialled.length, free)
        assert.strictEqual(new Set(lines).size, lines.length)
      }),
    )
  })

  it("the one after the last call comes next, and a callback goes to the phone on which it was asked for", () => {
    assert.deepStrictEqual(orderAfter(["a", "b", "c"], null, false), ["a", "b", "c"])
    assert.deepStrictEqual(orderAfter(["a", "b", "c"], "b", false), ["c", "a", "b"])
    assert.deepStrictEqual(orderAfter(["a", "b", "c"], "c", false), ["a", "b", "c"])
    assert.deepStrictEqual(orderAfter(["a", "b", "c"], "b", true), ["b", "c", "a"])
    assert.deepStrictEqual(orderAfter(["a", "b"], "corrected since", false), ["a", "b"])
  })
})
