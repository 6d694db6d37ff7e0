/** Actions that let time pass or change the whole account: caps, hours, the do-not-call list. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import * as Suppressions from "../../src/catalog/Suppressions.ts"
import { E164 } from "../../src/domain/E164.ts"
import { dayAt } from "./Calendar.ts"
import * as Lists from "./Lists.ts"
import type { Action } from "./Step.ts"
import type { Truth } from "./Truth.ts"
import { moveClock } from "./VirtualTime.ts"
import { setCaps } from "./World.ts"

export const passTo = Effect.fnUntraced(function* (truth: Truth, at: number) {
  const later = Math.max(at, truth.now)
  yield* moveClock(later)
  yield* TestClock.setTime(later)
  truth.now = later
})

const after = [1, 999, 1_000, 5_000, 31_000, 59_999, 60_000, 61_000, 600_000, 3_600_000, 6 * 3_600_000, 25 * 3_600_000]
const milestones = ["retry", "minute", "midnight", "schedule"] as const

const next = (truth: Truth, milestone: (typeof milestones)[number]): number => {
  const { campaigns, now } = truth
  const moments = {
    retry: () => campaigns.flatMap(({ contacts }) => [...contacts.values()].map(({ not_before }) => not_before ?? 0)),
    minute: () => [...truth.attempts.values()].map(({ begun }) => Math.ceil(begun) + 60_000),
    schedule: () => campaigns.map(({ settings }) => settings.scheduled_at ?? 0),
    midnight: () => [midnight(truth)],
  }[milestone]()
  return Math.min(...moments.filter((moment) => moment > now), now + 86_400_000)
}

/** The next midnight in the account's zone, to the minute. */
const midnight = ({ now, zone }: Truth): number => {
  const minute = 60_000
  const today = dayAt(zone, now)
  let [low, high] = [Math.floor(now / minute), Math.floor(now / minute) + 25 * 60]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (dayAt(zone, middle * minute) === today) low = middle
    else high = middle
  }
  return high * minute
}

/** Moves the clock to a moment at which something may change, or to the millisecond before it. */
export const tickToLimit: fc.Arbitrary<Action> = fc
  .tuple(fc.constantFrom(...milestones), fc.constantFrom(0, 0, 1))
  .map(([milestone, before]) => ({
    text: `time passes to ${before} ms before the next ${milestone}`,
    can: () => true,
    quiet: true,
    act: (truth) => passTo(truth, next(truth, milestone) - before),
  }))

export const tick: fc.Arbitrary<Action> = fc.constantFrom(...after).map((step) => ({
  text: `${step} ms pass`,
  can: () => true,
  quiet: true,
  act: (truth) => passTo(truth, truth.now + step),
}))

export const caps: fc.Arbitrary<Action> = Lists.caps.map((caps) => ({
  text: `the account's caps become ${JSON.stringify(caps)}`,
  can: () => true,
  act: (truth) => Effect.map(setCaps(caps), () => void (truth.caps = caps)),
}))

const number = fc.nat({ max: Lists.people.length - 1 }).map((at) => Lists.people[at]?.number ?? "")

export const suppress: fc.Arbitrary<Action> = fc
  .tuple(number, fc.constantFrom(null, null, 1, 60, 86_400))
  .map(([phone, seconds]) => ({
    text: `${phone} is on the do-not-call list for ${seconds ?? "all"} seconds`,
    can: () => true,
    act: (truth) => {
      const until = seconds === null ? Number.POSITIVE_INFINITY : truth.now + seconds * 1_000
      const expires_at = seconds === null ? null : new Date(until)
      return Effect.map(Suppressions.add({ phone_number: E164.make(phone), source: "api", expires_at }), () => {
        truth.suppressions.set(phone, until)
      })
    },
  }))

export const forget: fc.Arbitrary<Action> = number.map((phone) => ({
  text: `${phone} is taken off the do-not-call list`,
  can: ({ suppressions }) => suppressions.has(phone),
  act: (truth) =>
    Suppressions.remove(phone).pipe(
      Effect.catchTag("NotFound", () => Effect.void),
      Effect.map(() => truth.suppressions.delete(phone)),
    ),
}))
