/** Sends signed requests to the process that ordered a call, with the current faults. */
import { createHmac } from "node:crypto"
import type { Dice, Faults } from "./Faults.ts"

/** A request, encoded and signed anew each time it is sent. */
export interface Message {
  readonly url: string
  readonly encode: () => { readonly headers: Readonly<Record<string, string>>; readonly body: string }
}

export type Parameters = Readonly<Record<string, string>>

/** The value of `X-Twilio-Signature`: HMAC-SHA1 over the URL and the parameters, sorted by name. */
const signature = (token: string, url: string, parameters: Parameters): string =>
  createHmac("sha1", token)
    .update(
      url +
        Object.keys(parameters)
          .sort()
          .map((name) => name + parameters[name])
          .join(""),
    )
    .digest("base64")

export const twilioMessage = (token: string, url: string, parameters: Parameters): Message => ({
  url,
  encode: () => ({
    headers: {
      "content-type": "application/x-www-form-urlencoded; charset=UTF-8",
      "user-agent": "TwilioProxy/1.1",
      "x-twilio-signature": signature(token, url, parameters),
    },
    body: new URLSearchParams(parameters).toString(),
  }),
})

/** Milliseconds to wait for a response, as Twilio does. */
const answerMs = 15_000

export class Callbacks {
  /** `waiting` counts requests that are scheduled or sent, and not answered yet. */
  readonly counts = { sent: 0, answered: 0, refused: 0, failed: 0, dropped: 0, waiting: 0 }
  private readonly faults: () => Faults
  private readonly dice: Dice

  constructor(faults: () => Faults, dice: Dice) {
    this.faults = faults
    this.dice = dice
  }

  /** Sends a report without waiting for the response. The faults may drop, duplicate, delay or reorder it. */
  report(message: Message): void {
    const { delay_ms, drop, duplicate, reorder, reorder_ms, storm } = this.faults().callbacks
    const copies = 1 + storm + (this.dice.chance(duplicate) ? 1 : 0)
    for (let copy = 0; copy < copies; copy++) {
      if (this.dice.chance(drop)) {
        this.counts.dropped++
        continue
      }
      const late = delay_ms + (this.dice.chance(reorder) || copy > 0 ? this.dice.between(0, reorder_ms) : 0)
      this.later(late, message)
    }
  }

  /** Sends the message after `late` milliseconds and ignores the result. */
  later(late: number, message: Message): void {
    this.counts.waiting++
    const settled = () => void this.counts.waiting--
    setTimeout(() => void this.send(message).then(settled, settled), late)
  }

  /**
   * Sends a request whose response the carrier needs, such as what to do next. Retries once if the connection fails.
   */
  async send({ encode, url }: Message): Promise<{ status: number; body: string }> {
    for (let attempt = 1; ; attempt++) {
      this.counts.sent++
      try {
        const response = await fetch(url, {
          method: "POST",
          redirect: "manual",
          ...encode(),
          signal: AbortSignal.timeout(answerMs),
        })
        const body = await response.text()
        this.counts[response.ok ? "answered" : "refused"]++
        return { status: response.status, body }
      } catch (cause) {
        this.counts.failed++
        if (attempt === 2) throw cause
        await new Promise((resolve) => setTimeout(resolve, 500))
      }
    }
  }
}
