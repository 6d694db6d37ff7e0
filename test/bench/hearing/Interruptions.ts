/**
 * Callers who interrupt an agent, who only signal that they listen, and who cough, through the ear and the conductor.
 */
import { Ear } from "../../../src/speech/Ear.ts"
import { frameMs, levelOf } from "../../../src/speech/Audio.ts"
import { TestTalk } from "../../support/Talks.ts"
import { atLevel, rate, speak } from "../greetings/Espeak.ts"
import { percent, percentile, whole } from "../support/Numbers.ts"
import { type Detector, run } from "./Lockstep.ts"
import { coughs, mixed, pink, together } from "./Noises.ts"

const interruptions = [
  ...["Stop.", "Wait a moment.", "No, that is not right.", "Stop calling me.", "Excuse me, who is this?", "Hold on."],
  ...["Actually I have a question.", "But I already paid that.", "Can I speak to a person?", "That's wrong."],
  ...["I don't want that.", "What does it cost?", "Sorry, can you repeat that?", "Who gave you my number?"],
  ...["I have to go now.", "Not on Tuesday, please.", "Can we do it tomorrow?", "How long does it take?"],
  ...["Please call me later.", "No no no."],
]
const backChannels = [
  ...["mm-hm", "uh-huh", "yeah", "okay", "right", "sure", "I see", "yes", "mhm", "ah", "hmm", "oh", "alright", "good"],
  ...["fine", "great", "got it", "thanks", "oh okay", "thank you"],
]
const voices = ["en-us", "en-gb", "en-us+f3", "en-us+m3", "en-gb-scotland", "en-us+f5", "en-gb+m4", "en-us+f2"]
const speeds = [160, 190]
const each = 200
const speechDb = -22
const noiseDb = speechDb - 25
/** When the caller begins to speak, in milliseconds. The agent is speaking by then. */
const beginMs = 4_000
const callMs = 9_000
/** Milliseconds from the end of speech to the final words, and from a word's end to its interim result. */
const finalMs = 250
const interimMs = 300
const agentDb = -20
const words = Array.from({ length: 60 }, () => "word").join(" ")

interface Case {
  readonly text: string
  readonly sound: Int16Array
  readonly from_ms: number
  readonly to_ms: number
}

const samples = (ms: number) => (rate * ms) / 1_000

const caseOf = (text: string, said: Int16Array, seed: number): Case => {
  const loud = Array.from({ length: Math.floor(said.length / 80) }, (_, part) => part).filter(
    (part) => levelOf(said.subarray(part * 80, (part + 1) * 80)) > speechDb - 24,
  )
  const sound = together(pink(samples(callMs), noiseDb, seed), mixed(samples(callMs), [[samples(beginMs), said]]))
  return { text, sound, from_ms: beginMs + (loud[0] ?? 0) * 10, to_ms: beginMs + ((loud.at(-1) ?? 0) + 1) * 10 }
}

const said = async (texts: ReadonlyArray<string>): Promise<ReadonlyArray<Case>> => {
  const cases: Array<Case> = []
  for (let index = 0; index < each; index++) {
    const text = texts[index % texts.length] ?? ""
    const turn = Math.floor(index / texts.length)
    const voice = { name: voices[turn % voices.length] ?? "en", speed: speeds[index % speeds.length] ?? 160, pitch: 50 }
    cases.push(caseOf(text, atLevel(await speak(voice, text), speechDb), index + 1))
  }
  return cases
}

const coughed = (): ReadonlyArray<Case> =>
  Array.from({ length: each }, (_, index) => caseOf("", coughs(samples(2_500), speechDb, index + 11), index + 1))

interface Happened {
  readonly ducked: number | null
  readonly silent: number | null
  readonly isCut: boolean
  /** The milliseconds for which the agent was silent before it went on. */
  readonly heldMs: number
}

