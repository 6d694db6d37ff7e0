/** When a number rests automatically: rarely by chance, and soon if its calls are no longer answered (decision 0084). */
import { assert, describe, it } from "@effect/vitest"
import { type Answers, isFalling, type NumberRestRule, windowDays } from "../../src/domain/NumberRest.ts"
import { dose } from "../support/Dose.ts"

/** A generator of numbers from 0 to 1 with a seed (mulberry32). */
const generator = (seed: number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

interface Pool {
  readonly numbers: number
  readonly callsPerDay: number
  /** The true answer rate of a number on a day. */
  readonly rateOf: (number: number, day: number) => number
  readonly days: number
}

/** Lives through the days of a pool and looks after every tenth call. Returns the day on which each number first rests. */
const firstRests = ({ callsPerDay, days, numbers, rateOf }: Pool, rule: NumberRestRule, random: () => number) => {
  const history = Array.from({ length: numbers }, () => [] as Array<{ rang: number; answered: number }>)
  const first = new Map<number, number>()
  for (let day = 0; day < days; day++) {
    for (const own of history) own.push({ rang: 0, answered: 0 })
    for (let call = 0; call < callsPerDay; call++) {
      for (const [number, own] of history.entries()) {
        const today = own.at(-1)
        if (today === undefined) continue
        today.rang++
        if (random() < rateOf(number, day)) today.answered++
      }
      if (call % 10 > 0) continue
      const sums = history.map((own) => sum(own.slice(-windowDays)))
      const all = sum(sums)
      for (const [number, own] of sums.entries()) {
        const others = { rang: all.rang - own.rang, answered: all.answered - own.answered }
        if (!first.has(number) && isFalling(own, others, rule)) first.set(number, day)
      }
    }
  }
  return first
}

const sum = (many: ReadonlyArray<Answers>): Answers =>
  many.reduce((all, { answered, rang }) => ({ rang: all.rang + rang, answered: all.answered + answered }), {
    rang: 0,
    answered: 0,
  })

describe("a number", () => {
  it.each([0.03, 0.1, 0.3, 0.6])(
    "that is as good as the others, of which %s answer, rests by chance less than once in 1,000 days",
    (rate) => {
      const random = generator(20_261_128)
      const pools = dose(60, 200, 4_000)
      const pool: Pool = { numbers: 5, callsPerDay: 40, days: 14, rateOf: () => rate }
      let rests = 0
      for (let run = 0; run < pools; run++) rests += firstRests(pool, {}, random).size
      assert.isBelow(rests, (pools * pool.numbers * pool.days) / 1_000)
    },
  )
  it("that only a third as many answer as before rests within a week, and the others do not", () => {
    const random = generator(7)
    const fallsOn = 7
    const rateOf = (number: number, day: number) => (number === 0 && day >= fallsOn ? 0.1 : 0.3)
    for (let run = 0; run < 20; run++) {
      const first = firstRests({ numbers: 4, callsPerDay: 100, days: 14, rateOf }, {}, random)
      assert.isAtLeast(first.get(0) ?? -1, fallsOn)
      assert.isBelow(first.get(0) ?? -1, fallsOn + windowDays)
      assert.strictEqual(first.size, 1)
    }
  })
  it("is compared only from the least number of calls on, of its own and of the others'", () => {
    const others = { rang: 1_000, answered: 400 }
    assert.isFalse(isFalling({ rang: 99, answered: 0 }, others, {}))
    assert.isTrue(isFalling({ rang: 100, answered: 0 }, others, {}))
    assert.isFalse(isFalling({ rang: 100, answered: 0 }, { rang: 99, answered: 90 }, {}))
    assert.isFalse(isFalling({ rang: 100, answered: 0 }, others, { min_calls: 101 }))
  })
  it("does not rest above the given share, however sure that its rate is lower", () => {
    const others = { rang: 100_000, answered: 50_000 }
    assert.isFalse(isFalling({ rang: 100_000, answered: 25_000 }, others, {}))
    assert.isTrue(isFalling({ rang: 100_000, answered: 24_900 }, others, {}))
    assert.isTrue(isFalling({ rang: 100_000, answered: 25_000 }, others, { below_percent: 60 }))
  })
  it("does not rest while no call of the others is answered", () => {
    assert.isFalse(isFalling({ rang: 500, answered: 0 }, { rang: 500, answered: 0 }, {}))
  })
})
