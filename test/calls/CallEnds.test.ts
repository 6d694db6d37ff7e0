/** The end of a call: within eight seconds, whatever hangs in it, and its line is given back exactly once. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Fiber, Layer, Random, References, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { AgentKit } from "../../src/catalog/AgentKit.ts"
import { Brain, type Word } from "../../src/brain/Brain.ts"
import * as Brains from "../../src/brain/Brains.ts"
import type { CallRecord } from "../../src/conversation/CallRecord.ts"
import * as CallSession from "../../src/calls/live/CallSession.ts"
import * as LabLine from "../../src/telephony/lab/LabLine.ts"
import type { Party } from "../../src/telephony/lab/Personas.ts"
import { type Line, type LineEvent, Telephony } from "../../src/telephony/Telephony.ts"
import { kit as kitOf, tool } from "../support/Kit.ts"
import { sessionTo } from "../support/Sessions.ts"

/** Never ends, and cannot be interrupted. */
const hangs = Effect.uninterruptible(Effect.never)
const says = (text: string): Word => ({ _tag: "Say", text })
const calls = (name: string): Word => ({ _tag: "ToolCall", call: { name, arguments: {} } })
const party: Party = { opening: "Hello?", lines: Array.from({ length: 50 }, (_, at) => `And then, what about ${at}?`) }
const kit = kitOf(
  { silence_timeout_seconds: 120 },
  { tools: [tool("slow", { is_default: false }), tool("add_to_do_not_call")] },
)

interface Parts {
  readonly agent?: AgentKit["agent"]
  readonly brain?: Brain["Service"]["reply"]
  readonly session?: Partial<CallSession.Session>
  readonly change?: (line: Line) => Line
  /** Run when the line is hung up. */
  readonly released?: Effect.Effect<void>
  readonly party?: Party
}

/** A call on a line of its own; the clock is the test's. */
const call = ({
  agent = kit.agent,
  brain,
  change = (line) => line,
  party: other = party,
  released = Effect.void,
  session = {},
}: Parts) => {
  const telephony = Layer.succeed(Telephony, {
    dials: () => true,
    obstacleOf: () => null,
    outlives: () => false,
    rejoins: () => false,
    rejoin: () => Effect.succeed(null),
    close: () => Effect.die("not here"),
    dial: () =>
      Effect.gen(function* () {
        yield* Effect.addFinalizer(() => released)
        yield* Effect.sleep("2 seconds")
        return change(yield* LabLine.make(other, 1))
      }),
  })
  const brains = brain === undefined ? Brains.layer : Layer.succeed(Brain, { reply: brain })
  const made = sessionTo("+14155550101", { ...kit, agent }, session)
  return { session: made, run: CallSession.run(made).pipe(Effect.provide(Layer.merge(telephony, brains))) }
}

/** Milliseconds of the test clock until it is over. */
const until = Effect.fnUntraced(function* <A, E>(fiber: Fiber.Fiber<A, E>) {
  const began = yield* Clock.currentTimeMillis
  while (fiber.pollUnsafe() === undefined) yield* TestClock.adjust("100 millis")
  return (yield* Clock.currentTimeMillis) - began
})

describe("a called person who presses the key against further calls", () => {
  const agent = { ...kit.agent, disclosure: "This is an automated call.", opt_out_key: "9" }

  it.effect("is told of the key, is put on the list before the goodbye, and the call shows the opt-out", () =>
    Effect.gen(function* () {
      let tell: (event: LineEvent) => void = () => {}
      const isConfirmed = ({ transcript }: CallRecord) =>
        transcript.some(({ text }) => text.includes("We will not call you again."))
      const confirmedAtWrite: Array<boolean> = []
      const { run, session } = call({
        agent,
        session: {
          inTenant: () =>
            Effect.andThen(
              Effect.sync(() => void confirmedAtWrite.push(isConfirmed(session.record))),
              Effect.die("no database here"),
            ),
        },
        change: (line) => ({
          ...line,
          hearsKeys: true,
          attach: (listener) => {
            tell = listener
            return line.attach(listener)
          },
        }),
      })
      const running = yield* Effect.forkChild(run, { startImmediately: true })
      yield* TestClock.adjust("14 seconds")
      tell({ _tag: "Key", digit: "9" })
      yield* until(running)
      assert.strictEqual((yield* Fiber.join(running)).end_reason, "opted_out")
      const { disclosure, opt_out, transcript } = session.record
      assert.strictEqual(opt_out?.by, "key")
      assert.strictEqual(disclosure?.heard_ratio, 1)
      const opening = "This is an automated call. If you do not want us to call you again, press 9."
      assert.strictEqual(transcript.find(({ role }) => role === "agent")?.text, opening)
      assert.deepStrictEqual(confirmedAtWrite, [false])
      assert.isTrue(isConfirmed(session.record))
    }).pipe(Effect.provideService(References.MinimumLogLevel, "Fatal")),
  )

  it.effect("hears of no key on a line that reports no keys", () =>
    Effect.gen(function* () {
      const { run, session } = call({ agent })
      const running = yield* Effect.forkChild(run, { startImmediately: true })
      yield* TestClock.adjust("14 seconds")
      yield* Deferred.succeed(session.hangUp, undefined)
      yield* until(running)
      const said = session.record.transcript.find(({ role }) => role === "agent")?.text
      assert.strictEqual(said, "This is an automated call.")
    }),
  )
})

