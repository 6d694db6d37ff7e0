/** Connects the sound of two lines with each other, in place of an agent. Plain code, called for each frame. */
import { Resampler } from "../speech/Resampler.ts"

/** Takes what the other side says and presses. */
export interface SoundSink {
  readonly frame: (frame: Int16Array) => void
  readonly key: (digit: string) => void
  /** The line goes on to recognise what it passes on, and tells it as events. */
  readonly isTranscribed: boolean
}

/** The sockets of one line to which another line is connected. */
export interface SoundPatch {
  /** Samples a second of the frames that it passes on, and of those that it takes. */
  readonly rates: { readonly heard: number; readonly spoken: number }
  /** Passes the other side's sound and keys on, in place of hearing them; null hears them again. */
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

/** A sink for frames of this rate. */
const sinkInto = ({ inject, rates, sendDigits }: SoundPatch, rate: number, isTranscribed: boolean): SoundSink => {
  const resampler = new Resampler(rate, rates.spoken)
  return { frame: (frame) => inject(resampler.take(frame)), key: sendDigits, isTranscribed }
}
