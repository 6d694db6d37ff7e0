/**
 * One answered call in the lab: a simulated party that listens, answers, interrupts and hangs up, in phone time. The
 * next event follows from the plan and from what is being said; one fiber waits for it, and for nothing else.
 */
import { Clock, Effect, type Fiber, Random } from "effect"
import * as Patience from "../../speech/Patience.ts"
import { wholeUtterances } from "../Manners.ts"
import type { Gone, Line, LineEvent, Piece } from "../Telephony.ts"
import { type Answer, farewell, type Party, spokenMs } from "./Personas.ts"

/** The party's next action and its time, in milliseconds since the answer. */
type Plan =
  | { readonly _tag: "Speaks"; readonly at: number; readonly text: string; readonly thenHangsUp: boolean }
  | { readonly _tag: "Beeps"; readonly at: number }
  | { readonly _tag: "HangsUp"; readonly at: number }

/** The party says hello after this; a thought before an answer takes a time in this range. */
const openingAfterMs = 300
const thinking = { least: 300, most: 900 }
const hangsUpAfterGoodbyeMs = 600
/** A party that talks over the agent begins after this much of its words; a line that breaks does so then. */
const bargesInAfterMs = 1_200
const dropsAfterMs = 900
/** How long a machine records. */
const machineRecordsMs = 60_000
const beepsAfterMs = 400
const transferMs = 1_500
const digitMs = 200

const saysGoodbye = (text: string) => /\bgood ?bye\b|\bbye\b/iu.test(text)

const planOf = ({ hangs_up, text }: Answer, at: number): Plan | null => {
  if (text !== null) return { _tag: "Speaks", at, text, thenHangsUp: hangs_up }
  return hangs_up ? { _tag: "HangsUp", at } : null
}

interface Sound {
  readonly piece: Piece
  readonly started_ms: number
  readonly length_ms: number
  /** Until it was last held. */
  readonly played_ms: number
  /** Null: it is held. */
  readonly since: number | null
}

interface Act {
  readonly at: number
  readonly run: () => void
}

