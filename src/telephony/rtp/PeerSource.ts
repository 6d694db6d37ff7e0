/**
 * The address that the peer's sound comes from (symmetric RTP). Behind NAT it differs from the one in the session
 * description. Anyone can send to an open port, so single packets do not move a call to another address. A peer that
 * was heard at the address of its session description stays on that machine, however long it is silent. Otherwise a
 * stranger who tries all ports would hear every call whose peer is on hold or suppresses silence. Plain code.
 */
import { isIPv6, SocketAddress } from "node:net"

export interface Endpoint {
  readonly host: string
  readonly port: number
}

/** After this many packets of one stream, their address becomes the peer's. */
const convincing = 3
/** The silence after which another port of the same machine, or another machine, can become the peer's. */
const silenceMs = { samePlace: 1_000, elsewhere: 5_000 } as const

/** Spells the address as sockets do, because an IPv6 address has many spellings. */
const canonical = ({ host, port }: Endpoint): Endpoint => ({
  host: isIPv6(host) ? new SocketAddress({ address: host, family: "ipv6" }).address : host,
  port,
})

const isSame = (one: Endpoint | null, other: Endpoint): boolean =>
  one !== null && one.port === other.port && one.host === other.host

export class PeerSource {
  #signalled: Endpoint | null = null
  #latched: Endpoint | null = null
  /** The peer was heard at the address of its session description. */
  #isCertain = false
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

  /** Takes the address of the peer's session description. If it differs from the previous one, the source is unknown again. */
  signal({ host, port }: Endpoint): void {
    const remote = canonical({ host, port })
    if (isSame(this.#signalled, remote)) return
    this.#signalled = remote
    this.#latched = null
    this.#isCertain = false
    this.#candidate = null
  }

  /** Whether this is the peer's present address. */
  isKnown(from: Endpoint): boolean {
    return isSame(this.#latched, from)
  }

  /** Takes the address of a valid packet, which may become the peer's. Returns whether it is the peer's. */
  accepts(from: Endpoint, ssrc: number, now: number): boolean {
    if (!isSame(this.#latched, from)) {
      const isSignalled = isSame(this.#signalled, from)
      if (!isSignalled && !this.#isConvincing(from, ssrc, now)) return false
      this.#isCertain ||= isSignalled
      this.#latched = { host: from.host, port: from.port }
    }
    this.#candidate = null
    this.#heardAt = now
    return true
  }

  #mayMove({ host }: Endpoint, now: number): boolean {
    if (this.#latched === null) return true
    const silentMs = now - this.#heardAt
    if (host === this.#latched.host) return silentMs >= silenceMs.samePlace
    return !this.#isCertain && silentMs >= silenceMs.elsewhere
  }

  #isConvincing(from: Endpoint, ssrc: number, now: number): boolean {
    if (!this.#mayMove(from, now)) return false
    const known = this.#candidate
    if (known === null || known.ssrc !== ssrc || !isSame(known.from, from)) {
      this.#candidate = { from: { host: from.host, port: from.port }, ssrc, packets: 1 }
      return false
    }
    known.packets++
    return known.packets >= convincing
  }
}
