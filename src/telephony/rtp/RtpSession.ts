/**
 * The RTP session of one call: its two sockets, which live as long as the call's scope, with encryption, reports and
 * the peer's address. Plain code for each frame: `hear` and `send` are called every 20 ms.
 */
import { Context, Effect, Layer, type Scope } from "effect"
import { randomBytes, randomInt } from "node:crypto"
import type { SoundFigures } from "../../domain/SoundFigures.ts"
import { isPublic } from "../../outbound/AddressGuard.ts"
import { MediaClock } from "../MediaClock.ts"
import { hostFor } from "../PublicHosts.ts"
import { MediaSettings } from "./MediaSettings.ts"
import { PacketAllowance } from "./PacketAllowance.ts"
import { type Endpoint, PeerSource } from "./PeerSource.ts"
import { type PortPair, Ports, type PortsExhausted } from "./Ports.ts"
import { RtcpExchange } from "./RtcpExchange.ts"
import { isRtcp, parseRtp } from "./RtpPacket.ts"
import { RtpReceiver } from "./RtpReceiver.ts"
import { RtpSender } from "./RtpSender.ts"
import type { AgreedSound } from "./Sdp.ts"
import * as SoundMetrics from "./SoundMetrics.ts"
import { estimateMos } from "./SoundQuality.ts"
import { type SrtpKeys, SrtpReceiver, SrtpSender } from "./Srtp.ts"

const frameMs = 20
/** Reports are sent about every 5 s, as RFC 3550 §6.2 recommends for small sessions, at uneven intervals. */
const reportTicks = 5_000 / frameMs
const leastTicks = reportTicks / 2
const mostTicks = reportTicks * 1.5

export interface RtpListener {
  /** The peer pressed a key. */
  readonly key: (digit: string) => void
  /** Offer and answer led to a new agreement. */
  readonly agreed: (sound: AgreedSound) => void
}

export interface RtpOptions {
  /** The local address by which the peer is reached. */
  readonly localAddress: string
  /**
   * Whether the operator has trunks at this address although it is not public. Otherwise sound goes only to public
   * addresses: a peer must not direct sound into a network that it cannot reach itself.
   */
  readonly isOwnNetwork: (address: string) => boolean
}

const isSameKey = (one: SrtpKeys, other: SrtpKeys): boolean =>
  one.suite === other.suite && Buffer.from(one.secret).equals(other.secret)

export class RtpSession {
  /** Where the peer is to send sound; reports go to the port above. */
  readonly host: string
  readonly port: number
  readonly #pair: PortPair
  readonly #now: () => number
  readonly #judge: (address: string) => boolean
  /** The last decision whether sound may go to an address. It is cached because every frame asks about the same one. */
  #judged = { host: "", isAdmitted: false }
  readonly #sender = new RtpSender()
  readonly #receiver = new RtpReceiver()
  readonly #source = new PeerSource()
  readonly #allowance = new PacketAllowance()
  readonly #reportAllowance = new PacketAllowance()
  readonly #exchange: RtcpExchange
  #listener: RtpListener | null = null
  #agreed: AgreedSound | null = null
  /**
   * Kept for the whole call: if the two sides agree on the same key again, its keystream must continue and not repeat.
   */
  #protections: ReadonlyArray<{ readonly keys: SrtpKeys; readonly sender: SrtpSender }> = []
  #protection: SrtpSender | null = null
  #unprotection: { readonly keys: SrtpKeys; readonly receiver: SrtpReceiver } | null = null
  #silentTicks = 0
  #hasHeard = false
  #ticksToReport = randomInt(leastTicks, reportTicks)
  #reportsFrom: Endpoint | null = null
  #isClosed = false
  #isWithheld = false
  /** The last address that sound was withheld from, so that it is logged once. */
  #withheldFrom: string | null = null

