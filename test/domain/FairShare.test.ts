/** Which campaigns get the places that an account's caps leave, if they want more. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { type Claimant, grant, serve, share, type Standing, roundAt } from "../../src/domain/FairShare.ts"

const claimant = (id: string, change: Partial<Claimant> = {}): Claimant => ({
  id,
  weight: 1,
  wants: 100,
  round: 0,
  ...change,
})
const grants = (places: number, ...claimants: ReadonlyArray<Claimant>) => Object.fromEntries(share(places, claimants))

describe("scarce places", () => {
  it("are halved between two alike", () => {
    assert.deepStrictEqual(grants(10, claimant("a"), claimant("b")), { a: 5, b: 5 })
  })
  it("go in proportion to max_concurrent_calls", () => {
    assert.deepStrictEqual(grants(12, claimant("a", { weight: 1 }), claimant("b", { weight: 3 })), { a: 3, b: 9 })
  })
  it("that one does not want are the other's", () => {
    assert.deepStrictEqual(grants(10, claimant("a", { wants: 2 }), claimant("b")), { a: 2, b: 8 })
  })
  it("go to the campaign with the lowest round", () => {
    assert.deepStrictEqual(grants(3, claimant("a", { round: 3 }), claimant("b")), { a: 0, b: 3 })
  })

  const claimants = fc
    .array(
      fc.record({
        weight: fc.integer({ min: 1, max: 50 }),
        wants: fc.integer({ min: 0, max: 60 }),
        round: fc.double({ min: 0, max: 5, noNaN: true }),
      }),
      { maxLength: 6 },
    )
    .map((list) => list.map((one, at) => ({ ...one, id: `c${at}` })))
  const places = fc.integer({ min: 0, max: 150 })

  it("are never more than there are, nor more than each claimant wants, and none is left that a claimant wants", () => {
    fc.assert(
      fc.property(places, claimants, (places, claimants) => {
        const granted = share(places, claimants)
        const sum = [...granted.values()].reduce((a, b) => a + b, 0)
        const wanted = claimants.reduce((a, { wants }) => a + wants, 0)
        assert.strictEqual(sum, Math.min(places, wanted))
        for (const { id, wants } of claimants) assert.isAtMost(granted.get(id) ?? 0, wants)
      }),
    )
  })

  it("are the same in whatever order the claimants stand", () => {
    fc.assert(
      fc.property(places, claimants, (places, claimants) => {
        const forwards = share(places, claimants)
        const backwards = share(places, claimants.toReversed())
        for (const { id } of claimants) assert.strictEqual(forwards.get(id), backwards.get(id))
      }),
    )
  })

  it("given out one after another or all at once are the same", () => {
    fc.assert(
      fc.property(places, claimants, (places, claimants) => {
        const atOnce = share(places, claimants)
        const one = new Map<string, number>()
        let now: ReadonlyArray<Claimant> = claimants
        for (let place = 0; place < places; place++) {
          const step = share(1, now)
          now = now.map((each) => {
            const got = step.get(each.id) ?? 0
            one.set(each.id, (one.get(each.id) ?? 0) + got)
            return { ...each, wants: each.wants - got, round: serve(each.round, each.weight, got).round }
          })
        }
        for (const { id } of claimants) assert.strictEqual(one.get(id) ?? 0, atOnce.get(id))
      }),
    )
  })
})

describe("over time", () => {
  /** Rounds of a few places among campaigns that always want more, some of which come and go. */
  const history = (
    rounds: ReadonlyArray<number>,
    weights: ReadonlyArray<number>,
    away: (id: number, round: number) => boolean,
  ) => {
    let present = 0
    const ownRounds = weights.map(() => 0)
    const got = weights.map(() => 0)
    const waits = weights.map(() => 0)
    let longest = 0
    rounds.forEach((places, round) => {
      const here = weights.flatMap((weight, at) => {
        if (away(at, round)) return []
        ownRounds[at] = roundAt(ownRounds[at] ?? 0, present)
        return [{ id: String(at), weight, wants: 1_000, round: ownRounds[at] ?? 0 }]
      })
      for (const [id, calls] of share(places, here)) {
        const at = Number(id)
        const weight = weights[at] ?? 1
        waits[at] = calls > 0 ? 0 : (waits[at] ?? 0) + places
        longest = Math.max(longest, (waits[at] ?? 0) * weight)
        if (calls === 0) continue
        const after = serve(ownRounds[at] ?? 0, weight, calls)
        ownRounds[at] = after.round
        present = Math.max(present, after.present)
        got[at] = (got[at] ?? 0) + calls
      }
    })
    return { got, longest }
  }
  const weights = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 2, maxLength: 5 })
  const rounds = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 300, maxLength: 400 })

  it("each campaign gets what its weight says, give or take a call", () => {
    fc.assert(
      fc.property(rounds, weights, (rounds, weights) => {
        const { got } = history(rounds, weights, () => false)
        const places = rounds.reduce((a, b) => a + b, 0)
        const all = weights.reduce((a, b) => a + b, 0)
        weights.forEach((weight, at) => assert.approximately(got[at] ?? 0, (places * weight) / all, weights.length))
      }),
    )
  })
  it("no claimant waits longer than one round of all, also when others come and go", () => {
    fc.assert(
      fc.property(rounds, weights, fc.integer({ min: 2, max: 30 }), (rounds, weights, rhythm) => {
        const all = weights.reduce((a, b) => a + b, 0)
        const { longest } = history(rounds, weights, (at, round) => at > 0 && Math.floor(round / rhythm) % 2 === at % 2)
        // A claimant of weight w gets a place within all / w places; those of others who join, and one round, are over it.
        assert.isAtMost(longest, all + 20 * (weights.length + 5))
      }),
    )
  })
  it("one that was away has saved up nothing", () => {
    const { got } = history(
      Array.from({ length: 200 }, () => 1),
      [1, 1],
      (at, round) => at === 1 && round < 100,
    )
    assert.deepStrictEqual(got, [150, 50])
  })
})

