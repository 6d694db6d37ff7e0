/** Conversations without a call: a test drives the conductor with events, and records the commands it gives. */
import type { ToolCall } from "../../src/brain/Brain.ts"
import type { Command } from "../../src/conversation/Command.ts"
import * as Conductor from "../../src/conversation/Conductor.ts"
import type { Setup, Talk } from "../../src/conversation/Talk.ts"
import type { TalkEvent } from "../../src/conversation/TalkEvent.ts"
import * as Timers from "../../src/conversation/Timers.ts"
import type { Position } from "../../src/speech/Playout.ts"
import { wholeUtterances } from "../../src/telephony/Manners.ts"

export const setup: Setup = {
  greeting: "Hello, this is Rosa.",
  disclosure: "",
  notice: "",
  opt_out_key: null,
  interruptible: true,
  language: "en",
  silence_ms: 22_000,
  max_ms: 600_000,
  leaves_message: false,
  meets_machines: true,
  has_voicemail_tool: false,
  has_keys: false,
  has_voice_model: false,
  has_tools: true,
  hands_over: false,
  tool_ms: () => 10_000,
  speed: 1,
  manners: wholeUtterances,
}

/** The milliseconds that a text takes to play in these conversations. */
const lengthOf = (text: string) => text.split(" ").length * 400

interface Sound extends Position {
  readonly since: number | null
}

/** A line that plays what it is given, and a clock that the test advances. */
export class TestTalk {
  talk: Talk
  now = 0
  /** Runs after every step. */
  watch: () => void = () => {}
  readonly commands: Array<Command> = []
  readonly #waiting: Array<{ readonly id: number; readonly text: string }> = []
  readonly #heard = new Map<number, { readonly started_ms: number; readonly ended_ms: number }>()
  #sound: Sound | null = null
  #held = false

  constructor(change: Partial<Setup> = {}) {
    this.talk = Conductor.begin({ ...setup, ...change })
  }

