/** The far end of a call over `<Say>` and `<Gather>`. It hears texts for as long as they take, and answers in text. */
import { type Party, saysGoodbye, spokenMs } from "./Parties.ts"

/** The call ended, or new instructions came. */
export class Stopped extends Error {}

/** Milliseconds of phone time, which the carrier's speed shortens. */
export const ms = {
  opening: 300,
  thinkLeast: 300,
  thinkMost: 900,
  farewell: 600,
  barge: 1_200,
  drop: 900,
  records: 600_000,
}

/** What the party needs of its call. */
interface Call {
  readonly speed: number
  readonly between: (least: number, most: number) => number
  readonly after: (phoneMs: number, act: () => void) => void
  readonly hangUp: () => void
}

export class GatheredParty {
  readonly transcript: Array<{ readonly role: "agent" | "caller"; readonly text: string }> = []
  private readonly party: Party
  private readonly call: Call
  private readonly lines: Array<string>
  /** The party's next text and its time in milliseconds of `Date.now`. */
  private next: { readonly at: number; readonly text: string; readonly thenHangsUp: boolean } | null = null

  constructor(party: Party, call: Call) {
    this.party = party
    this.call = call
    this.lines = [...(party.lines ?? [])]
    if (party.opening !== null) this.plan(party.opening, ms.opening, false)
  }

  /** Hears the agent's text. Returns true if the party interrupts it, which is possible while the agent listens. */
  async hear(text: string, isListening: boolean, signal: AbortSignal): Promise<boolean> {
    const { party } = this
    const whole = spokenMs(text)
    const barges = isListening && party.barges_in === true && this.lines.length > 0
    const until = party.drops_mid_sentence ? Math.min(ms.drop, whole) : barges ? Math.min(ms.barge, whole) : whole
    await this.sleep(until, signal)
    this.transcript.push({ role: "agent", text })
    if (party.drops_mid_sentence) {
      this.call.hangUp()
      throw new Stopped()
    }
    if (party.lines !== null && !party.machine) {
      const line = saysGoodbye(text) ? undefined : this.lines.shift()
      const pause = barges ? 0 : this.call.between(ms.thinkLeast, ms.thinkMost)
      this.plan(line ?? "Goodbye.", pause, line === undefined)
    }
    return until < whole
  }

  /**
   * Waits for the party's text. Returns null if it says nothing within `timeout`. Text planned while the agent did not
   * listen is kept.
   */
  async speak(timeout: number, signal: AbortSignal): Promise<string | null> {
    const until = Date.now() + timeout / this.call.speed
    if (this.next === null || this.next.at > until) {
      await pause(until - Date.now(), signal)
      return null
    }
    const { at, text, thenHangsUp } = this.next
    this.next = null
    await pause(at - Date.now() + spokenMs(text) / this.call.speed, signal)
    this.transcript.push({ role: "caller", text })
    if (thenHangsUp) this.call.after(ms.farewell, this.call.hangUp)
    if (this.party.machine) this.call.after(ms.records, this.call.hangUp)
    return text
  }

  /** Lets phone time pass. Rejects with `Stopped` if the signal aborts. */
  sleep(phoneMs: number, signal: AbortSignal): Promise<void> {
    return pause(phoneMs / this.call.speed, signal)
  }

  private plan(text: string, inMs: number, thenHangsUp: boolean): void {
    this.next = { at: Date.now() + inMs / this.call.speed, text, thenHangsUp }
  }
}

const pause = (realMs: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new Stopped())
    const timer = setTimeout(resolve, Math.max(0, realMs))
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      reject(new Stopped())
    })
  })