describe("what a campaign is granted among the running ones", () => {
  const standing = (id: string, change: Partial<Standing> = {}): Standing => ({
    id,
    phone_number_id: "n",
    weight: 1,
    wants: 0,
    wants_of_number: 0,
    next_round: 0,
    last_round: 0,
    ...change,
  })
  const unpaced = (calls: number) => ({ id: "a", calls, number_places: Infinity })

  it("is everything when there is no other claimant", () => {
    assert.include(grant(unpaced(10), 8, [standing("a"), standing("b")]), { by_caps: 8, by_number: 10 })
  })
  it("is its share when others wait", () => {
    assert.strictEqual(grant(unpaced(10), 8, [standing("a"), standing("b", { wants: 9 })]).by_caps, 4)
  })
  it("begins at the present round after it wanted nothing, and keeps its round while it waits", () => {
    const others = [standing("b", { wants: 9, next_round: 7, last_round: 6 })]
    assert.strictEqual(grant(unpaced(5), 8, [standing("a", { next_round: 2 }), ...others]).round, 6)
    assert.strictEqual(grant(unpaced(5), 8, [standing("a", { next_round: 2, wants: 5 }), ...others]).round, 2)
  })
  it("of a number's pace is shared with those that dial from the same number alone", () => {
    const wish = { id: "a", calls: 5, number_places: 1 }
    const own = standing("a", { next_round: 1, wants: 1 })
    const same = standing("b", { wants_of_number: 3 })
    assert.strictEqual(grant(wish, 50, [own, same]).by_number, 0)
    assert.strictEqual(grant(wish, 50, [own, { ...same, phone_number_id: "other" }]).by_number, 1)
  })
  it("never leaves all of them waiting: the campaign with the lowest round is granted a place", () => {
    const standings = fc.array(
      fc.record({
        weight: fc.integer({ min: 1, max: 9 }),
        wants: fc.integer({ min: 1, max: 9 }),
        next_round: fc.double({ min: 0, max: 9, noNaN: true }),
        last_round: fc.double({ min: 0, max: 9, noNaN: true }),
      }),
      { minLength: 1, maxLength: 6 },
    )
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), standings, (places, fields) => {
        const all = fields.map((each, at) => standing(String(at), each))
        const granted = all.map(
          ({ id, wants }) => grant({ id, calls: wants, number_places: Infinity }, places, all).by_caps,
        )
        const sum = granted.reduce((a, b) => a + b, 0)
        const wanted = all.reduce((a, { wants }) => a + wants, 0)
        assert.strictEqual(sum, Math.min(places, wanted))
      }),
    )
  })
})
