/**
 * One media stream: a WebSocket that sends a message for each 20 ms of the far end's sound. Received sound goes to an
 * unbounded buffer, which plays by the stream's own clock.
 */
import { WebSocket } from "ws"
import { shareAt } from "../../support/ToneCode.ts"
import { samplesIn, toPayload } from "./MuLaw.ts"
import { frameLength, rate, type StreamedParty } from "./StreamedParty.ts"
import type { StreamWire } from "./StreamWire.ts"

const frameMs = 20
/** One message of this many is overtaken by the next, where the carrier promises no order. */
const shuffledEvery = 25
/** The most milliseconds that are caught up after the machine stalled. */
const latestMs = 200
/** The level below which sound counts as silence. */
const leastLevel = 150
/** The tones of the speech server's sentences, in Hz. */
const tones = Array.from({ length: 12 }, (_, at) => 400 + at * 110)

/** Sound of one tone (null: none of the known tones), between two times of the stream's clock in milliseconds. */
export interface Played {
  readonly hz: number | null
  readonly from: number
  to: number
}

/**
 * How a stream ended: the server closed it (`closed`), refused or could not be reached (`refused`), the call left it
 * (`left`), or the network broke (`cut`).
 */
export type StreamEnd = "closed" | "refused" | "left" | "cut"

interface Mark {
  readonly mark: string
}

export class MediaStream {
  readonly played: Array<Played> = []
  /** When the buffer was cleared, and how much sound was lost. */
  readonly clears: Array<{ readonly at: number; readonly lost_ms: number }> = []
  readonly counts = { media: 0, marks: 0, marks_early: 0, odd: 0 }
  end: { readonly how: StreamEnd; readonly code: number; readonly reason: string } | null = null
  /** True if marks are not returned. */
  isMute = false
  /** True if nothing is sent or played. */
  isFrozen = false
  now = 0
  readonly wire: StreamWire
  private readonly party: StreamedParty
  private readonly socket: WebSocket
  private readonly buffer: Array<Uint8Array | Mark> = []
  private sequence = 0
  private chunk = 0
  private clock: NodeJS.Timeout | undefined
  private settle: () => void = () => {}
  /** Resolves when the stream has ended, so that the instructions after it go on. */
  readonly over = new Promise<void>((resolve) => (this.settle = resolve))
  private begun: () => void = () => {}
  /** Resolves when the server has accepted the stream. */
  readonly started = new Promise<void>((resolve) => (this.begun = resolve))

  /** A message that the next one will overtake. */
  private late: string | null = null

  constructor(wire: StreamWire, party: StreamedParty) {
    this.wire = wire
    this.party = party
    this.socket = new WebSocket(wire.url, {
      headers: wire.headers,
      perMessageDeflate: false,
      handshakeTimeout: 5_000,
    })
    this.socket.on("open", () => this.begin())
    this.socket.on("message", (data, isBinary) => this.take(isBinary ? "" : String(data)))
    this.socket.on("error", () => this.finish("refused", 0, ""))
    this.socket.on("close", (code, reason) => this.finish("closed", code, String(reason)))
  }

  /** Stops the stream, since the call moves on or has ended. */
  leave(): void {
    if (this.end !== null) return
    this.send("stop", this.wire.stop)
    this.finish("left", 1000, "")
    this.socket.close()
  }

  /** Breaks the network without a close. */
  cut(): void {
    this.finish("cut", 1006, "")
    this.socket.terminate()
  }

  press(digit: string): void {
    this.send("dtmf", this.wire.key(digit))
  }

  /** Sends a message that no carrier would send. */
  sendRaw(message: string | Uint8Array, times: number): void {
    for (let sent = 0; sent < times; sent++) this.socket.send(message)
  }

  private send(event: string, fields: object): void {
    if (this.socket.readyState !== WebSocket.OPEN) return
    this.sequence++
    const text = JSON.stringify({ event, ...this.wire.envelope(this.sequence), ...fields })
    if (event === "media" && this.wire.shuffles && this.sequence % shuffledEvery === 0) {
      this.late = text
      return
    }
    this.socket.send(text)
    if (this.late !== null) this.socket.send(this.late)
    this.late = null
  }

  private begin(): void {
    this.socket.send(JSON.stringify(this.wire.connected))
    this.send("start", this.wire.start)
    this.begun()
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

  /** Plays the next 20 ms of the buffer. Returns true if there was audible sound. */
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
    // A mark right behind the last sound is due with it.
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
    if (!this.wire.owns(message)) return void this.counts.odd++
    switch (message["event"]) {
      case "media":
        this.counts.media++
        if (!this.wire.plays) return
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