  constructor(host: string, pair: PortPair, now: () => number, admits: (address: string) => boolean) {
    this.host = host
    this.port = pair.port
    this.#pair = pair
    this.#now = now
    this.#judge = admits
    // A random name (RFC 7022) does not reveal which calls belong to one installation.
    this.#exchange = new RtcpExchange(this.#sender.ssrc, randomBytes(12).toString("base64"))
    pair.rtp.on("message", (bytes, { address, port }) => this.#receive(bytes, { host: address, port }))
    pair.rtcp.on("message", (bytes, { address, port }) => this.#receiveReport(bytes, { host: address, port }))
  }

  /** How many frames we sent since the peer's last packet or report. */
  get silentTicks(): number {
    return this.#silentTicks
  }

  /** Whether a packet of the peer has arrived yet. */
  get hasHeard(): boolean {
    return this.#hasHeard
  }

  /** Whether packets arrive so fast that the call must end. */
  get isFlooded(): boolean {
    return this.#allowance.isFlooded || this.#reportAllowance.isFlooded
  }

  get agreed(): AgreedSound | null {
    return this.#agreed
  }

  get isPressing(): boolean {
    return this.#sender.isPressing
  }

  listen(listener: RtpListener): void {
    this.#listener = listener
  }

  /** While withheld, sends neither sound nor reports. */
  withhold(isWithheld: boolean): void {
    this.#isWithheld = isWithheld
  }

  /** Applies the result of offer and answer, at the beginning of the call or later. */
  agree(agreed: AgreedSound): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { remote, srtp } = agreed
      this.#agreed = agreed
      if (agreed.keys === null) this.#sender.dropKeys()
      this.#source.signal(remote)
      this.#silentTicks = 0
      this.#protection = srtp === null ? null : this.#protectionWith(srtp.sending)
      if (srtp === null) this.#unprotection = null
      else if (this.#unprotection === null || !isSameKey(this.#unprotection.keys, srtp.receiving))
        this.#unprotection = { keys: srtp.receiving, receiver: new SrtpReceiver(srtp.receiving) }
      this.#listener?.agreed(agreed)
      if (!agreed.sends || this.#withheldFrom === remote.host || this.#admits(remote.host)) return Effect.void
      this.#withheldFrom = remote.host
      return Effect.annotateLogs(Effect.logWarning("sound withheld from a private address"), {
        "pii.address": remote.host,
        why: "The peer's session description names an address that is not public. Sound goes to the address that the peer's own packets come from, if that is public.",
      })
    })
  }

  #admits(host: string): boolean {
    if (this.#judged.host !== host) this.#judged = { host, isAdmitted: this.#judge(host) }
    return this.#judged.isAdmitted
  }

  #protectionWith(keys: SrtpKeys): SrtpSender {
    const known = this.#protections.find((one) => isSameKey(one.keys, keys))
    if (known !== undefined) return known.sender
    const sender = new SrtpSender(keys)
    this.#protections = [...this.#protections, { keys, sender }]
    return sender
  }

