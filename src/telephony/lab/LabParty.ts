/**
 * A simulated party on a lab call: it listens, answers, interrupts and hangs up. Its next act follows from its plan and
 * from what is being said to it. Times are milliseconds of phone time since the answer.
 */
import type { Gone, LineEvent } from "../Telephony.ts"
import type { LabSpeech } from "./LabSpeech.ts"
import { type Answer, farewell, type Party, spokenMs } from "./Personas.ts"

/** An event at a known time, unless another event comes first. */
export interface Act {
  readonly at: number
  readonly run: () => void
}

/** What the party wants to do next. */
type Plan =
  | { readonly _tag: "Speaks"; readonly at: number; readonly text: string; readonly thenHangsUp: boolean }
  | { readonly _tag: "Beeps"; readonly at: number }
  | { readonly _tag: "HangsUp"; readonly at: number }

/** What the party is saying. */
interface Speech {
  readonly text: string
  readonly at: number
  readonly thenHangsUp: boolean
}

export interface Surroundings {
  readonly speech: LabSpeech
  readonly tell: (event: LineEvent) => void
  /** Between 0 and 1. */
  readonly random: () => number
  /** Computes the party's answer with `choose`, and calls `decide` once with it, at once or later. */
  readonly think: (choose: NonNullable<Party["answer"]>, heard: string, decide: (answer: Answer) => void) => void
}

/** The party says hello after `openingAfterMs`. Before an answer it thinks for a time in the range of `thinkingMs`. */
const openingAfterMs = 300
const thinkingMs = { least: 300, most: 900 }
const hangsUpAfterGoodbyeMs = 600
/** How long the agent has spoken when a party talks over it, and when a line breaks. */
const bargesInAfterMs = 1_200
const dropsAfterMs = 900
/** How long a machine records. */
const machineRecordsMs = 60_000
const beepsAfterMs = 400

export class LabParty {
  readonly #party: Party
  readonly #lines: Array<string>
  readonly #speech: LabSpeech
  readonly #tell: (event: LineEvent) => void
  readonly #random: () => number
  readonly #think: Surroundings["think"]
  #plan: Plan | null
  #speaks: Speech | null = null
  #interrupts: Answer["interrupts"] = null
  #isGone = false

  constructor(party: Party, { random, speech, tell, think }: Surroundings) {
    const { lines, opening } = party
    this.#party = party
    this.#lines = [...(lines ?? [])]
    this.#speech = speech
    this.#tell = tell
    this.#random = random
    this.#think = think
    this.#plan = opening === null ? null : { _tag: "Speaks", at: openingAfterMs, text: opening, thenHangsUp: false }
  }

  get isGone(): boolean {
    return this.#isGone
  }

