/**
 * One media stream, as Twilio opens it for `<Connect><Stream>`: a WebSocket to the given URL, signed, with a message for
 * each 20 ms of the far side's sound, and a buffer without end for what it is sent, which plays by a clock of its own.
 */
import { createHmac, randomBytes } from "node:crypto"
import { WebSocket } from "ws"
import { shareAt } from "../../support/ToneCode.ts"
import { samplesIn, toPayload } from "./MuLaw.ts"
import { frameLength, rate, type StreamedParty } from "./StreamedParty.ts"

const frameMs = 20
/** After a pause of the machine no more than this is made up for. */
const latestMs = 200
/** Softer sound counts as silence. */
const leastLevel = 150
/** The tones of the speech server's sentences. */
const tones = Array.from({ length: 12 }, (_, at) => 400 + at * 110)

export interface StreamOrder {
  readonly url: string
  readonly parameters: Readonly<Record<string, string>>
  readonly account_sid: string
  readonly call_sid: string
  readonly token: string
}

/** Sound of one tone (null: of none of them), between two moments of the stream's clock in milliseconds. */
export interface Played {
  readonly hz: number | null
  readonly from: number
  to: number
}

/** How a stream ended: its server closed it, refused it, or never had it; or the call left it. */
export type StreamEnd = "closed" | "refused" | "left" | "cut"

interface Mark {
  readonly mark: string
}

export class MediaStream {
  readonly sid = `MZ${randomBytes(16).toString("hex")}`
  readonly played: Array<Played> = []
  /** When the buffer was cleared, and how much of it was lost. */
  readonly clears: Array<{ readonly at: number; readonly lost_ms: number }> = []
  readonly counts = { media: 0, marks: 0, marks_early: 0, odd: 0 }
  end: { readonly how: StreamEnd; readonly code: number; readonly reason: string } | null = null
  /** Marks are not returned any more. */
  isMute = false
  /** Nothing is sent or played any more. */
  isFrozen = false
  now = 0
  readonly order: StreamOrder
  private readonly party: StreamedParty
  private readonly socket: WebSocket
  private readonly buffer: Array<Uint8Array | Mark> = []
  private sequence = 0
  private chunk = 0
  private clock: NodeJS.Timeout | undefined
  private settle: () => void = () => {}
  /** Resolves when the instructions go on after it. */
  readonly over = new Promise<void>((resolve) => (this.settle = resolve))

  constructor(order: StreamOrder, party: StreamedParty) {
    this.order = order
    this.party = party
    const signature = createHmac("sha1", order.token).update(order.url).digest("base64")
    this.socket = new WebSocket(order.url, {
      headers: { "x-twilio-signature": signature, "user-agent": "TwilioProxy/1.1" },
      perMessageDeflate: false,
      handshakeTimeout: 5_000,
    })
    this.socket.on("open", () => this.begin())
    this.socket.on("message", (data, isBinary) => this.take(isBinary ? "" : String(data)))
    this.socket.on("error", () => this.finish("refused", 0, ""))
    this.socket.on("close", (code, reason) => this.finish("closed", code, String(reason)))
  }

  /** The call goes elsewhere, or is over. */
  leave(): void {
    if (this.end !== null) return
    const { account_sid, call_sid } = this.order
    this.send("stop", { stop: { accountSid: account_sid, callSid: call_sid } })
    this.finish("left", 1000, "")
    this.socket.close()
  }

  /** The network breaks: no word of it. */
  cut(): void {
    this.finish("cut", 1006, "")
    this.socket.terminate()
  }

  press(digit: string): void {
    this.send("dtmf", { dtmf: { track: "inbound_track", digit } })
  }

  /** Sends what Twilio would never send. */
  sendRaw(message: string | Uint8Array, times: number): void {
    for (let sent = 0; sent < times; sent++) this.socket.send(message)
  }

