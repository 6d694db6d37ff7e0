/** One answered call in the lab: a party that listens, answers, interrupts and hangs up, in phone time. */
import { Clock, Effect, Random } from "effect"
import type { Gone, Heard, Line, Said } from "../Telephony.ts"
import { farewell, heardWithin, type Party, spokenMs } from "./Personas.ts"

/** What the party does next, and when, in milliseconds since the answer. */
type Plan =
  | { readonly _tag: "Speaks"; readonly at: number; readonly text: string; readonly thenHangsUp: boolean }
  | { readonly _tag: "Beeps"; readonly at: number }
  | { readonly _tag: "HangsUp"; readonly at: number }

/** Somebody who takes the phone up says hello after this; a thought before an answer takes between these. */
const openingAfterMs = 300
const thinking = { least: 300, most: 900 }
const hangsUpAfterGoodbyeMs = 600
/** One who talks over the agent begins after this much of its sentence; a line that breaks does so then. */
const bargesInAfterMs = 1_200
const dropsAfterMs = 900
/** How long a machine records. */
const machineRecordsMs = 60_000
const transferMs = 1_500
const digitMs = 200

const saysGoodbye = (text: string) => /\bgood ?bye\b|\bbye\b/iu.test(text)

export const make = Effect.fnUntraced(function* (party: Party, speed: number) {
  const answeredAt = yield* Clock.currentTimeMillis
  /** The end of the last sound: a clock of whole milliseconds, times `LAB_SPEED`, may read a little less. */
  let passed = 0
  const elapsed = Effect.map(Clock.currentTimeMillis, (now) => Math.max(passed, Math.round((now - answeredAt) * speed)))
  const until = (at: number) =>
    Effect.flatMap(elapsed, (now) => (at > now ? Effect.sleep((at - now) / speed) : Effect.void)).pipe(
      Effect.andThen(Effect.sync(() => void (passed = Math.max(passed, at)))),
    )

  const lines = [...(party.lines ?? [])]
  const hangsUpAt = party.hangs_up_after_ms ?? Number.POSITIVE_INFINITY
  let gone: Gone | null = null
  let plan: Plan | null =
    party.opening === null ? null : { _tag: "Speaks", at: openingAfterMs, text: party.opening, thenHangsUp: false }

  const leave = (how: Gone): { readonly _tag: "Gone"; readonly how: Gone } => {
    gone ??= how
    return { _tag: "Gone", how: gone }
  }

  /** What the party makes of an utterance of the agent that ended at `now`. */
  const react = Effect.fnUntraced(function* (text: string, now: number, at?: number) {
    if (party.machine || party.lines === null) return
    const pause = Math.round(yield* Random.nextBetween(thinking.least, thinking.most))
    const line = saysGoodbye(text) ? undefined : lines.shift()
    plan = { _tag: "Speaks", at: at ?? now + pause, text: line ?? farewell, thenHangsUp: line === undefined }
  })

  const hear = Effect.fnUntraced(function* (patience: number): Effect.fn.Return<Heard> {
    if (gone !== null) return { _tag: "Gone", how: gone }
    const now = yield* elapsed
    const next = plan
    if (next === null || next.at > now + patience) {
      yield* until(Math.min(now + patience, hangsUpAt))
      return now + patience >= hangsUpAt ? leave("hung_up") : { _tag: "Silence" }
    }
    const ends = next._tag === "Speaks" ? next.at + spokenMs(next.text) : next.at
    yield* until(Math.min(ends, hangsUpAt))
    if (ends >= hangsUpAt || next._tag === "HangsUp") return leave("hung_up")
    if (next._tag === "Beeps") {
      plan = { _tag: "HangsUp", at: ends + machineRecordsMs }
      return { _tag: "Beep" }
    }
    plan = party.machine
      ? { _tag: "Beeps", at: ends + 400 }
      : next.thenHangsUp
        ? { _tag: "HangsUp", at: ends + hangsUpAfterGoodbyeMs }
        : null
    return { _tag: "Utterance", text: next.text, started_ms: next.at, ended_ms: ends }
  })

  const say = Effect.fnUntraced(function* (
    text: string,
    { interruptible }: { readonly interruptible: boolean },
  ): Effect.fn.Return<Said> {
    const started_ms = yield* elapsed
    if (gone !== null) return { heard: "", started_ms, ended_ms: started_ms, interrupted: false, gone }
    const whole = started_ms + spokenMs(text)
    const drops = party.drops_mid_sentence ? started_ms + dropsAfterMs : Number.POSITIVE_INFINITY
    const leaves = Math.min(hangsUpAt, drops, plan?._tag === "HangsUp" ? plan.at : Number.POSITIVE_INFINITY)
    const cut = party.barges_in && interruptible && lines.length > 0 ? started_ms + bargesInAfterMs : whole
    const ended_ms = Math.min(whole, cut, leaves)
    yield* until(ended_ms)
    const heard = ended_ms === whole ? text : heardWithin(text, ended_ms - started_ms)
    if (ended_ms === leaves) {
      const { how } = leave(leaves === drops ? "lost" : "hung_up")
      return { heard, started_ms, ended_ms, interrupted: false, gone: how }
    }
    const interrupted = ended_ms < whole
    yield* react(text, ended_ms, interrupted ? ended_ms : undefined)
    return { heard, started_ms, ended_ms, interrupted, gone: null }
  })

  const line: Line = {
    speed,
    elapsed,
    hear,
    say,
    sendDigits: (digits) => Effect.sleep((digits.length * digitMs) / speed),
    transfer: () => Effect.as(Effect.sleep(transferMs / speed), true),
  }
  return line
})
