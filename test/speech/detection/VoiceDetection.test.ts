import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { SileroDetector } from "../../../src/speech/detection/SileroDetector.ts"
import * as SileroProcess from "../../../src/speech/detection/SileroProcess.ts"
import * as VoiceDetection from "../../../src/speech/detection/VoiceDetection.ts"
import type { VoiceDetector } from "../../../src/speech/detection/VoiceDetector.ts"
import { atLevel, speak } from "../../bench/greetings/Espeak.ts"
import { espeakFault } from "../../support/Espeak.ts"

const rate = 8_000
const frameSamples = rate / 50

const logged: Array<string> = []
const log = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])

/** Frames as a line brings them, one each 20 ms, until the condition holds; returns what changed. */
const hears = (voice: VoiceDetector, sound: Int16Array, until: () => boolean = () => false) =>
  Effect.gen(function* () {
    const changes: Array<"on" | "off"> = []
    for (let from = 0; ; from += frameSamples) {
      const isOver = from >= sound.length
      if (until() || (isOver && sound.length > 0)) return changes
      const frame = new Int16Array(frameSamples)
      frame.set(sound.subarray(from, from + frameSamples))
      const change = voice.hear(frame, { learns: true })
      if (change !== null) changes.push(change)
      yield* Effect.sleep("20 millis")
    }
  })
const anna = { name: "en-us+f2", speed: 160, pitch: 50 }
const silence = new Int16Array(0)
const isBySilero = (voice: VoiceDetector) => voice instanceof SileroDetector && voice.isBySilero

/** The same, of a sound that was judged by the model from its beginning to its end: on a busy machine it may be late. */
const hearsBySilero = (voice: VoiceDetector, sound: Int16Array) =>
  Effect.gen(function* () {
    while (true) {
      yield* hears(voice, silence, () => isBySilero(voice))
      const changes = yield* hears(voice, sound, () => !isBySilero(voice))
      if (isBySilero(voice)) return changes
    }
  })

/** Bursts of noise that swell within 10 ms and fade: coughs. */
const coughs = Int16Array.from({ length: 2 * rate }, (_, at) => {
  const within = at % (rate / 2)
  const noise = ((at * 7_919) % 1_013) / 506 - 1
  return 9_000 * noise * Math.min(1, within / 80) * Math.exp(-within / 900)
})

const detection = VoiceDetection.make(SileroProcess.run)
/** The processes of the model that this process has started. */
const processIds = () =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const isOurs = readFileSync(`/proc/${pid}/status`, "utf8").includes(`\nPPid:\t${process.pid}\n`)
        return isOurs && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("SileroProgram")
      } catch {
        // It has ended.
        return false
      }
    })

describe("Silero in its process", () => {
  it.live("takes no coughs for a voice, and is replaced when it is killed, while the level goes on", () =>
    Effect.gen(function* () {
      const { open } = yield* detection
      const voice = yield* open(rate, "own")
      assert.deepStrictEqual(yield* hearsBySilero(voice, coughs), [])
      const [first] = processIds()
      if (first === undefined) throw new Error("There is no process")
      process.kill(first, "SIGKILL")
      // The level may still hear the last cough when it takes over.
      const before = yield* hears(voice, silence, () => !isBySilero(voice))
      assert.include([...before, ...(yield* hears(voice, coughs))], "on", "the level takes a cough for a voice")
      assert.include(logged.join("\n"), "voice detector process ended")
      yield* hears(voice, silence, () => isBySilero(voice))
      assert.notStrictEqual(processIds()[0], first)
    }).pipe(Effect.scoped, Effect.provide(log)),
  )
  it.live.skipIf(espeakFault !== undefined)("hears a person speak through music", () =>
    Effect.gen(function* () {
      const { open } = yield* detection
      const voice = yield* open(rate, "own")
      const said = atLevel(yield* Effect.promise(() => speak(anna, "I would like to change my appointment.")), -20)
      const music = Int16Array.from({ length: 2 * rate + said.length + rate }, (_, at) => {
        const chord = [220, 277, 330].reduce((sum, hz) => sum + Math.sin((2 * Math.PI * hz * at) / rate), 0)
        return 600 * chord * Math.exp(-(at % (rate / 4)) / 2_500) + (said[at - 2 * rate] ?? 0)
      })
      assert.deepStrictEqual(yield* hearsBySilero(voice, music), ["on", "off"])
    }).pipe(Effect.scoped, Effect.provide(log)),
  )
  it.live("says once that it cannot be loaded, and the level detects voice", () =>
    Effect.gen(function* () {
      logged.length = 0
      const why = "there is no runtime for this platform"
      const { open } = yield* VoiceDetection.make(() => Effect.succeed({ why, isFinal: true }))
      for (const voice of [yield* open(rate, "own"), yield* open(rate, "own")]) {
        assert.include(yield* hears(voice, coughs), "on")
      }
      assert.strictEqual(logged.filter((line) => line.includes("voice detector unavailable")).length, 1)
    }).pipe(Effect.scoped, Effect.provide(log)),
  )
  it.live("takes a rate that it does not know to the level", () =>
    Effect.gen(function* () {
      const { open } = yield* detection
      assert.notInstanceOf(yield* open(24_000, "own"), SileroDetector)
    }).pipe(Effect.scoped, Effect.provide(log)),
  )
})
