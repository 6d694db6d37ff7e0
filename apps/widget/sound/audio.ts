/** The audio worklet, a separate script: cuts the microphone's sound into frames, and plays received frames. */
import type { SoundOrder } from "../../../src/domain/WidgetMessage.ts"
import { PlayQueue } from "./PlayQueue.ts"
import { Resampler } from "./Resampler.ts"

// Members of the worklet's global scope, which TypeScript's DOM types lack.
declare const sampleRate: number
declare class AudioWorkletProcessor {
  readonly port: MessagePort
}
declare const registerProcessor: (name: string, processor: new (options: { processorOptions: never }) => object) => void

/** Sent by the capture: a frame of 20 ms, and its loudness from 0 to 1. */
export interface Captured {
  readonly frame: ArrayBuffer
  readonly level: number
}
/** Sent by the playback: the number of the last played frame, the loudness, and whether it is playing. */
export interface Played {
  readonly played: number
  readonly level: number
  readonly playing: boolean
}
/** Sent to the playback. */
export type ToPlay =
  | { readonly number: number; readonly frame: ArrayBuffer }
  | { readonly do: SoundOrder; readonly frame: number }

const loudest = (samples: Float32Array) => samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)

const samplesOf = (frame: ArrayBuffer) => Float32Array.from(new Int16Array(frame), (sample) => sample / 32_768)

class Capture extends AudioWorkletProcessor {
  readonly #resampler: Resampler
  readonly #samples: Float32Array
  #filled = 0

  constructor({ processorOptions }: { processorOptions: { readonly rate: number } }) {
    super()
    this.#resampler = new Resampler(sampleRate, processorOptions.rate)
    this.#samples = new Float32Array(processorOptions.rate / 50)
  }

  process([input]: ReadonlyArray<ReadonlyArray<Float32Array>>): boolean {
    const [channel] = input ?? []
    if (channel === undefined) return true
    for (const sample of this.#resampler.take(channel)) {
      this.#samples[this.#filled++] = sample
      if (this.#filled < this.#samples.length) continue
      this.#filled = 0
      const frame = Int16Array.from(this.#samples, (sample) => Math.max(-1, Math.min(1, sample)) * 32_767)
      const captured: Captured = { frame: frame.buffer, level: loudest(this.#samples) }
      this.port.postMessage(captured, [frame.buffer])
    }
    return true
  }
}

class Playback extends AudioWorkletProcessor {
  readonly #queue = new PlayQueue()
  #told = ""

  constructor() {
    super()
    this.port.addEventListener("message", ({ data }: MessageEvent<ToPlay>) => {
      if ("do" in data) this.#queue.order(data.do, data.frame)
      else this.#queue.add(data.number, samplesOf(data.frame))
    })
    this.port.start()
  }

  process(_: unknown, [output]: ReadonlyArray<ReadonlyArray<Float32Array>>): boolean {
    const [channel, ...others] = output ?? []
    if (channel === undefined) return true
    this.#queue.render(channel)
    for (const other of others) other.set(channel)
    const { isPlaying: playing, played } = this.#queue
    const news = `${played} ${playing}`
    if (news === this.#told) return true
    this.#told = news
    const message: Played = { played, playing, level: loudest(channel) }
    this.port.postMessage(message, [])
    return true
  }
}

registerProcessor("parley-capture", Capture)
registerProcessor("parley-playback", Playback)
