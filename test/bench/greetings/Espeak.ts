/** Sentences as sound at a telephone's rate, by espeak-ng. A sentence is made once for each voice. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { levelOf } from "../../../src/speech/Audio.ts"
import { Resampler } from "../../../src/speech/Resampler.ts"

export const rate = 8_000
const headerBytes = 44
const run = promisify(execFile)

export interface Voice {
  readonly name: string
  /** In words per minute. */
  readonly speed: number
  readonly pitch: number
}

const made = new Map<string, Promise<Int16Array>>()

const make = async ({ name, pitch, speed }: Voice, text: string): Promise<Int16Array> => {
  const args = ["-v", name, "-s", `${speed}`, "-p", `${pitch}`, "--stdout", text]
  const { stdout } = await run("espeak-ng", args, { encoding: "buffer", maxBuffer: 2 ** 24 })
  const samples = new Int16Array(Uint8Array.from(stdout.subarray(headerBytes, stdout.length & ~1)).buffer)
  const resampler = new Resampler(stdout.readUInt32LE(24), rate)
  const parts = [resampler.take(samples), resampler.drain()]
  const sound = Int16Array.from(parts.flatMap((part) => [...part]))
  const isLoud = (sample: number) => Math.abs(sample) > 100
  return sound.slice(Math.max(0, sound.findIndex(isLoud)), sound.findLastIndex(isLoud) + 1)
}

export const speak = (voice: Voice, text: string): Promise<Int16Array> => {
  const key = `${JSON.stringify(voice)} ${text}`
  const known = made.get(key) ?? make(voice, text)
  made.set(key, known)
  return known
}

/** The sound scaled to this level, in dB below full scale. */
export const atLevel = (sound: Int16Array, db: number): Int16Array => {
  const gain = 10 ** ((db - levelOf(sound)) / 20)
  return sound.map((sample) => Math.max(-32_768, Math.min(32_767, Math.round(sample * gain))))
}