describe("a call is over within eight seconds of its end, even if", () => {
  const cases: Record<string, Parts> = {
    "the brain hangs": { brain: () => Stream.fromEffect(hangs) },
    "the brain hangs in the middle of a sentence": {
      brain: () => Stream.concat(Stream.succeed(says("Well, you see.")), Stream.fromEffect(hangs)),
    },
    "a tool hangs": { brain: () => Stream.succeed(calls("slow")), session: { inTenant: () => hangs } },
    "the database hangs": {
      party: { ...party, lines: ["Please never call me again."] },
      session: { inTenant: () => hangs },
    },
    "the carrier hangs": { released: hangs },
    "the line hangs": { change: (line) => ({ ...line, cut: hangs }) },
    "everything hangs": {
      brain: () => Stream.make(says("Well, you see."), calls("slow")),
      session: { inTenant: () => hangs },
      released: hangs,
      change: (line) => ({ ...line, cut: hangs }),
    },
  }
  for (const [what, parts] of Object.entries(cases)) {
    it.effect(what, () =>
      Effect.gen(function* () {
        const { run, session } = call(parts)
        const running = yield* Effect.forkChild(run, { startImmediately: true })
        yield* TestClock.adjust("9 seconds")
        assert.isUndefined(running.pollUnsafe())
        yield* Deferred.succeed(session.hangUp, undefined)
        assert.isAtMost(yield* until(running), 8_000)
        assert.strictEqual((yield* Fiber.join(running)).end_reason, "hung_up")
      }).pipe(Effect.provideService(References.MinimumLogLevel, "Fatal")),
    )
  }

  it.effect("a tool that hangs has one record, which says why there is no result", () =>
    Effect.gen(function* () {
      const { run, session } = call({ brain: () => Stream.succeed(calls("slow")), session: { inTenant: () => hangs } })
      const running = yield* Effect.forkChild(run, { startImmediately: true })
      yield* TestClock.adjust("9 seconds")
      yield* Deferred.succeed(session.hangUp, undefined)
      yield* until(running)
      const { tool_invocations, transcript } = session.record
      assert.deepStrictEqual(
        tool_invocations.map(({ error, tool_name }) => [tool_name, error?.code]),
        [["slow", "cancelled"]],
      )
      assert.strictEqual(transcript.filter(({ role }) => role === "tool").length, 1)
    }).pipe(Effect.provideService(References.MinimumLogLevel, "Fatal")),
  )
})

describe("a call with random events and a random end", () => {
  it.effect(
    "ends once, its line is hung up once, and each of its tools has one record (1,000 seeds)",
    () =>
      Effect.gen(function* () {
        for (let seed = 0; seed < 1_000; seed++) yield* Random.withSeed(one(seed), String(seed))
      }).pipe(Effect.provideService(References.MinimumLogLevel, "Fatal")),
    180_000,
  )

  const one = (seed: number) =>
    Effect.gen(function* () {
      const chance = (of: number) => Effect.map(Random.nextBetween(0, of), Math.floor)
      const delay = Effect.flatMap(Random.nextBetween(0, 3_000), (ms) => Effect.sleep(ms))
      const random = yield* Random.Random
      const pick = <A>(list: ReadonlyArray<A>): A => list[Math.floor(random.nextDoubleUnsafe() * list.length)] as A
      const brain: Parts["brain"] = () =>
        Stream.unwrap(
          Effect.as(
            delay,
            pick<Stream.Stream<Word>>([
              Stream.make(says("One is here. Two is there."), says("Three is nowhere.")),
              Stream.make(says("Let me look."), calls("slow"), calls("unknown")),
              Stream.make(calls("slow")),
              Stream.make(says("Thank you for your time. Goodbye."), { _tag: "Farewell" }),
              Stream.empty,
              Stream.die("broken"),
              Stream.fromEffect(Effect.interrupt),
              Stream.never,
            ]),
          ),
        )
      let released = 0
      let begun = 0
      const { run, session } = call({
        brain,
        party: { ...party, barges_in: pick([true, false]), drops_mid_sentence: pick([true, false, false]) },
        released: Effect.sync(() => void released++),
        session: {
          inTenant: () =>
            Effect.andThen(
              Effect.sync(() => void begun++),
              Effect.andThen(delay, pick([Effect.die("away"), Effect.never])),
            ),
        },
      })
      let ends = 0
      const running = yield* run.pipe(
        Effect.tap(() => Effect.sync(() => void ends++)),
        Effect.forkChild({ startImmediately: true }),
      )
      const moment = yield* chance(40_000)
      yield* TestClock.adjust(moment)
      const way = seed % 3
      if (way === 0) yield* Deferred.succeed(session.hangUp, undefined)
      if (way === 1) running.interruptUnsafe()
      // The third goes on to its own end.
      yield* TestClock.adjust("20 minutes")
      const exit = yield* Fiber.await(running)
      assert.strictEqual(released, 1, `seed ${seed}`)
      assert.strictEqual(Exit.isSuccess(exit), ends === 1, `seed ${seed}`)
      assert.isTrue(Exit.isSuccess(exit) || way === 1, `seed ${seed}`)
      const { tool_invocations, transcript } = session.record
      assert.strictEqual(new Set(tool_invocations.map(({ id }) => id)).size, tool_invocations.length)
      assert.strictEqual(tool_invocations.length, begun, `seed ${seed}: one record for each tool that was begun`)
      assert.strictEqual(transcript.filter(({ role }) => role === "tool").length, tool_invocations.length)
    })
})
