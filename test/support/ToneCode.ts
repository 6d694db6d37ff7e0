/**
 * Words encoded as tones, so that a stand-in for a recogniser understands only what was really heard. A word is a
 * single tone: a browser may amplify a microphone until it clips, and a clipped tone keeps most of its energy at its
 * frequency.
 */
import * as Audio from "../../src/speech/Audio.ts"

const words =
  "what are your opening hours please hello stop wait thank you goodbye yes no okay when do open where is the clinic calling me talk human number not in service".split(
    " ",
  )
const hertzOf = (word: number) => 420 + word * 90

export const toneMs = 160
const gapMs = 50

export const sine = (hz: number, ms: number, rate: number, amplitude = 0.3): Int16Array<ArrayBuffer> =>
  Int16Array.from(
    { length: (rate * ms) / 1_000 },
    (_, at) => amplitude * 32_767 * Math.sin((2 * Math.PI * hz * at) / rate),
  )

export const silence = (ms: number, rate: number): Int16Array => new Int16Array((rate * ms) / 1_000)

export const joined = (...parts: ReadonlyArray<Int16Array>): Int16Array => Audio.concatenate(parts)

const plain = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z' ]/g, "")
    .split(" ")
    .filter(Boolean)
/** The words as sound. A word without a tone is an error in the test. */
export const spoken = (text: string, rate: number): Int16Array =>
  joined(
    ...plain(text).flatMap((word) => {
      const at = words.indexOf(word)
      if (at < 0) throw new Error(`${word} has no tone`)
      return [sine(hertzOf(at), toneMs, rate), silence(gapMs, rate)]
    }),
  )

/** The share of these samples' energy at this frequency, from 0 to 1. */
export const shareAt = (hz: number, samples: ArrayLike<number>, rate: number): number => {
  const turn = 2 * Math.cos((2 * Math.PI * hz) / rate)
  let [before, last, energy] = [0, 0, 0]
  for (let at = 0; at < samples.length; at++) {
    const sample = samples[at] ?? 0
    const next = sample + turn * last - before
    before = last
    last = next
    energy += sample * sample
  }
  const power = before * before + last * last - turn * before * last
  return energy === 0 ? 0 : power / ((energy * samples.length) / 2)
}

/**
 * Measures how much of a tone of this length is in the samples: the highest normalised correlation over all delays,
 * from 0 to 1. It falls if a part is missing, replaced, or at another time.
 */
export const correlationWith = ({ hz, ms }: { hz: number; ms: number }, samples: Int16Array, rate: number): number => {
  const step = rate / 100
  const length = Math.floor((rate * ms) / 1_000 / step)
  const [cosines, sines, energies] = [[0], [0], [0]]
  // Running sums, so that each delay costs the same whatever the length of the tone.
  let [cosine, sum, energy] = [0, 0, 0]
  for (let at = 0; at < samples.length; at++) {
    const sample = samples[at] ?? 0
    const angle = (2 * Math.PI * hz * at) / rate
    cosine += sample * Math.cos(angle)
    sum += sample * Math.sin(angle)
    energy += sample * sample
    if ((at + 1) % step !== 0) continue
    cosines.push(cosine)
    sines.push(sum)
    energies.push(energy)
  }
  let most = 0
  for (let from = 0; from + length < energies.length; from++) {
    const over = (sums: ReadonlyArray<number>) => (sums[from + length] ?? 0) - (sums[from] ?? 0)
    if (over(energies) === 0) continue
    most = Math.max(most, Math.hypot(over(cosines), over(sines)) / Math.sqrt((over(energies) * length * step) / 2))
  }
  return most
}

/** The index of the word whose tone dominates a frame. -1 in silence and other sound. */
const wordIn = (frame: Int16Array, rate: number): number => {
  let energy = 0
  for (const sample of frame) energy += sample * sample
  if (energy <= 200 ** 2 * frame.length) return -1
  const shares = words.map((_, word) => shareAt(hertzOf(word), frame, rate))
  const most = Math.max(...shares)
  return most > 0.5 ? shares.indexOf(most) : -1
}

/** The words in these samples. */
export const heard = (samples: Int16Array, rate: number): string => {
  const hop = rate / 50
  const found: Array<string> = []
  let [last, run] = [-1, 0]
  for (let at = 0; at + hop * 2 <= samples.length; at += hop) {
    const frame = samples.subarray(at, at + hop * 2)
    const word = wordIn(frame, rate)
    run = word === last ? run + 1 : 1
    last = word
    if (word >= 0 && run === 3) found.push(words[word] ?? "?")
  }
  return found.join(" ")
}