  get playing(): Position | null {
    if (this.#sound === null) return null
    const { since, ...position } = this.#sound
    const more = since === null ? 0 : this.now - since
    return { ...position, played_ms: Math.min(position.length_ms, position.played_ms + more) }
  }

  get silent(): boolean {
    return this.#sound === null && this.#waiting.length === 0
  }

  happens(event: TalkEvent): this {
    const [talk, commands] = Conductor.step(this.talk, event, { at: this.now, playing: this.playing })
    this.talk = talk
    for (const command of commands) this.#does(command)
    this.watch()
    return this
  }

  /** Lets time pass: sounds end and timers fire in their order. */
  wait(ms: number): this {
    const until = this.now + ms
    let atOnce = 0
    while (this.talk.ended === null) {
      const due = Timers.next(this.talk)
      const played = this.#endOfSound()
      const at = Math.max(this.now, Math.min(due.at, played))
      if (at > until) break
      atOnce = at > this.now ? 0 : atOnce + 1
      if (atOnce > 100) throw new Error(`${due.timer} is due for ever`)
      if (due.timer === "silence" && played > due.at && !this.silent)
        throw new Error("a silence while something is unheard")
      this.now = at
      if (played <= due.at) this.#soundEnds()
      else this.happens({ _tag: "Due", timer: due.timer })
    }
    this.now = Math.max(this.now, until)
    return this
  }

  /** The caller says the text, in the time that it takes. */
  says(text: string): this {
    const started_ms = this.now
    this.happens({ _tag: "SpeechStarted", at: started_ms }).wait(lengthOf(text))
    return this.happens({ _tag: "Utterance", text, started_ms, ended_ms: this.now })
  }

  /** The caller says something to a voice model. The words follow with `understood`. */
  isHeard(utterance: number, ms = 1_200): this {
    const started_ms = this.now
    this.happens({ _tag: "SpeechStarted", at: started_ms }).wait(ms)
    this.happens({ _tag: "SpeechEnded", at: this.now })
    this.#heard.set(utterance, { started_ms, ended_ms: this.now })
    return this.happens({ _tag: "Heard", utterance, started_ms, ended_ms: this.now })
  }

  understood(utterance: number, text: string | null): this {
    const times = this.#heard.get(utterance) ?? { started_ms: 0, ended_ms: 0 }
    return this.happens({ _tag: "Understood", utterance, text, ...times })
  }

  /** A voice model answers the last question with sound for these words. */
  speaks(sound: string, text: string): this {
    return this.happens({ ...this.asked, _tag: "Speaks", sound, after_ms: 0 }).happens({
      _tag: "Worded",
      of: { sound },
      text,
    })
  }

  /** The brain answers the last question. */
  thinks(...words: ReadonlyArray<string | ToolCall>): this {
    for (const word of words) {
      this.happens(
        typeof word === "string"
          ? { ...this.asked, _tag: "Said", text: word, after_ms: 0 }
          : { ...this.asked, _tag: "Called", call: word },
      )
    }
    return this.happens({ ...this.asked, _tag: "StepEnded", thought_ms: 0 })
  }

  /** The reply and step of the last question to the brain. */
  get asked(): { readonly reply: number; readonly step: number } {
    const question = this.last("Think")
    return { reply: question?.reply ?? 0, step: question?.step ?? 0 }
  }

  results(result: string, at = -1): this {
    return this.happens({ _tag: "Resulted", call: this.ran.at(at) ?? "", answer: { result } })
  }

  get ran(): ReadonlyArray<string> {
    return this.all("RunTool").map(({ id }) => id)
  }

  get said(): ReadonlyArray<string> {
    return this.all("Note").flatMap(({ spoken }) => (spoken.role === "agent" ? [spoken.text] : []))
  }

  all<Tag extends Command["_tag"]>(tag: Tag): ReadonlyArray<Extract<Command, { readonly _tag: Tag }>> {
    return this.commands.filter((command): command is Extract<Command, { readonly _tag: Tag }> => command._tag === tag)
  }

  last<Tag extends Command["_tag"]>(tag: Tag): Extract<Command, { readonly _tag: Tag }> | undefined {
    return this.all(tag).at(-1)
  }

  #does(command: Command): void {
    this.commands.push(command)
    if (command._tag === "Play") {
      this.#waiting.push(command.piece)
      this.#next(this.now)
    }
    if (command._tag === "Hold" && this.#sound !== null) {
      this.#held = true
      this.#sound = { ...this.#sound, played_ms: this.playing?.played_ms ?? 0, since: null }
    }
    if (command._tag === "Resume") {
      this.#held = false
      if (this.#sound?.since === null) this.#sound = { ...this.#sound, since: this.now }
    }
    if (command._tag === "Reword" && this.#sound?.piece === command.piece) {
      this.#sound = { ...this.#sound, length_ms: lengthOf(command.text) }
    }
    if (command._tag === "Cut") {
      this.#held = false
      this.#waiting.length = 0
      this.#sound = null
    }
  }

  #endOfSound(): number {
    if (this.#sound === null || this.#sound.since === null) return Infinity
    return this.#sound.since + this.#sound.length_ms - this.#sound.played_ms
  }

  #soundEnds(): void {
    const sound = this.#sound
    if (sound === null) return
    this.#sound = null
    this.#next(this.now)
    this.happens({ _tag: "Played", piece: sound.piece, started_ms: sound.started_ms, ended_ms: this.now })
  }

  #next(at: number): void {
    if (this.#sound !== null || this.#held) return
    const piece = this.#waiting.shift()
    if (piece === undefined) return
    this.#sound = { piece: piece.id, started_ms: at, played_ms: 0, length_ms: lengthOf(piece.text), since: at }
  }
}

/** A conversation in which the greeting was said and heard. */
export const greeted = (change: Partial<Setup> = {}): TestTalk =>
  new TestTalk(change).wait(300).says("Hello?").wait(1_600)

/** A conversation with a question that the brain has not answered yet. */
export const asked = (change: Partial<Setup> = {}): TestTalk => greeted(change).says("What is new?").wait(300)
