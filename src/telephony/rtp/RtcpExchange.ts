/**
 * Exchanges RTCP reports with the peer. They tell the round trip, and how much of our sound the peer loses. Plain code.
 * Times are milliseconds of a monotonic clock, which RFC 3550 §6.4.1 permits.
 */
import type { Reception } from "./Reception.ts"
import { parseRtcp, toCompactTime, type SenderReport, writeRtcp } from "./RtcpPacket.ts"

/** How many of our reports are remembered: a peer answers one of the last, or none. */
const remembered = 4
const compact = 2 ** 32

export class RtcpExchange {
  readonly #ssrc: number
  readonly #name: string
  /** The peer's last sender report, and when it came. */
  #lastReport = 0
  #lastReportAt = 0
  /** The compact times of our last sender reports. */
  #ours: Array<number> = []
  #roundTripMs: number | null = null
  #peerLost = 0
  #hasLeft = false

  constructor(ssrc: number, name: string) {
    this.#ssrc = ssrc
    this.#name = name
  }

  /** The round trip; null until the peer has reported on our sound. */
  get roundTripMs(): number | null {
    return this.#roundTripMs
  }

  /** The share of our packets that the peer lost between its last two reports. */
  get peerLost(): number {
    return this.#peerLost
  }

  /** Whether the peer sent a BYE. That does not end the call: its signalling does. */
  get hasLeft(): boolean {
    return this.#hasLeft
  }

  /** Takes a compound packet. Returns false if the bytes are not one. */
  hear(bytes: Uint8Array, now: number): boolean {
    const packet = parseRtcp(bytes)
    if (packet === null) return false
    if (packet.byes.length > 0) this.#hasLeft = true
    for (const { blocks, sender } of packet.reports) {
      if (sender !== null) {
        this.#lastReport = toCompactTime(sender.clockMs)
        this.#lastReportAt = now
      }
      for (const { fractionLost, lastReport, sinceReport, ssrc } of blocks) {
        if (ssrc !== this.#ssrc) continue
        this.#peerLost = fractionLost / 256
        if (!this.#ours.includes(lastReport)) continue
        const taken = toCompactTime(now) - lastReport - sinceReport
        const unwrapped = taken < -compact / 2 ? taken + compact : taken
        this.#roundTripMs = Math.max(0, (unwrapped / 65_536) * 1_000)
      }
    }
    return true
  }

  /** Writes our report. `sender` is null if we sent no sound, `reception` if we received none. */
  report(sender: SenderReport | null, reception: Reception | null, now: number, leaves: boolean): Buffer {
    const sinceReport = Math.round(((now - this.#lastReportAt) / 1_000) * 65_536) % compact
    const known = { lastReport: this.#lastReport, sinceReport: this.#lastReport === 0 ? 0 : sinceReport }
    const blocks = reception === null ? [] : [{ ...reception.report(), ...known }]
    if (sender !== null) this.#ours = [...this.#ours, toCompactTime(sender.clockMs)].slice(-remembered)
    return writeRtcp({ ssrc: this.#ssrc, sender, blocks }, this.#name, leaves)
  }
}
