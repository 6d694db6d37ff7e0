/** Synthetic sounds at 16 kHz, the same in every run: noise at a known level, and sound that swells like speech. */

export type Sound = Int16Array<ArrayBuffer>

const rate = 16_000

/** Uniform random numbers in [-1, 1), from a seed, so that every run has the same sounds. */
const randoms = (seed: number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return state / 2 ** 31
  }
}

const amplitudeOf = (levelDb: number) => 32_768 * 10 ** (levelDb / 20)

export const white = (ms: number, levelDb: number, seed = 7): Sound => {
  const random = randoms(seed)
  // Uniform noise of amplitude 1 has a power of one third.
  const amplitude = amplitudeOf(levelDb) * Math.sqrt(3)
  return Int16Array.from({ length: (rate * ms) / 1_000 }, () => amplitude * random())
}

/** Some four syllables a second: a tone of 120 Hz with overtones, swelling and fading. */
export const talking = (
  ms: number,
  said: ReadonlyArray<{ readonly from: number; readonly to: number }>,
  levelDb: number,
): Sound => {
  // Divided by the levels of tone and swell, so that `levelDb` is the level of the speech itself.
  const amplitude = amplitudeOf(levelDb) / (0.883 * 0.635)
  return Int16Array.from({ length: (rate * ms) / 1_000 }, (_, at) => {
    const time = at / rate
    if (!said.some(({ from, to }) => time * 1_000 >= from && time * 1_000 < to)) return 0
    const pitch = 2 * Math.PI * (120 + 10 * Math.sin(2 * Math.PI * 3 * time)) * time
    const tone = Math.sin(pitch) + 0.6 * Math.sin(2 * pitch) + 0.4 * Math.sin(5 * pitch) + 0.2 * Math.sin(11 * pitch)
    const swell = 0.55 + 0.45 * Math.sin(2 * Math.PI * 4 * time)
    return Math.max(-32_768, Math.min(32_767, amplitude * tone * swell))
  })
}

/** The sound after `ms` of silence. */
export const quiet = (ms: number, sound: Sound): Sound => {
  const later = new Int16Array((rate * ms) / 1_000 + sound.length)
  later.set(sound, (rate * ms) / 1_000)
  return later
}

export const mixed = (one: Sound, other: Sound): Sound =>
  Int16Array.from({ length: Math.max(one.length, other.length) }, (_, at) =>
    Math.max(-32_768, Math.min(32_767, (one[at] ?? 0) + (other[at] ?? 0))),
  )
