/**
 * A generated call from the side of the party who takes it: the kind of party, what is said and when, its tones, and
 * the sound on the line.
 */
import { atLevel, rate, speak, type Voice } from "./Espeak.ts"
import { type Greetings, greetings, type Sayings } from "./Greetings.ts"

export const kinds = ["person", "voicemail", "full", "screening", "menu", "announcement", "fax"] as const
export type Kind = (typeof kinds)[number]

export interface Utterance {
  readonly text: string
  readonly from_ms: number
  readonly to_ms: number
}

export interface Taken {
  readonly kind: Kind
  /** True if its words are in the third of the set that is held out from the authors of phrases. */
  readonly isHeldOut: boolean
  readonly utterances: ReadonlyArray<Utterance>
  /** The tone before a recording. */
  readonly beep: { readonly from_ms: number; readonly to_ms: number } | null
  readonly sound: Int16Array
}

/** Random numbers in [0, 1), the same for the same seed. */
export const chanceOf = (seed: number) => {
  let state = (seed * 2_654_435_761) >>> 0
  return (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
export type Chance = ReturnType<typeof chanceOf>

const between = (chance: Chance, least: number, most: number): number => least + chance() * (most - least)
const oneOf = <A>(chance: Chance, list: ReadonlyArray<A>): A => {
  const one = list[Math.floor(chance() * list.length)]
  if (one === undefined) throw new Error("An empty list has no element")
  return one
}

const tone = (ms: number, hz: number): Int16Array =>
  Int16Array.from({ length: (rate * ms) / 1_000 }, (_, at) => 8_000 * Math.sin((2 * Math.PI * hz * at) / rate))

/** The sounds of a call, each at its own time. */
class Track {
  readonly utterances: Array<Utterance> = []
  readonly #sounds: Array<{ readonly at: number; readonly sound: Int16Array }> = []
  readonly #voice: Voice
  readonly #levelDb: number
  end_ms = 0

  constructor(voice: Voice, levelDb: number) {
    this.#voice = voice
    this.#levelDb = levelDb
  }

  async say(text: string, from_ms: number): Promise<void> {
    const sound = atLevel(await speak(this.#voice, text), this.#levelDb)
    this.utterances.push({ text, from_ms, to_ms: this.add(sound, from_ms) })
  }

  /** Adds a sound and returns when it ends, in milliseconds. */
  add(sound: Int16Array, from_ms: number): number {
    this.#sounds.push({ at: Math.round((from_ms * rate) / 1_000), sound })
    const to_ms = from_ms + (sound.length / rate) * 1_000
    this.end_ms = Math.max(this.end_ms, to_ms)
    return to_ms
  }

  /** All sounds mixed with noise of this level, which goes on for `restMs` after their end. */
  mixed(noiseDb: number, restMs: number, chance: Chance): Int16Array {
    const amplitude = 32_768 * 10 ** (noiseDb / 20) * Math.sqrt(3)
    const length = Math.ceil(((this.end_ms + restMs) * rate) / 1_000)
    const all = Int16Array.from({ length }, () => amplitude * (2 * chance() - 1))
    for (const { at, sound } of this.#sounds) {
      for (let index = 0; index < sound.length; index++) {
        const sum = (all[at + index] ?? 0) + (sound[index] ?? 0)
        all[at + index] = Math.max(-32_768, Math.min(32_767, sum))
      }
    }
    return all
  }
}

const sayingsOf = (language: Greetings, kind: Kind): Sayings => (kind === "fax" ? [[]] : language[kind])

/** The share of voicemails with a tone, and the share of people in whose room there is a similar sound. */
const toneShare = 0.92
const roomToneShare = 0.01

export const take = async (kind: Kind, seed: number): Promise<Taken> => {
  const chance = chanceOf(seed + 1)
  for (let warm = 0; warm < 5; warm++) chance()
  // Half of the calls are in English, as half of the greetings are.
  const language = chance() < 0.5 ? greetings[0]! : oneOf(chance, greetings)
  const sayings = sayingsOf(language, kind)
  const chosen = Math.floor(chance() * sayings.length)
  const name = oneOf(chance, language.names)
  const voice = {
    name: oneOf(chance, language.voices),
    speed: Math.round(between(chance, 130, 190) / 10) * 10,
    pitch: Math.round(between(chance, 25, 75) / 25) * 25,
  }
  const levelDb = between(chance, -27, -17)
  const track = new Track(voice, levelDb)
  let at = between(chance, kind === "person" ? 200 : 400, kind === "person" ? 1_400 : 3_000)
  if (kind === "fax") track.add(chance() < 0.5 ? tone(3_000, 2_100) : tone(500, 1_100), at)
  if (kind === "announcement" && chance() < 0.7) {
    for (const hz of [950, 1_400, 1_800]) at = track.add(tone(330, hz), at)
    at += 300
  }
  const [first, ...rest] = (sayings[chosen] ?? []).map((text) => text.replaceAll("{name}", name))
  if (first !== undefined) await track.say(first, at)
  for (const text of rest) {
    const pause = kind === "screening" ? between(chance, 4_500, 6_500) : between(chance, 250, 800)
    await track.say(text, track.end_ms + pause)
  }
  let beep: Taken["beep"] = null
  if (kind === "voicemail" && chance() < toneShare) {
    const from_ms = track.end_ms + between(chance, 200, 1_500)
    beep = { from_ms, to_ms: track.add(tone(between(chance, 160, 1_000), between(chance, 425, 2_400)), from_ms) }
  }
  if (kind === "screening")
    await track.say(
      oneOf(chance, language.person.slice(0, 2))[0]?.replaceAll("{name}", name) ?? "",
      track.end_ms + 4_000,
    )
  if (kind === "person") {
    const room = chance() < roomToneShare
    if (room) track.add(tone(between(chance, 200, 600), between(chance, 420, 2_000)), between(chance, 500, 9_000))
    await track.say(oneOf(chance, language.person)[0]?.replaceAll("{name}", name) ?? "", track.end_ms + 5_000)
  }
  const noiseDb = levelDb - between(chance, 14, 34)
  const sound = track.mixed(noiseDb, kind === "voicemail" ? 34_000 : 4_000, chance)
  return { kind, isHeldOut: chosen % 3 === 2, utterances: track.utterances, beep, sound }
}
