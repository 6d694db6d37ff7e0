/** The far end of a call over a media stream. It speaks in tones, and hears when the agent is silent. */
import { joined, silence, sine, spoken } from "../../support/ToneCode.ts"
import { type Party } from "./Parties.ts"

export const rate = 8_000
export const frameLength = rate / 50
const frameMs = 20

/** Milliseconds of sound time, which no speed shortens. */
const ms = { opening: 300, quiet: 800, thinkLeast: 300, thinkMost: 900, barge: 1_200, drop: 900, farewell: 300 }
/** Milliseconds. Shorter sounds of the agent do not count as speech. */
const leastHeardMs = 200
const overtoneHz = 3_400
const beep = { hz: 1_000, ms: 700 }

/** The part of a text that a recogniser of tones can understand. */
const tonedOf = (text: string): string => {
  const words = text
    .toLowerCase()
    .replaceAll(/[^a-z' ]/g, "")
    .split(" ")
    .filter((word) => {
      try {
        return spoken(word, rate).length > 0
      } catch {
        return false
      }
    })
  return words.length === 0 ? "yes" : words.join(" ")
}

/** What the far end said, and from when to when by its own clock in milliseconds. */
export interface Said {
  readonly text: string
  readonly from: number
  to: number
}

export class StreamedParty {
  readonly said: Array<Said> = []
  private readonly party: Party
  private readonly between: (least: number, most: number) => number
  private readonly hangUp: () => void
  private readonly lines: Array<string>
  private frames: Array<Int16Array> = []
  private now = 0
  private heardMs = 0
  private quietMs = 0
  private plan: { readonly at: number; readonly text: string } | null = null
  private leavesAt: number | null = null

  constructor(party: Party, between: (least: number, most: number) => number, hangUp: () => void) {
    this.party = party
    this.between = between
    this.hangUp = hangUp
    this.lines = [...(party.lines ?? [])]
    if (party.opening !== null) this.plan = { at: ms.opening, text: party.opening }
  }

  /** Says the text at once. */
  say(text: string): void {
    const words = tonedOf(text)
    const sound = joined(voiced(spoken(words, rate)), this.party.machine === true ? machineTone : silence(0, rate))
    for (let at = 0; at < sound.length; at += frameLength) {
      const frame = new Int16Array(frameLength)
      frame.set(sound.subarray(at, at + frameLength))
      this.frames.push(frame)
    }
    this.said.push({ text: words, from: this.now, to: this.now + this.frames.length * frameMs })
    this.heardMs = 0
  }

  /** Called every 20 ms with whether the agent is audible. Returns the far end's next frame. */
  next(isHeard: boolean): Int16Array {
    this.now += frameMs
    this.listen(isHeard)
    if (this.leavesAt !== null && this.now >= this.leavesAt) this.hangUp()
    if (this.plan !== null && this.now >= this.plan.at) {
      const { text } = this.plan
      this.plan = null
      this.say(text)
    }
    return this.frames.shift() ?? new Int16Array(frameLength)
  }

  private listen(isHeard: boolean): void {
    const { barges_in, drops_mid_sentence, lines, machine } = this.party
    this.quietMs = isHeard ? 0 : this.quietMs + frameMs
    if (isHeard) this.heardMs += frameMs
    if (drops_mid_sentence === true && this.heardMs >= ms.drop) return this.hangUp()
    if (lines === null || machine === true || this.frames.length > 0 || this.plan !== null) return
    if (barges_in === true && this.lines.length > 0 && this.heardMs >= ms.barge)
      return this.say(this.lines.shift() ?? "")
    if (this.heardMs < leastHeardMs || this.quietMs < ms.quiet) return
    this.heardMs = 0
    const line = this.lines.shift()
    const at = this.now + Math.round(this.between(ms.thinkLeast, ms.thinkMost))
    this.plan = { at, text: line ?? "Goodbye." }
    if (line === undefined) this.leavesAt = at + 2_000 + ms.farewell
  }
}

/** Adds an overtone, since a pure tone would count as a machine's beep. */
const voiced = (sound: Int16Array): Int16Array =>
  sound.map((sample, at) => (sample === 0 ? 0 : sample + 7_500 * Math.sin((2 * Math.PI * overtoneHz * at) / rate)))

const machineTone = joined(silence(400, rate), sine(beep.hz, beep.ms, rate))