export const make = Effect.fnUntraced(function* (party: Party, speed: number) {
  const clock = yield* Clock.Clock
  const random = yield* Random.Random
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const answeredAt = clock.currentTimeMillisUnsafe()
  const patience = yield* Patience.make
  /** The end of the last thing that happened: a clock of whole milliseconds, times `LAB_SPEED`, may read a little less. */
  let passed = 0
  /** The line's clock stops while the party is being computed: it is not silent meanwhile. */
  let stoodStillMs = 0
  let stillSince: number | null = null
  const now = () => {
    const real = (stillSince ?? clock.currentTimeMillisUnsafe()) - answeredAt - stoodStillMs
    return Math.max(passed, Math.round(real * speed))
  }

  /** Events from before a listener was attached. */
  const early: Array<LineEvent> = []
  let listener = (event: LineEvent): void => void early.push(event)
  const lines = [...(party.lines ?? [])]
  let plan: Plan | null =
    party.opening === null ? null : { _tag: "Speaks", at: openingAfterMs, text: party.opening, thenHangsUp: false }
  let speech: { readonly text: string; readonly at: number; readonly thenHangsUp: boolean } | null = null
  let gone = false
  const waiting: Array<Piece> = []
  let sound: Sound | null = null
  /** The agent's words since the party last reacted to them, and when they began. */
  let said: Array<string> = []
  let saidFrom: number | null = null
  let drainedAt = 0
  let yielded = false
  let interrupts: Answer["interrupts"] = null
  let thought: Fiber.Fiber<Answer> | null = null
  yield* Effect.addFinalizer(() => Effect.sync(() => thought?.interruptUnsafe()))

  const playedOf = ({ length_ms, played_ms, since }: Sound, at: number) =>
    Math.min(length_ms, played_ms + (since === null ? 0 : Math.max(0, at - since)))

  const freeze = (at: number) => {
    if (sound !== null) sound = { ...sound, played_ms: playedOf(sound, at), since: null }
  }

  const leave = (how: Gone, at: number) => {
    gone = true
    freeze(at)
    listener({ _tag: "Gone", how })
  }

  const begin = (at: number) => {
    const piece = waiting.shift()
    if (piece === undefined) return
    sound = { piece, started_ms: at, length_ms: spokenMs(piece.text), played_ms: 0, since: at }
    saidFrom ??= at
  }

  /** The party has heard all that the agent has to say. */
  const react = (at: number) => {
    if (!yielded || sound !== null || waiting.length > 0 || said.length === 0) return
    const text = said.join(" ")
    said = []
    saidFrom = null
    if (party.machine === true || party.lines === null || plan?._tag === "HangsUp") return
    const pause = Math.round(thinking.least + random.nextDoubleUnsafe() * (thinking.most - thinking.least))
    if (plan?._tag === "Speaks") plan = { ...plan, at: at + pause }
    else if (speech === null) answer(text, at + pause)
  }

  const answer = (text: string, at: number) => {
    if (interrupts !== null) {
      plan = { _tag: "Speaks", at, text: interrupts.text, thenHangsUp: false }
      interrupts = null
    } else if (party.answer === undefined) {
      plan = lineAfter(text, at)
    } else {
      const decide = (decision: Answer) => {
        interrupts = decision.interrupts
        plan = planOf(decision, at)
      }
      const thinking = run(party.answer(text))
      const exit = thinking.pollUnsafe()
      if (exit?._tag === "Success") return decide(exit.value)
      thought = thinking
      stillSince = clock.currentTimeMillisUnsafe()
      thinking.addObserver((exit) => {
        stoodStillMs += clock.currentTimeMillisUnsafe() - (stillSince ?? 0)
        stillSince = null
        if (exit._tag === "Success") decide(exit.value)
        patience.end()
      })
    }
  }

  const lineAfter = (text: string, at: number): Plan => {
    const line = saysGoodbye(text) ? undefined : lines.shift()
    return { _tag: "Speaks", at, text: line ?? farewell, thenHangsUp: line === undefined }
  }

  const startSpeech = (at: number, text: string, thenHangsUp: boolean) => {
    speech = { text, at, thenHangsUp }
    plan = null
    // A party that talks over the agent hears no more of it; the line stops at the first sound.
    if (sound?.piece.interruptible === true) freeze(at)
    listener({ _tag: "SpeechStarted", at })
  }

  const acts = (): ReadonlyArray<Act> => {
    const all: Array<Act> = []
    if (party.hangs_up_after_ms !== undefined) {
      const at = party.hangs_up_after_ms
      all.push({ at, run: () => leave("hung_up", at) })
    }
    if (speech !== null) {
      const { at: started_ms, text, thenHangsUp } = speech
      const ended_ms = started_ms + spokenMs(text)
      const run = () => {
        speech = null
        if (party.machine === true) plan = { _tag: "Beeps", at: ended_ms + beepsAfterMs }
        else if (thenHangsUp) plan = { _tag: "HangsUp", at: ended_ms + hangsUpAfterGoodbyeMs }
        listener({ _tag: "Utterance", text, started_ms, ended_ms })
      }
      all.push({ at: ended_ms, run })
    }
    if (plan !== null && speech === null) {
      const planned = plan
      const isHisTurn = planned._tag !== "Speaks" || (sound === null && waiting.length === 0)
      if (isHisTurn) all.push({ at: planned.at, run: () => act(planned) })
    }
    if (sound !== null && sound.since !== null) {
      const { length_ms, piece, played_ms, since, started_ms } = sound
      const at = since + length_ms - played_ms
      const run = () => {
        sound = null
        said.push(piece.text)
        drainedAt = at
        begin(at)
        react(at)
        // Last: a listener may answer before this returns.
        listener({ _tag: "Played", piece: piece.id, started_ms, ended_ms: at })
      }
      all.push({ at, run })
      const from = saidFrom ?? started_ms
      if (party.drops_mid_sentence === true) {
        const dropsAt = from + dropsAfterMs
        all.push({ at: dropsAt, run: () => leave("lost", dropsAt) })
      }
      if (piece.interruptible && speech === null) {
        if (party.barges_in === true && lines.length > 0) {
          const bargesAt = from + bargesInAfterMs
          all.push({ at: bargesAt, run: () => startSpeech(bargesAt, lines.shift() ?? farewell, false) })
        } else if (interrupts !== null) {
          const { after_ms, text } = interrupts
          const bargesAt = from + after_ms
          const run = () => {
            interrupts = null
            startSpeech(bargesAt, text, false)
          }
          all.push({ at: bargesAt, run })
        }
      }
    }
    return all
  }

  const act = (planned: Plan) => {
    plan = null
    if (planned._tag === "Speaks") return startSpeech(planned.at, planned.text, planned.thenHangsUp)
    if (planned._tag === "HangsUp") return leave("hung_up", planned.at)
    plan = { _tag: "HangsUp", at: planned.at + machineRecordsMs }
    listener({ _tag: "Beep" })
  }

  const nextAct = () =>
    gone ? null : acts().reduce<Act | null>((first, act) => (first === null || act.at < first.at ? act : first), null)

  /** Makes up for events that are overdue: a late process must not change their order. */
  const catchUp = (): number => {
    const at = now()
    for (let next = nextAct(); next !== null && next.at <= at; next = nextAct()) {
      passed = Math.max(passed, next.at)
      next.run()
    }
    return at
  }

  /** Milliseconds until the line's next event of its own. */
  const untilNext = () => {
    const at = catchUp()
    const next = nextAct()
    return gone ? 0 : next === null ? Infinity : Math.ceil((next.at - at) / speed)
  }
  const life = Effect.whileLoop({ while: () => !gone, body: () => patience.wait(untilNext), step: () => {} })

  /** Runs a change of the line, which also changes its next event. */
  const change = (change: (at: number) => void) =>
    Effect.sync(() => {
      const at = catchUp()
      if (!gone) change(at)
      patience.end()
    })

  yield* Effect.forkScoped(life)
  const line: Line = {
    speed,
    manners: wholeUtterances,
    moment: Effect.sync(() => {
      const at = catchUp()
      return {
        at,
        playing:
          sound === null
            ? null
            : {
                piece: sound.piece.id,
                started_ms: sound.started_ms,
                played_ms: playedOf(sound, at),
                length_ms: sound.length_ms,
              },
      }
    }),
    attach: (to) =>
      Effect.sync(() => {
        listener = to
        for (const event of early.splice(0)) to(event)
      }),
    play: (piece) =>
      change((at) => {
        waiting.push(piece)
        yielded = false
        if (sound === null) begin(at)
      }),
    yield: change(() => {
      yielded = true
      // The party heard it long before this report, and began to think then.
      react(drainedAt)
    }),
    hold: change(freeze),
    resume: change((at) => {
      if (sound?.since === null) sound = { ...sound, since: at }
    }),
    cut: change((at) => {
      waiting.length = 0
      if (sound !== null) drainedAt = at
      sound = null
      said = []
      saidFrom = null
    }),
    sendDigits: (digits) => Effect.sleep((digits.length * digitMs) / speed),
    transfer: () => Effect.as(Effect.sleep(transferMs / speed), true),
  }
  return line
})