  /** Returns the earliest act that can come next. Of two at the same time, the first of `#acts` wins. */
  next(): Act | null {
    if (this.#isGone) return null
    let first: Act | null = null
    for (const act of this.#acts()) if (first === null || act.at < first.at) first = act
    return first
  }

  /** Plans an answer if the agent has said all that it had to say. */
  react(): void {
    const heard = this.#speech.takeSaid()
    if (heard === null) return
    // The agent may report its end long after its last word. The party has been thinking since that word.
    const at = this.#speech.silentSince
    if (this.#party.machine === true || this.#party.lines === null || this.#plan?._tag === "HangsUp") return
    const pause = Math.round(thinkingMs.least + this.#random() * (thinkingMs.most - thinkingMs.least))
    if (this.#plan?._tag === "Speaks") this.#plan = { ...this.#plan, at: at + pause }
    else if (this.#speaks === null) this.#answer(heard, at + pause)
  }

  *#acts(): Iterable<Act> {
    const { hangs_up_after_ms } = this.#party
    if (hangs_up_after_ms !== undefined)
      yield { at: hangs_up_after_ms, run: () => this.#leave("hung_up", hangs_up_after_ms) }
    if (this.#speaks !== null) yield this.#endOfSpeech(this.#speaks)
    else if (this.#plan !== null && (this.#plan._tag !== "Speaks" || this.#speech.isSilent))
      yield this.#carryOut(this.#plan)
    yield* this.#whileAgentSpeaks()
  }

  *#whileAgentSpeaks(): Iterable<Act> {
    const { speaking } = this.#speech
    if (speaking === null) return
    const { endsAt, piece, saidFrom } = speaking
    yield { at: endsAt, run: () => this.#hearEnd(endsAt) }
    if (this.#party.drops_mid_sentence === true) {
      const at = saidFrom + dropsAfterMs
      yield { at, run: () => this.#leave("lost", at) }
    }
    if (!piece.interruptible || this.#speaks !== null) return
    if (this.#party.barges_in === true && this.#lines.length > 0) {
      const at = saidFrom + bargesInAfterMs
      yield { at, run: () => this.#startSpeech({ at, text: this.#lines.shift() ?? farewell, thenHangsUp: false }) }
    } else if (this.#interrupts !== null) yield this.#interruption(this.#interrupts, saidFrom)
  }

  #hearEnd(at: number): void {
    const played = this.#speech.finish(at)
    this.react()
    // Must come last: a listener may answer before this returns.
    if (played !== null) this.#tell({ _tag: "Played", ...played })
  }

  #interruption({ after_ms, text }: NonNullable<Answer["interrupts"]>, saidFrom: number): Act {
    const at = saidFrom + after_ms
    const run = () => {
      this.#interrupts = null
      this.#startSpeech({ at, text, thenHangsUp: false })
    }
    return { at, run }
  }

  #endOfSpeech({ at: started_ms, text, thenHangsUp }: Speech): Act {
    const ended_ms = started_ms + spokenMs(text)
    const run = () => {
      this.#speaks = null
      if (this.#party.machine === true) this.#plan = { _tag: "Beeps", at: ended_ms + beepsAfterMs }
      else if (thenHangsUp) this.#plan = { _tag: "HangsUp", at: ended_ms + hangsUpAfterGoodbyeMs }
      this.#tell({ _tag: "Utterance", text, started_ms, ended_ms })
    }
    return { at: ended_ms, run }
  }

  #carryOut(plan: Plan): Act {
    const { at } = plan
    const run = () => {
      this.#plan = null
      switch (plan._tag) {
        case "Speaks":
          return this.#startSpeech(plan)
        case "HangsUp":
          return this.#leave("hung_up", at)
        case "Beeps":
          this.#plan = { _tag: "HangsUp", at: at + machineRecordsMs }
          return this.#tell({ _tag: "Beep" })
      }
    }
    return { at, run }
  }

  #startSpeech(speech: Speech): void {
    this.#speaks = speech
    this.#plan = null
    this.#speech.interrupt(speech.at)
    this.#tell({ _tag: "SpeechStarted", at: speech.at })
  }

  #leave(how: Gone, at: number): void {
    this.#isGone = true
    this.#speech.hold(at)
    this.#tell({ _tag: "Gone", how })
  }

  #answer(heard: string, at: number): void {
    const { answer } = this.#party
    if (this.#interrupts !== null) {
      this.#plan = { _tag: "Speaks", at, text: this.#interrupts.text, thenHangsUp: false }
      this.#interrupts = null
    } else if (answer === undefined) {
      this.#plan = this.#planLine(heard, at)
    } else {
      this.#think(answer, heard, (decision) => {
        this.#interrupts = decision.interrupts
        this.#plan = planOf(decision, at)
      })
    }
  }

  #planLine(heard: string, at: number): Plan {
    const line = saysGoodbye(heard) ? undefined : this.#lines.shift()
    return { _tag: "Speaks", at, text: line ?? farewell, thenHangsUp: line === undefined }
  }
}

const saysGoodbye = (text: string) => /\bgood ?bye\b|\bbye\b/iu.test(text)

const planOf = ({ hangs_up, text }: Answer, at: number): Plan | null => {
  if (text !== null) return { _tag: "Speaks", at, text, thenHangsUp: hangs_up }
  return hangs_up ? { _tag: "HangsUp", at } : null
}
