/**
 * From which address the peer's sound comes (symmetric RTP). Behind a NAT it is not the one in the session description,
 * and anyone can send to an open port, so a call does not move to another address because of single packets. Plain code.
 */
import { isIPv6, SocketAddress } from "node:net"

export interface Endpoint {
  readonly host: string
  readonly port: number
}

/** A new address counts once so many packets of one stream came from it. */
const convincing = 3
/** The present address is only left after so much silence. */
const silenceMs = 1_000

/** As sockets write it: an IPv6 address has many spellings. */
const canonical = ({ host, port }: Endpoint): Endpoint => ({
  host: isIPv6(host) ? new SocketAddress({ address: host, family: "ipv6" }).address : host,
  port,
})

const isSame = (one: Endpoint | null, other: Endpoint): boolean =>
  one !== null && one.port === other.port && one.host === other.host

export class PeerSource {
  #signalled: Endpoint | null = null
  #latched: Endpoint | null = null
  #heardAt = 0
  #candidate: { readonly from: Endpoint; readonly ssrc: number; packets: number } | null = null

  /** Where the peer's sound comes from; null until that is known. */
  get latched(): Endpoint | null {
    return this.#latched
  }

  /** Where sound for the peer goes; null before a session description named an address. */
  get destination(): Endpoint | null {
    return this.#latched ?? this.#signalled
  }

  /** The peer's session description names this address. A different one than before is a new beginning. */
  signal({ host, port }: Endpoint): void {
    const remote = canonical({ host, port })
    if (isSame(this.#signalled, remote)) return
    this.#signalled = remote
    this.#latched = null
    this.#candidate = null
  }

  /** Whether these packets come from the peer as it is known so far. */
  isKnown(from: Endpoint): boolean {
    return isSame(this.#latched, from)
  }

  /** Whether a valid packet is the peer's. */
  accepts(from: Endpoint, ssrc: number, now: number): boolean {
    if (!isSame(this.#latched, from)) {
      if (!isSame(this.#signalled, from) && !this.#isConvincing(from, ssrc, now)) return false
      this.#latched = { host: from.host, port: from.port }
    }
    this.#candidate = null
    this.#heardAt = now
    return true
  }

  #isConvincing(from: Endpoint, ssrc: number, now: number): boolean {
    if (this.#latched !== null && now - this.#heardAt < silenceMs) return false
    const known = this.#candidate
    if (known === null || known.ssrc !== ssrc || !isSame(known.from, from)) {
      this.#candidate = { from: { host: from.host, port: from.port }, ssrc, packets: 1 }
      return false
    }
    known.packets++
    return known.packets >= convincing
  }
}
