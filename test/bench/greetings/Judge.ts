/**
 * A call to a generated party, without a line. Its sound goes through the detectors of voice and tones. Its words, of
 * which some are lost as by a recogniser, go to the conductor, which greets, waits, leaves a message or hangs up.
 */
import type { AnsweredBy } from "../../../src/domain/AnsweredBy.ts"
import { frameMs } from "../../../src/speech/Audio.ts"
import { Ear } from "../../../src/speech/Ear.ts"
import { VoiceActivity } from "../../../src/speech/VoiceActivity.ts"
import { MachineSounds } from "../../../src/speech/MachineSounds.ts"
import { CallRecord } from "../../../src/conversation/CallRecord.ts"
import { TestTalk } from "../../support/Talks.ts"
import { rate } from "./Espeak.ts"
import { type Chance, chanceOf, type Taken } from "./Taken.ts"

export interface Judged {
  readonly answeredBy: AnsweredBy | null
  readonly verdicts: ReadonlyArray<AnsweredBy["verdict"]>
  /** When the tone before a recording was detected. Null if it was not. */
  readonly beep_ms: number | null
  /** What the agent began to say, with the times. */
  readonly spoken: ReadonlyArray<{ readonly text: string; readonly at_ms: number }>
  readonly ended: string | null
  readonly ended_ms: number
}

const frameLength = (rate * frameMs) / 1_000
/** Milliseconds from the end of speech to a recogniser's final words. */
const recognisedMs = 250
const lostShare = 0.15
export const greeting = "Hello, this is Rosa from Harbor Dental."
/** The level of the agent's own sound, in dB below full scale. */
const spokenDb = -20

/** Drops some words, but never the only one: a recogniser that has heard a voice has at least one word. */
const withoutSome = (text: string, chance: Chance): string => {
  const words = text.split(" ")
  return words.filter((_, at) => chance() >= lostShare || (at === 0 && words.length === 1)).join(" ")
}

export const judge = ({ sound, utterances }: Taken, seed: number, leaves_message: boolean): Judged => {
  const chance = chanceOf(seed)
  const talk = new TestTalk({ leaves_message, greeting })
  const machine = new MachineSounds(rate)
  const heard = utterances.map((utterance) => ({ ...utterance, text: withoutSome(utterance.text, chance) }))
  let results: Array<{ readonly at: number; readonly text: string; readonly from: number; readonly to: number }> = []
  let given = 0
  const recogniser = {
    push: () => {},
    discard: () => {},
    finalise: (from: number, to: number) => {
      // An utterance belongs to the stretch of speech in which its middle lies.
      const within = heard.slice(given).filter(({ from_ms, to_ms }) => (from_ms + to_ms) / 2 <= to + frameMs)
      given += within.length
      const text = within.map(({ text }) => text).join(" ")
      if (text !== "") results.push({ at: talk.now + recognisedMs, text, from, to })
    },
  }
  const listener = {
    started: (at: number) => void talk.happens({ _tag: "SpeechStarted", at }),
    ended: (at: number) => void talk.happens({ _tag: "SpeechEnded", at }),
    suspected: () => {},
    cleared: () => {},
  }
  const ear = new Ear(new VoiceActivity(), recogniser, listener, 12)
  let beep_ms: number | null = null
  let seen = 0
  const spoken: Array<{ readonly text: string; readonly at_ms: number }> = []
  const look = () => {
    for (const command of talk.commands.slice(seen)) {
      if (command._tag === "Play") spoken.push({ text: command.piece.text, at_ms: talk.now })
    }
    const questions = talk.commands.slice(seen).filter(({ _tag }) => _tag === "Think").length
    seen = talk.commands.length
    if (questions > 0) talk.thinks("May I ask you a short question about your last visit?")
  }
  for (let at = 0; at + frameLength <= sound.length && talk.talk.ended === null; at += frameLength) {
    talk.wait(frameMs)
    const frame = sound.subarray(at, at + frameLength)
    ear.hear(frame, talk.now, talk.silent ? null : spokenDb)
    const told = machine.hear(frame)
    if (told === "beep") {
      beep_ms ??= talk.now
      talk.happens({ _tag: "Beep" })
    } else if (told !== null) talk.happens({ _tag: "Tone", tone: told })
    const due = results.filter((result) => result.at <= talk.now)
    results = results.filter((result) => result.at > talk.now)
    for (const { from, text, to } of due) talk.happens({ _tag: "Utterance", text, started_ms: from, ended_ms: to })
    look()
  }
  const record = new CallRecord()
  const notes = talk.all("NoteAnsweredBy")
  for (const { evidence, verdict } of notes) record.answeredBy(verdict, evidence)
  const verdicts = notes.map(({ verdict }) => verdict)
  const { ended } = talk.talk
  return { answeredBy: record.answered_by, verdicts, beep_ms, spoken, ended, ended_ms: talk.now }
}
