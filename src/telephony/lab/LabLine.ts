/**
 * One answered call in the lab, in phone time: the agent's words, and a simulated party that hears them. A single fiber
 * waits for the next event.
 */
import { Clock, Effect, type Fiber, Random } from "effect"
import * as Patience from "../../speech/Patience.ts"
import { wholeUtterances } from "../Manners.ts"
import type { Line, LineEvent } from "../Telephony.ts"
import { LabClock } from "./LabClock.ts"
import { LabParty, type Surroundings } from "./LabParty.ts"
import { LabSpeech } from "./LabSpeech.ts"
import type { Party } from "./Personas.ts"

const transferMs = 1_500
const digitMs = 200

/**
 * Computes the party's answers. The line's clock stops meanwhile, so that the time to compute does not count as the
 * party's silence.
 */
const makeThink = Effect.fnUntraced(function* (clock: LabClock, patience: Patience.Patience) {
  const run = Effect.runForkWith(yield* Effect.context<never>())
  let thought: Fiber.Fiber<unknown> | null = null
  yield* Effect.addFinalizer(() => Effect.sync(() => thought?.interruptUnsafe()))
  const think: Surroundings["think"] = (choose, heard, decide) => {
    const choice = run(choose(heard))
    const exit = choice.pollUnsafe()
    if (exit?._tag === "Success") return decide(exit.value)
    thought = choice
    clock.stop()
    choice.addObserver((exit) => {
      clock.start()
      if (exit._tag === "Success") decide(exit.value)
      patience.end()
    })
  }
  return think
})

/** Runs all overdue events in order, even if the process is late. Returns the time. */
const catchUp = (party: LabParty, clock: LabClock): number => {
  const at = clock.now()
  for (let act = party.next(); act !== null && act.at <= at; act = party.next()) {
    clock.reach(act.at)
    act.run()
  }
  return at
}

export const make = Effect.fnUntraced(function* (person: Party, speed: number) {
  const random = yield* Random.Random
  const clock = new LabClock(yield* Clock.Clock, speed)
  const patience = yield* Patience.make
  const speech = new LabSpeech()
  /** Events from before a listener was attached. */
  const early: Array<LineEvent> = []
  let listener = (event: LineEvent): void => void early.push(event)
  const party = new LabParty(person, {
    speech,
    tell: (event) => listener(event),
    random: () => random.nextDoubleUnsafe(),
    think: yield* makeThink(clock, patience),
  })

  const untilNext = () => {
    const at = catchUp(party, clock)
    const next = party.next()
    return party.isGone ? 0 : next === null ? Infinity : Math.ceil((next.at - at) / speed)
  }
  yield* Effect.forkScoped(
    Effect.whileLoop({ while: () => !party.isGone, body: () => patience.wait(untilNext), step: () => {} }),
  )

  /** Changes the line's state, and then its next event. */
  const change = (change: (at: number) => void) =>
    Effect.sync(() => {
      const at = catchUp(party, clock)
      if (!party.isGone) change(at)
      patience.end()
    })

  const line: Line = {
    speed,
    manners: wholeUtterances,
    sound: null,
    moment: Effect.sync(() => {
      const at = catchUp(party, clock)
      return { at, playing: speech.positionAt(at) }
    }),
    attach: (to) =>
      Effect.sync(() => {
        listener = to
        for (const event of early.splice(0)) to(event)
      }),
    play: (piece) => change((at) => speech.add(piece, at)),
    yield: change(() => {
      speech.complete()
      party.react()
    }),
    hold: change((at) => speech.hold(at)),
    resume: change((at) => speech.resume(at)),
    cut: change((at) => speech.cut(at)),
    sendDigits: (digits) => Effect.sleep((digits.length * digitMs) / speed),
    transfer: () => Effect.as(Effect.sleep(transferMs / speed), true),
  }
  return line
})
