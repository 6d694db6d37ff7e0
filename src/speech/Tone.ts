/** Finds the frequency of a frame that is a single tone. Plain code, called for each frame. */
import { levelOf } from "./Audio.ts"

/** Softer tones are not meant for the listener. */
export const quietestDb = -40
/** Tones of machines lie well within a telephone's band. */
const lowestHz = 380
const highestHz = 2_600
/** The share of a frame's power that must lie at its frequency. A pure tone has 1, two tones of equal level 0.5. */
const leastShare = 0.7

/** Returns the frequency of a frame that is a single tone, else null. `rate`: samples a second. */
export const toneOf = (frame: Int16Array, rate: number): number | null => {
  if (levelOf(frame) < quietestDb) return null
  const hz = frequencyOf(frame, rate)
  return hz > lowestHz && hz < highestHz && shareAt(frame, hz / rate) > leastShare ? hz : null
}

/**
 * Estimates the frequency of a tone in noise by Pisarenko's method, from the autocorrelation at lags 1 and 2, which
 * white noise does not affect. It would affect lag 0 and draw the estimate towards the middle of the band.
 */
const frequencyOf = (frame: Int16Array, rate: number): number => {
  let one = 0
  let two = 0
  for (let at = 2; at < frame.length; at++) {
    const sample = frame[at] ?? 0
    one += sample * (frame[at - 1] ?? 0)
    two += sample * (frame[at - 2] ?? 0)
  }
  const cosine = one === 0 ? 1 : (two + Math.sqrt(two * two + 8 * one * one)) / (4 * one)
  return Math.abs(cosine) < 1 ? (Math.acos(cosine) * rate) / (2 * Math.PI) : 0
}

/** The share of the frame's power at a frequency, in cycles a sample (Goertzel). */
const shareAt = (frame: Int16Array, frequency: number): number => {
  const coefficient = 2 * Math.cos(2 * Math.PI * frequency)
  let last = 0
  let earlier = 0
  let power = 0
  for (const sample of frame) {
    const next = sample + coefficient * last - earlier
    earlier = last
    last = next
    power += sample * sample
  }
  const atFrequency = (last * last + earlier * earlier - coefficient * last * earlier) / (frame.length / 2)
  return power === 0 ? 0 : atFrequency / power
}
