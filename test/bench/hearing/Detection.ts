/** When a voice is detected to begin and end, in sounds for which the truth is known. */
import { levelOf } from "../../../src/speech/Audio.ts"
import { atLevel, rate, speak } from "../greetings/Espeak.ts"
import { chanceOf } from "../greetings/Taken.ts"
import { percentile, whole } from "../support/Numbers.ts"
import { type Detector, run } from "./Lockstep.ts"
import { anotherVoice, coughs, mixed, music, pink, together, white } from "./Noises.ts"

const texts = [
  ...["Yes.", "No, thank you.", "Hello?", "I would like to change my appointment to next Tuesday at four."],
  ...["My number is four one five, eight nine two, three three one.", "Who is calling please?"],
  ...["Can you say that again?", "I am not sure, let me think about it for a moment.", "Stop calling me."],
  ...["That would be great.", "Nine thirty works for me.", "What does it cost?", "I do not have it here."],
]
const voices = ["en-us", "en-gb", "en-us+f3", "en-gb+m3", "en-us+f5", "en-gb-scotland"]
const count = 42
const speechDb = -22

interface Span {
  readonly from: number
  readonly to: number
}

/** Generates speech, with the times at which each utterance is loud enough to be heard. */
const speech = async (): Promise<{ readonly sound: Int16Array; readonly utterances: ReadonlyArray<Span> }> => {
  const chance = chanceOf(9)
  const parts: Array<readonly [number, Int16Array]> = []
  const utterances: Array<Span> = []
  let at = 2 * rate
  for (let index = 0; index < count; index++) {
    const voice = {
      name: voices[index % voices.length] ?? "en",
      speed: 150 + (index % 4) * 10,
      pitch: 40 + (index % 3) * 15,
    }
    const said = atLevel(await speak(voice, texts[index % texts.length] ?? ""), speechDb)
    const loud = Array.from({ length: Math.floor(said.length / 80) }, (_, part) => part).filter(
      (part) => levelOf(said.subarray(part * 80, (part + 1) * 80)) > speechDb - 24,
    )
    const ms = (sample: number) => (sample / rate) * 1_000
    utterances.push({ from: ms(at + (loud[0] ?? 0) * 80), to: ms(at + ((loud.at(-1) ?? 0) + 1) * 80) })
    parts.push([at, said])
    at += said.length + Math.floor(rate * (1.2 + chance() * 1.2))
  }
  return { sound: mixed(at + 2 * rate, parts), utterances }
}

interface Heard extends Span {
  /** When its beginning and its end were detected. */
  readonly on: number
  readonly off: number
}

const figuresOf = (heard: ReadonlyArray<Heard>, utterances: ReadonlyArray<Span>): ReadonlyArray<string> => {
  const near = ({ from, to }: Span) => heard.filter((span) => span.from < to + 150 && span.to > from - 150)
  const found = utterances.flatMap((utterance) => {
    const [first, ...rest] = near(utterance)
    return first === undefined ? [] : [{ utterance, first, last: rest.at(-1) ?? first, parts: rest.length + 1 }]
  })
  const overlaps = (span: Span) => utterances.filter(({ from, to }) => span.from < to && span.to > from).length
  const isNear = (span: Heard) => utterances.some(({ from, to }) => span.from < to + 150 && span.to > from - 150)
  const pair = (of: ReadonlyArray<number>) => `${whole(percentile(of, 0.5))} / ${whole(percentile(of, 0.95))} ms`
  return [
    pair(found.map(({ first, utterance }) => Math.max(0, first.on - utterance.from))),
    pair(found.map(({ last, utterance }) => last.off - utterance.to)),
    `${utterances.length - found.length}`,
    `${heard.filter((span) => !isNear(span)).length}`,
    `${heard.filter((span) => overlaps(span) > 1).length}`,
    `${found.filter(({ parts }) => parts > 1).length}`,
  ]
}

export const headings = ["sound", "by", "onset p50 / p95", "end p50 / p95", "missed", "spurious", "merged", "split"]

export const rows = async (): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const { sound, utterances } = await speech()
  const { length } = sound
  const sounds = [
    ["speech alone", sound],
    ["white noise, 10 dB below", together(sound, white(length, speechDb - 10))],
    ["pink noise, 8 dB below", together(sound, pink(length, speechDb - 8))],
    ["music, 15 dB below", together(sound, music(length, speechDb - 15))],
    ["music, 8 dB below", together(sound, music(length, speechDb - 8))],
    ["coughs, as loud", together(sound, coughs(length, speechDb))],
    ["another voice, 20 dB below", together(sound, await anotherVoice(length, speechDb - 20))],
  ] as const
  const measure = async (detector: Detector) => {
    const heard = sounds.map((): Array<Heard> => [])
    const open = sounds.map((): { from: number; on: number; to: number } | null => null)
    await run(
      detector,
      sounds.map(([, sound]) => sound),
      (voice, at, frame, now) => {
        const change = voice.hear(frame, { learns: true })
        if (change === "on") open[at] = { from: now - voice.onsetMs, on: now, to: now }
        const span = open[at] ?? null
        if (span === null) return
        if (voice.isVoiced) span.to = now - voice.delayMs
        if (change !== "off") return
        heard[at]?.push({ ...span, off: now })
        open[at] = null
      },
    )
    for (const [at, span] of open.entries())
      if (span !== null) heard[at]?.push({ ...span, off: (length / rate) * 1_000 })
    return heard.map((spans) => figuresOf(spans, utterances))
  }
  const [level, model] = [await measure("level"), await measure("silero")]
  return sounds.flatMap(([name], at) => [
    [name, "level", ...(level[at] ?? [])],
    ["", "silero", ...(model[at] ?? [])],
  ])
}
