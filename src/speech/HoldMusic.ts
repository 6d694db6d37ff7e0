/**
 * Hold music for a warm transfer: generated, or from the operator's file. Plain code, called for each frame. Each frame
 * is made when it is first needed and then cached, so that no caller waits for the whole piece.
 */
import { frameMs, samplesOf } from "./Audio.ts"
import { Resampler } from "./Resampler.ts"

export interface Music {
  /** Returns the frame at a position, which counts frames, at this rate. The music begins again at its end. */
  readonly frame: (rate: number, position: number) => Int16Array
}

/** Makes music whose frames are computed once for each rate and cached. */
const kept = (frames: number, make: (rate: number, position: number) => Int16Array): Music => {
  const rates = new Map<number, Array<Int16Array | undefined>>()
  return {
    frame: (rate, position) => {
      const made = rates.get(rate) ?? []
      rates.set(rate, made)
      const at = position % frames
      return (made[at] ??= make(rate, at))
    },
  }
}

/** Milliseconds from one note to the next, and for which a note sounds. */
const beatMs = 600
const noteMs = 2_400
/** How quickly a note comes and goes, in milliseconds. */
const attackMs = 30
const fadingMs = 700
/** The level of one note at its beginning: 23 dB below full scale. The whole tune is at -28 dB, softer than a voice. */
const noteLevel = 32_768 * 10 ** (-23 / 20)

/**
 * Broken chords of C, A minor, F and G with one note a beat, in hertz. Composed for Parley, within a telephone's band.
 */
const notes: ReadonlyArray<number> = [
  ...[523.25, 659.26, 783.99, 659.26],
  ...[440, 523.25, 659.26, 523.25],
  ...[349.23, 440, 523.25, 440],
  ...[392, 493.88, 587.33, 493.88],
]
const tuneMs = notes.length * beatMs

/** Returns the sample of a note this many milliseconds after its beginning: its tone with a soft octave above it. */
const soundOf = (hz: number, ms: number): number => {
  const swell = Math.min(1, ms / attackMs) * Math.exp(-ms / fadingMs) * Math.min(1, (noteMs - ms) / 200)
  const turn = (2 * Math.PI * hz * ms) / 1_000
  return swell * (Math.sin(turn) + 0.25 * Math.sin(2 * turn))
}

/** Parley's own tune. */
export const generated: Music = kept(tuneMs / frameMs, (rate, position) =>
  Int16Array.from({ length: samplesOf(rate) }, (_, index) => {
    const at = position * frameMs + (index * 1_000) / rate
    let sum = 0
    for (let beat = 0; beat < noteMs / beatMs; beat++) {
      // Notes of the tune's end still sound at its beginning.
      const note = (Math.floor(at / beatMs) - beat + notes.length) % notes.length
      sum += soundOf(notes[note] ?? 0, (at % beatMs) + beat * beatMs)
    }
    return Math.round(noteLevel * sum)
  }),
)

/** Makes music from samples of at least one frame, at their own rate. */
export const musicFrom = (samples: Int16Array, ownRate: number): Music => {
  const length = samplesOf(ownRate)
  const frames = Math.max(1, Math.floor(samples.length / length))
  const resamplers = new Map<number, Resampler>()
  return kept(frames, (rate, position) => {
    const resampler = resamplers.get(rate) ?? new Resampler(ownRate, rate)
    resamplers.set(rate, resampler)
    const frame = new Int16Array(samplesOf(rate))
    frame.set(resampler.take(samples.slice(position * length, (position + 1) * length)).subarray(0, frame.length))
    return frame
  })
}

/** A WAV file that cannot be played. */
export class UnplayableWav extends Error {}

/** Reads a 16-bit WAV file and mixes its channels to one. */
export const readWav = (file: Buffer): { readonly rate: number; readonly samples: Int16Array } => {
  const chunks = new Map<string, Buffer>()
  if (file.toString("latin1", 0, 4) !== "RIFF" || file.toString("latin1", 8, 12) !== "WAVE") {
    throw new UnplayableWav("It is not a WAV file")
  }
  for (let at = 12; at + 8 <= file.length;) {
    const bytes = file.readUInt32LE(at + 4)
    chunks.set(file.toString("latin1", at, at + 4), file.subarray(at + 8, at + 8 + bytes))
    at += 8 + bytes + (bytes % 2)
  }
  const format = chunks.get("fmt ")
  const data = chunks.get("data")
  if (format === undefined || format.length < 16 || data === undefined) throw new UnplayableWav("It has no sound")
  const [coding, channels, rate, bits] = [
    format.readUInt16LE(0),
    format.readUInt16LE(2),
    format.readUInt32LE(4),
    format.readUInt16LE(14),
  ]
  if (coding !== 1 || bits !== 16 || channels === 0) throw new UnplayableWav("It is not PCM of 16 bits")
  // Frames of 20 ms have whole samples.
  if (rate < 8_000 || rate > 48_000 || rate % 50 !== 0)
    throw new UnplayableWav(`${rate} samples a second are not supported`)
  const samples = new Int16Array(Math.floor(data.length / (2 * channels)))
  for (let at = 0; at < samples.length; at++) {
    let sum = 0
    for (let channel = 0; channel < channels; channel++) sum += data.readInt16LE((at * channels + channel) * 2)
    samples[at] = Math.round(sum / channels)
  }
  if (samples.length < samplesOf(rate)) throw new UnplayableWav("It is shorter than 20 ms")
  return { rate, samples }
}
