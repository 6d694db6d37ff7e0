/** Generated background noises of a phone line at 8 kHz, the same in every run. Levels are in dB below full scale. */
import { atLevel, rate, speak } from "../greetings/Espeak.ts"
import { chanceOf } from "../greetings/Taken.ts"

/** Mixes sounds, each at its own time. */
export const mixed = (length: number, parts: ReadonlyArray<readonly [at: number, sound: Int16Array]>): Int16Array => {
  const all = new Float64Array(length)
  for (const [at, sound] of parts) {
    for (let index = 0; index < sound.length && at + index < length; index++) {
      all[at + index] = (all[at + index] ?? 0) + (sound[index] ?? 0)
    }
  }
  return Int16Array.from(all, (sample) => Math.max(-32_768, Math.min(32_767, sample)))
}

/** Mixes sounds that begin together. */
export const together = (...sounds: ReadonlyArray<Int16Array>): Int16Array =>
  mixed(
    Math.max(...sounds.map(({ length }) => length)),
    sounds.map((sound) => [0, sound] as const),
  )

export const white = (length: number, db: number, seed = 1): Int16Array => {
  const chance = chanceOf(seed)
  return atLevel(
    Int16Array.from({ length }, () => 20_000 * (chance() - 0.5)),
    db,
  )
}

/** White noise through three first-order low-pass filters. */
export const pink = (length: number, db: number, seed = 2): Int16Array => {
  const chance = chanceOf(seed)
  let [low, middle, high] = [0, 0, 0]
  const sound = Int16Array.from({ length }, () => {
    const sample = 4_000 * (chance() - 0.5)
    low = 0.997_65 * low + sample * 0.099_046
    middle = 0.963 * middle + sample * 0.296_516_4
    high = 0.57 * high + sample * 1.052_691_3
    return low + middle + high + sample * 0.184_8
  })
  return atLevel(sound, db)
}

/** Plucked chords, with a beat on every other one. */
export const music = (length: number, db: number, seed = 3): Int16Array => {
  const chance = chanceOf(seed)
  const sound = new Float64Array(length)
  for (let at = 0; at < length; at += rate / 4) {
    const root = 110 * 2 ** (Math.floor(chance() * 24) / 12)
    const hasBeat = (at / (rate / 4)) % 2 === 0
    for (let index = 0; index < rate && at + index < length; index++) {
      const chord = [1, 1.25, 1.5, 2].reduce((sum, part) => {
        const phase = (2 * Math.PI * root * part * index) / rate
        return sum + Math.sin(phase) * Math.exp(-index / 2_500) + 0.4 * Math.sin(2 * phase) * Math.exp(-index / 1_500)
      }, 0)
      const beat = hasBeat && index < 400 ? (chance() * 2 - 1) * 3 * Math.exp(-index / 80) : 0
      sound[at + index] = (sound[at + index] ?? 0) + 1_000 * (chord + beat)
    }
  }
  return atLevel(
    Int16Array.from(sound, (sample) => Math.max(-32_768, Math.min(32_767, sample))),
    db,
  )
}

/** A burst of noise of 120 to 350 ms with a sudden onset that fades. */
const cough = (seed: number): Int16Array => {
  const chance = chanceOf(seed)
  for (let warm = 0; warm < 5; warm++) chance()
  const length = Math.floor(rate * (0.12 + chance() * 0.23))
  let low = 0
  return Int16Array.from({ length }, (_, at) => {
    low = 0.6 * low + (chance() * 2 - 1)
    return 9_000 * low * Math.min(1, at / 80) * Math.exp((-2.5 * at) / length)
  })
}

/** One or two coughs at a time, every two or three seconds. */
export const coughs = (length: number, db: number, seed = 6): Int16Array => {
  const chance = chanceOf(seed)
  const parts: Array<readonly [number, Int16Array]> = []
  for (let at = rate * 0.8; at < length - rate; at += rate * (1.5 + chance() * 2)) {
    for (let count = 0; count < (chance() < 0.4 ? 2 : 1); count++) {
      parts.push([Math.floor(at + count * rate * 0.35), atLevel(cough(parts.length + seed), db)])
    }
  }
  return mixed(length, parts)
}

/** A person near the caller who talks all the time. */
export const anotherVoice = async (length: number, db: number): Promise<Int16Array> => {
  const lines = [
    "We need two more boxes of paper and something to drink.",
    "He always says that, but it never happens.",
  ]
  const parts: Array<readonly [number, Int16Array]> = []
  for (let at = 0, turn = 0; at < length; turn++) {
    const said = await speak({ name: "en-gb+m5", speed: 160, pitch: 50 }, lines[turn % lines.length] ?? "")
    parts.push([at, atLevel(said, db)])
    at += said.length + 2_000
  }
  return mixed(length, parts)
}