/** Plays the cases and returns what happened. `streams` is true if the recogniser gives words while they are spoken. */
const measure = async (cases: ReadonlyArray<Case>, detector: Detector, streams: boolean) => {
  const calls = cases.map(({ from_ms, text, to_ms }) => {
    const talk = new TestTalk({ greeting: words, meets_machines: false })
    const due: Array<{ readonly at: number; readonly happen: () => void }> = []
    let ducked: number | null = null
    let silent: number | null = null
    let heldMs = 0
    const all = text.split(" ").filter((word) => word !== "")
    const recogniser = {
      push: () => {},
      discard: () => {},
      finalise: (started_ms: number, ended_ms: number) => {
        if (text === "") return
        due.push({
          at: talk.now + finalMs,
          happen: () => talk.happens({ _tag: "Utterance", text, started_ms, ended_ms }),
        })
      },
    }
    const listener = {
      started: (at: number) => void talk.happens({ _tag: "SpeechStarted", at }),
      ended: (at: number) => void talk.happens({ _tag: "SpeechEnded", at }),
      suspected: () => {
        ducked ??= talk.now
      },
      cleared: () => {},
    }
    const wordsBy = (at: number) =>
      all.slice(0, Math.floor((all.length * (at - interimMs - from_ms)) / Math.max(1, to_ms - from_ms))).join(" ")
    let told = ""
    const tick = (ear: Ear, frame: Int16Array) => {
      talk.wait(frameMs)
      ear.hear(frame, talk.now, talk.silent ? null : agentDb)
      for (const { happen } of due.splice(0, due.filter(({ at }) => at <= talk.now).length)) happen()
      const spoken = streams ? wordsBy(talk.now) : ""
      if (spoken !== told && talk.talk.caller.speaking_since !== null) {
        talk.happens({ _tag: "Words", text: spoken })
        told = spoken
      }
      if (talk.last("Hold") !== undefined) silent ??= talk.now
      if (talk.talk.held_since !== null) heldMs += frameMs
    }
    return { talk, recogniser, listener, tick, read: () => ({ ducked, silent, heldMs }) }
  })
  const ears = new Map<number, Ear>()
  await run(
    detector,
    cases.map(({ sound }) => sound),
    (voice, at, frame) => {
      const call = calls[at]
      if (call === undefined) return
      const ear = ears.get(at) ?? new Ear(voice, call.recogniser, call.listener, 12)
      ears.set(at, ear)
      call.tick(ear, frame)
    },
  )
  return calls.map(({ read, talk }, at): Happened => {
    const { ducked, heldMs, silent } = read()
    const from = cases[at]?.from_ms ?? 0
    const after = (moment: number | null) => (moment === null ? null : moment - from)
    return { ducked: after(ducked), silent: after(silent), isCut: talk.last("Cut") !== undefined, heldMs }
  })
}

const pair = (of: ReadonlyArray<number | null>): string => {
  const known = of.filter((one) => one !== null)
  return known.length === 0 ? "–" : `${whole(percentile(known, 0.5))} / ${whole(percentile(known, 0.95))} ms`
}

export const headings = ["caller", "by", "words", "ducked p50 / p95", "silent p50 / p95", "falls silent", "for", "cut"]

export const rows = async (): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const kinds = [
    ["interrupts", await said(interruptions)],
    ["back-channel", await said(backChannels)],
    ["coughs", coughed()],
  ] as const
  const found: Array<ReadonlyArray<string>> = []
  for (const [kind, cases] of kinds) {
    for (const detector of ["level", "silero"] as const) {
      for (const streams of kind === "coughs" ? [false] : [false, true]) {
        const happened = await measure(cases, detector, streams)
        const share = (holds: (one: Happened) => boolean) => percent(happened.filter(holds).length / cases.length)
        found.push([
          ...[kind, detector, streams ? "as spoken" : "at the end"],
          pair(happened.map(({ ducked }) => ducked)),
          pair(happened.map(({ silent }) => silent)),
          share(({ silent }) => silent !== null),
          pair(happened.map(({ heldMs, isCut }) => (isCut || heldMs === 0 ? null : heldMs))),
          share(({ isCut }) => isCut),
        ])
      }
    }
  }
  return found
}
