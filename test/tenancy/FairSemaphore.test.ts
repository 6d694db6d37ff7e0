/** Places shared among accounts: histories of jobs in virtual time, checked at every change. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import * as FairSemaphore from "../../src/tenancy/FairSemaphore.ts"

interface Job {
  readonly account: string
  readonly arrivesAt: number
  readonly lasts: number
  /** It is interrupted this long after it arrived, wherever it stands then. */
  readonly interruptedAfter: number | undefined
}

/** What became of a job, in milliseconds of virtual time. */
interface Course extends Job {
  startedAt: number | undefined
  endedAt: number | undefined
  refused: boolean
}

/** Runs the jobs to their ends; `check` sees all courses at every change and once every millisecond. */
const run = Effect.fnUntraced(function* (
  limits: FairSemaphore.Limits,
  jobs: ReadonlyArray<Job>,
  check: (courses: ReadonlyArray<Course>, now: number) => void,
) {
  const { withPlace } = yield* FairSemaphore.make(limits)
  const began = yield* Clock.currentTimeMillis
  const now = Effect.map(Clock.currentTimeMillis, (millis) => millis - began)
  const courses = jobs.map((job): Course => ({ ...job, startedAt: undefined, endedAt: undefined, refused: false }))
  const one = (course: Course) => {
    const work = Effect.gen(function* () {
      course.startedAt = yield* now
      check(courses, course.startedAt)
      yield* Effect.sleep(course.lasts)
    })
    const inPlace = work.pipe(
      withPlace(course.account),
      Effect.catchTag("ShareFull", () => Effect.sync(() => void (course.refused = true))),
      Effect.ensuring(Effect.map(now, (at) => void (course.endedAt = at))),
    )
    const whole = Effect.timeoutOption(inPlace, course.interruptedAfter ?? Infinity)
    return Effect.delay(whole, course.arrivesAt)
  }
  const fibers = yield* Effect.forEach(courses, (course) => Effect.forkChild(one(course), { startImmediately: true }))
  for (let at = 0; courses.some(({ endedAt }) => endedAt === undefined) && at < 5_000; at++) {
    yield* TestClock.adjust(1)
    check(courses, yield* now)
  }
  for (const fiber of fibers) assert.isTrue(Exit.isSuccess(yield* Fiber.await(fiber)))
  return courses
})

const simulate = (...args: Parameters<typeof run>) =>
  Effect.runPromise(run(...args).pipe(Effect.provide(TestClock.layer()), Effect.scoped))

const isRunning = ({ endedAt, startedAt }: Course) => startedAt !== undefined && endedAt === undefined
const isWaiting = ({ arrivesAt, endedAt, startedAt }: Course, now: number) =>
  arrivesAt < now && startedAt === undefined && endedAt === undefined

const jobs = fc.array(
  fc.record({
    account: fc.constantFrom("a", "b", "c", "d"),
    arrivesAt: fc.integer({ min: 0, max: 20 }),
    lasts: fc.integer({ min: 1, max: 20 }),
    interruptedAfter: fc.option(fc.integer({ min: 1, max: 15 }), { nil: undefined, freq: 4 }),
  }),
  { maxLength: 40 },
)
const places = fc.integer({ min: 1, max: 9 })

const limitsOf = (places: number, waiting = 1_000): FairSemaphore.Limits => ({ what: "jobs", places, waiting })