  #receive(bytes: Buffer, from: Endpoint): void {
    const now = this.#now()
    const agreed = this.#agreed
    if (!this.#allowance.take(this.#source.isKnown(from), now) || agreed === null) return
    if (isRtcp(bytes)) return this.#readReport(bytes, from)
    const clear = this.#unprotection === null ? bytes : this.#unprotection.receiver.unprotect(bytes)
    const packet = clear === null ? null : parseRtp(clear)
    if (packet === null || !this.#receiver.understands(packet, agreed)) return
    if (!this.#source.isKnown(from) && !this.#admits(from.host)) return
    if (!this.#source.accepts(from, packet.ssrc, now)) return
    this.#silentTicks = 0
    this.#hasHeard = true
    const key = this.#receiver.hear(packet, agreed, now)
    if (key !== null) this.#listener?.key(key)
  }

  #receiveReport(bytes: Buffer, from: Endpoint): void {
    if (this.#reportAllowance.take(false, this.#now()) && this.#agreed !== null) this.#readReport(bytes, from)
  }

  /** Takes a report only from the machine that sound goes to. */
  #readReport(bytes: Buffer, from: Endpoint): void {
    if (this.#source.destination?.host !== from.host || !this.#admits(from.host)) return
    const clear = this.#unprotection === null ? bytes : this.#unprotection.receiver.unprotectRtcp(bytes)
    if (clear === null || !this.#exchange.hear(clear, this.#now())) return
    this.#reportsFrom = from
    this.#silentTicks = 0
  }

  /** Sends keys as events. Without effect if the peer takes no such events. */
  press(digits: string): void {
    if (this.#agreed !== null && this.#agreed.keys !== null) this.#sender.press(digits)
  }

  /** Reads the peer's next 20 ms. */
  hear(): Int16Array {
    return this.#receiver.read(this.#now())
  }

  /** Drops the received sound that was not read yet. */
  forget(): void {
    this.#receiver.forget()
  }

  /** Sends the next 20 ms; null is silence. `skipped` is how many frames the clock skipped before it. */
  send(frame: Int16Array | null, skipped: number): void {
    this.#silentTicks++
    const agreed = this.#agreed
    if (skipped > 0) this.#sender.skip(skipped)
    const destination = this.#destination()
    if (agreed === null || !agreed.sends || destination === null) this.#sender.skip(1)
    else {
      const packet = this.#sender.next(agreed, frame)
      this.#pair.rtp.send(this.#protection?.protect(packet) ?? packet, destination.port, destination.host)
    }
    if (--this.#ticksToReport <= 0) {
      this.#ticksToReport = randomInt(leastTicks, mostTicks)
      this.#report(false)
    }
  }

  /** Where to send sound for the peer; null if the address is unknown or not admitted. */
  #destination(): Endpoint | null {
    const { destination } = this.#source
    return !this.#isClosed && !this.#isWithheld && destination !== null && this.#admits(destination.host)
      ? destination
      : null
  }

  #report(leaves: boolean): void {
    const destination = this.#destination()
    const agreed = this.#agreed
    if (destination === null || agreed === null) return
    const now = this.#now()
    const report = this.#exchange.report(this.#sender.report(now), this.#receiver.reception, now, leaves)
    const isSignalled = destination.host === agreed.remote.host && destination.port === agreed.remote.port
    const known = this.#reportsFrom?.host === destination.host ? this.#reportsFrom.port : null
    const port = known ?? (isSignalled ? agreed.remote.rtcpPort : destination.port + 1)
    // Port 0, by which a peer asks for no reports, is one for which `send` throws.
    if (port === 0 || port > 65_535) return
    this.#pair.rtcp.send(this.#protection?.protectRtcp(report) ?? report, port, destination.host)
  }

  quality(): SoundFigures {
    const { delayMs, late, lost, received, reception } = this.#receiver
    const { peerLost, roundTripMs } = this.#exchange
    const missing = (lost + late) / Math.max(1, received + lost)
    return {
      received,
      lost,
      late,
      sent: this.#sender.packets,
      peer_lost: peerLost,
      jitter_ms: Math.round(10 * (reception?.jitterMs ?? 0)) / 10,
      round_trip_ms: roundTripMs === null ? null : Math.round(10 * roundTripMs) / 10,
      mos: received === 0 ? null : estimateMos(Math.min(1, missing), (roundTripMs ?? 0) / 2 + delayMs + frameMs),
    }
  }

  /** Sends a BYE report and ignores the peer's packets from now on. The scope that opened the sockets closes them. */
  close(): void {
    if (this.#isClosed) return
    this.#report(true)
    this.#isClosed = true
    this.#pair.rtp.removeAllListeners("message")
    this.#pair.rtcp.removeAllListeners("message")
  }
}

export class RtpSessions extends Context.Service<
  RtpSessions,
  { readonly open: (options: RtpOptions) => Effect.Effect<RtpSession, PortsExhausted, Scope.Scope> }
>()("telephony/rtp/RtpSessions") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const { hosts } = yield* MediaSettings
      const ports = yield* Ports
      const { now } = yield* MediaClock
      return {
        open: Effect.fn("RtpSessions.open")(function* ({ isOwnNetwork, localAddress }: RtpOptions) {
          const own = hostFor(hosts, localAddress) ?? localAddress
          const admits = (address: string) => isPublic(address) || isOwnNetwork(address)
          const pair = yield* ports.open(own)
          return yield* Effect.acquireRelease(
            Effect.sync(() => new RtpSession(own, pair, now, admits)),
            (session) =>
              Effect.suspend(() => {
                session.close()
                return SoundMetrics.record(session.quality())
              }),
          )
        }),
      }
    }),
  )
}