  private send(event: string, fields: object): void {
    if (this.socket.readyState !== WebSocket.OPEN) return
    this.sequence++
    this.socket.send(JSON.stringify({ event, sequenceNumber: String(this.sequence), ...fields, streamSid: this.sid }))
  }

  private begin(): void {
    const { account_sid, call_sid, parameters } = this.order
    this.socket.send(JSON.stringify({ event: "connected", protocol: "Call", version: "1.0.0" }))
    this.send("start", {
      start: {
        accountSid: account_sid,
        streamSid: this.sid,
        callSid: call_sid,
        tracks: ["inbound"],
        mediaFormat: { encoding: "audio/x-mulaw", sampleRate: rate, channels: 1 },
        customParameters: parameters,
      },
    })
    let began = performance.now()
    let ticks = 0
    this.clock = setInterval(() => {
      const late = performance.now() - began - ticks * frameMs
      if (late > latestMs) began += late - latestMs
      while (this.end === null && ticks * frameMs < performance.now() - began) {
        ticks++
        if (!this.isFrozen) this.tick()
      }
    }, 5)
  }

  private tick(): void {
    const said = this.party.next(this.play())
    this.now += frameMs
    this.chunk++
    const payload = toPayload(said)
    const timestamp = String(this.now)
    this.send("media", { media: { track: "inbound", chunk: String(this.chunk), timestamp, payload } })
  }

  /** Plays the next 20 ms of the buffer; true if there was something to hear. */
  private play(): boolean {
    const frame = new Uint8Array(frameLength).fill(0xff)
    let filled = 0
    while (filled < frameLength) {
      const next = this.buffer[0]
      if (next === undefined) break
      if ("mark" in next) {
        this.buffer.shift()
        this.returnMark(next.mark)
        continue
      }
      const part = next.subarray(0, frameLength - filled)
      frame.set(part, filled)
      filled += part.length
      if (part.length === next.length) this.buffer.shift()
      else this.buffer[0] = next.subarray(part.length)
    }
    // A mark behind the last of the sound is due with it.
    for (let next = this.buffer[0]; next !== undefined && "mark" in next; next = this.buffer[0]) {
      this.buffer.shift()
      this.returnMark(next.mark)
    }
    const samples = samplesIn(frame)
    const level = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)
    if (level < leastLevel) return false
    this.note(tones.find((hz) => shareAt(hz, samples, rate) > 0.7) ?? null)
    return true
  }

  private note(hz: number | null): void {
    const last = this.played.at(-1)
    if (last !== undefined && last.hz === hz && last.to === this.now) last.to += frameMs
    else this.played.push({ hz, from: this.now, to: this.now + frameMs })
  }

  private returnMark(name: string): void {
    if (!this.isMute) this.send("mark", { mark: { name } })
  }

  private take(text: string): void {
    const message = JSON.parse(text === "" ? "{}" : text) as Record<string, any>
    if (message["streamSid"] !== this.sid) return void this.counts.odd++
    switch (message["event"]) {
      case "media":
        this.counts.media++
        return void this.buffer.push(Buffer.from(message["media"].payload, "base64"))
      case "mark":
        this.counts.marks++
        return void this.buffer.push({ mark: String(message["mark"].name) })
      case "clear": {
        const waiting = this.buffer.splice(0)
        const bytes = waiting.reduce((sum, item) => sum + ("mark" in item ? 0 : item.length), 0)
        this.clears.push({ at: this.now, lost_ms: Math.round((bytes * 1_000) / rate) })
        for (const item of waiting) {
          if (!("mark" in item)) continue
          this.counts.marks_early++
          this.returnMark(item.mark)
        }
        return
      }
      default:
        this.counts.odd++
    }
  }

  private finish(how: StreamEnd, code: number, reason: string): void {
    if (this.end !== null) return
    this.end = { how, code, reason }
    clearInterval(this.clock)
    this.settle()
  }
}