describe("places of several accounts", () => {
  it("are never more than there are, and no account alone has more than half of them, rounded up", () =>
    fc.assert(
      fc.asyncProperty(places, jobs, async (places, jobs) => {
        await simulate(limitsOf(places), jobs, (courses) => {
          const running = courses.filter(isRunning)
          assert.isAtMost(running.length, places)
          for (const name of ["a", "b", "c", "d"]) {
            assert.isAtMost(running.filter(({ account }) => account === name).length, Math.ceil(places / 2))
          }
        })
      }),
      { numRuns: 60 },
    ))

  it("are not left free while an account without any waits, nor while one waits that holds fewer than are free", () =>
    fc.assert(
      fc.asyncProperty(places, jobs, async (places, jobs) => {
        await simulate(limitsOf(places), jobs, (courses, now) => {
          const running = courses.filter(isRunning)
          const free = places - running.length
          for (const { account } of courses.filter((course) => isWaiting(course, now))) {
            const held = running.filter((other) => other.account === account).length
            assert.isAtLeast(held, free, `${account} holds ${held} and waits while ${free} are free`)
          }
        })
      }),
      { numRuns: 60 },
    ))

  it("serve an account's jobs in the order of their arrival, and every job that is not interrupted", () =>
    fc.assert(
      fc.asyncProperty(places, jobs, async (places, jobs) => {
        const courses = await simulate(limitsOf(places), jobs, () => {})
        for (const course of courses) {
          if (course.interruptedAfter === undefined) assert.isDefined(course.startedAt)
          for (const other of courses) {
            if (other.account !== course.account || other.arrivesAt <= course.arrivesAt) continue
            if (course.startedAt === undefined || other.startedAt === undefined) continue
            assert.isAtMost(course.startedAt, other.startedAt)
          }
        }
      }),
      { numRuns: 60 },
    ))

  it("let an account that wants one at a time begin at once, whatever one other account has waiting", () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 9 }),
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 20, maxLength: 60 }),
        fc.integer({ min: 0, max: 40 }),
        async (places, flood, arrivesAt) => {
          const common = { interruptedAfter: undefined }
          const courses = await simulate(
            limitsOf(places),
            [
              ...flood.map((lasts) => ({ ...common, account: "flood", arrivesAt: 0, lasts })),
              { ...common, account: "victim", arrivesAt, lasts: 1 },
            ],
            () => {},
          )
          assert.strictEqual(courses.at(-1)?.startedAt, arrivesAt)
        },
      ),
      { numRuns: 60 },
    ))

  it("converge to equal shares when several accounts want everything", () =>
    fc.assert(
      fc.asyncProperty(fc.integer({ min: 4, max: 9 }), async (places) => {
        const jobs = ["a", "b", "c"].flatMap((account, at) =>
          Array.from({ length: 60 }, () => ({ account, arrivesAt: at * 5, lasts: 3, interruptedAfter: undefined })),
        )
        await simulate(limitsOf(places), jobs, (courses, now) => {
          if (now !== 40) return
          const held = ["a", "b", "c"].map(
            (name) => courses.filter((course) => course.account === name && isRunning(course)).length,
          )
          assert.isAtMost(Math.max(...held) - Math.min(...held), 1)
        })
      }),
      { numRuns: 12 },
    ))
})

describe("an account's queue", () => {
  it.effect("is bounded: one job more is refused at once with the reason, and another account's is not", () =>
    Effect.gen(function* () {
      const { withPlace } = yield* FairSemaphore.make({ what: "python tools", places: 2, waiting: 3 })
      const begun: Array<string> = []
      const gate = yield* Deferred.make<void>()
      const job = (account: string) =>
        Effect.sync(() => begun.push(account)).pipe(Effect.andThen(Deferred.await(gate)), withPlace(account))
      const flood = yield* Effect.forEach([1, 2, 3, 4], () => Effect.forkChild(job("a"), { startImmediately: true }))
      const refusal = yield* Effect.flip(job("a"))
      assert.strictEqual(refusal._tag, "ShareFull")
      assert.strictEqual(
        refusal.message,
        "3 python tools of this account are waiting already. Try again when some of them have ended.",
      )
      const other = yield* Effect.forkChild(job("b"), { startImmediately: true })
      assert.deepStrictEqual(begun, ["a", "b"])
      yield* Deferred.succeed(gate, undefined)
      for (const fiber of [...flood, other]) yield* Fiber.join(fiber)
      assert.deepStrictEqual(begun, ["a", "b", "a", "a", "a"])
    }),
  )

  it.effect("has room again for each that is interrupted while it waits", () =>
    Effect.gen(function* () {
      const { withPlace } = yield* FairSemaphore.make(limitsOf(1, 1))
      yield* Effect.forkChild(withPlace("a")(Effect.never), { startImmediately: true })
      for (let time = 0; time < 100; time++) {
        const waiting = yield* Effect.forkChild(withPlace("a")(Effect.never), { startImmediately: true })
        assert.isUndefined(waiting.pollUnsafe())
        yield* Fiber.interrupt(waiting)
      }
    }),
  )

  it.effect("of ten thousand short jobs is served without growing the stack", () =>
    Effect.gen(function* () {
      const { withPlace } = yield* FairSemaphore.make(limitsOf(1, 10_000))
      const gate = yield* Deferred.make<void>()
      const first = yield* Effect.forkChild(withPlace("a")(Deferred.await(gate)), { startImmediately: true })
      let done = 0
      const job = withPlace("a")(Effect.sync(() => void done++))
      const waiting = yield* Effect.replicateEffect(Effect.forkChild(job, { startImmediately: true }), 10_000)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(first)
      yield* Fiber.awaitAll(waiting)
      assert.strictEqual(done, 10_000)
    }),
  )
})
