/** Connects the sound of two lines with each other, in place of an agent. Plain code, called for each frame. */
import { Resampler } from "../speech/Resampler.ts"

/** Takes the other side's sound and keys. */
export interface SoundSink {
  readonly frame: (frame: Int16Array) => void
  readonly key: (digit: string) => void
  /** Whether the line still recognises the sound that it passes on, and reports the words as events. */
  readonly isTranscribed: boolean
}

/** The connection points of one line, for another line. */
export interface SoundPatch {
  /** Samples a second of the frames that the line passes on (`heard`), and of those that it takes (`spoken`). */
  readonly rates: { readonly heard: number; readonly spoken: number }
  /** Passes the other side's sound and keys to the sink instead of to the agent; null ends that. */
  readonly divert: (to: SoundSink | null) => void
  /** Sends 20 ms to the other side. Frames may come in bursts; those that would be heard too late are lost. */
  readonly inject: (frame: Int16Array) => void
  readonly sendDigits: (digits: string) => void
}

/** Connects two lines until the returned function is called. Both agents have to be silent. */
export const join = (one: SoundPatch, other: SoundPatch, isTranscribed: boolean): (() => void) => {
  one.divert(sinkInto(other, one.rates.heard, isTranscribed))
  other.divert(sinkInto(one, other.rates.heard, isTranscribed))
  return () => {
    one.divert(null)
    other.divert(null)
  }
}

/** Makes a sink that takes frames of this rate and injects them into the line. */
const sinkInto = ({ inject, rates, sendDigits }: SoundPatch, rate: number, isTranscribed: boolean): SoundSink => {
  const resampler = new Resampler(rate, rates.spoken)
  return { frame: (frame) => inject(resampler.take(frame)), key: sendDigits, isTranscribed }
}
