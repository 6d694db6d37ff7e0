/**
 * Runs sounds through voice detectors, all at once and frame by frame. Silero runs in its own process but in step with
 * the sounds: its judgement of a window is known one frame later, however busy the machine is.
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { frameMs } from "../../../src/speech/Audio.ts"
import { VoiceActivity } from "../../../src/speech/VoiceActivity.ts"
import type { Batch } from "../../../src/speech/detection/Batches.ts"
import { SileroLine } from "../../../src/speech/detection/SileroLine.ts"
import { SileroDetector } from "../../../src/speech/detection/SileroDetector.ts"
import type { Message } from "../../../src/speech/detection/SileroProgram.ts"
import type { VoiceDetector } from "../../../src/speech/detection/VoiceDetector.ts"
import { rate } from "../greetings/Espeak.ts"
import { repository } from "../support/Child.ts"

export type Detector = "level" | "silero"
export const frameLength = (rate * frameMs) / 1_000

export interface Model {
  readonly judge: (lines: ReadonlyArray<SileroLine>) => Promise<void>
  readonly stop: () => void
}

export const startModel = async (): Promise<Model> => {
  const program = join(repository, "src/speech/detection/SileroProgram.ts")
  const child = fork(program, { serialization: "advanced", stdio: ["ignore", "inherit", "inherit", "ipc"] })
  const answer = async (): Promise<Message> => (await once(child, "message"))[0]
  const first = await answer()
  if (first.kind === "unavailable") throw new Error(first.why)
  return {
    stop: () => void child.kill("SIGKILL"),
    judge: async (lines) => {
      const windows = lines.flatMap((line, id) => {
        const window = line.next()
        return window === undefined ? [] : [{ id, line, ...window }]
      })
      if (windows.length === 0) return
      const samples = Int16Array.from(windows.flatMap(({ samples }) => [...samples]))
      const batch: Batch = { groups: [{ rate, lines: windows.map(({ id }) => id), samples }], closed: [] }
      const answered = answer()
      child.send(batch)
      const message = await answered
      if (message.kind !== "answer") throw new Error(`The model says ${message.kind}`)
      for (const [at, { line, number }] of windows.entries()) {
        line.judge({ window: number, probability: message.answer[0]?.[at] ?? 0 })
      }
    },
  }
}

/** Calls `hear` for each frame of each sound, with that sound's own detector. */
export const run = async (
  detector: Detector,
  sounds: ReadonlyArray<Int16Array>,
  hear: (voice: VoiceDetector, sound: number, frame: Int16Array, at_ms: number) => void,
): Promise<void> => {
  const model = detector === "silero" ? await startModel() : null
  const lines = sounds.map(() => new SileroLine(rate, () => {}))
  const voices = lines.map((line) => (model === null ? new VoiceActivity() : new SileroDetector(line, () => {})))
  const longest = Math.max(...sounds.map(({ length }) => length))
  for (let from = 0; from + frameLength <= longest; from += frameLength) {
    for (const [at, sound] of sounds.entries()) {
      const voice = voices[at]
      if (voice === undefined || from + frameLength > sound.length) continue
      hear(voice, at, sound.subarray(from, from + frameLength), ((from + frameLength) / rate) * 1_000)
    }
    await model?.judge(lines)
  }
  model?.stop()
}
