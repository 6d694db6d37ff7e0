/**
 * SRTP and SRTCP (RFC 3711) in the two suites that every telephone has. A sender or receiver serves one direction of
 * one call. Plain code, one call for each packet.
 */
import { createCipheriv, createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { fixedHeaderBytes, rtpHeaderBytes } from "./RtpPacket.ts"

export const srtpSuites = ["AES_CM_128_HMAC_SHA1_80", "AES_CM_128_HMAC_SHA1_32"] as const
export type SrtpSuite = (typeof srtpSuites)[number]

export const masterKeyBytes = 16
export const masterSaltBytes = 14

export interface SrtpKeys {
  readonly suite: SrtpSuite
  /** The master key, followed by the master salt. */
  readonly secret: Uint8Array
}

export const makeSrtpKeys = (suite: SrtpSuite): SrtpKeys => ({
  suite,
  secret: randomBytes(masterKeyBytes + masterSaltBytes),
})

/** Lengths in SRTCP packets. The tag has this length in both suites, although their RTP tags differ. */
const rtcpTagBytes = 10
const rtcpIndexBytes = 4
const rtcpHeaderBytes = 8
const encryptedFlag = 0x8000_0000
const lap = 0x1_0000
/** How far a packet may be behind the newest one. Each is accepted once. */
const replayWindow = 128
/** The most sources of a peer that are remembered; beyond that the oldest is forgotten. */
const mostSources = 8

const applyKeystream = (key: Uint8Array, iv: Uint8Array, bytes: Uint8Array): Buffer =>
  createCipheriv("aes-128-ctr", key, iv).update(bytes)

/** The pseudo-random function of RFC 3711 §4.3, without renewal of keys. */
export const deriveSessionKey = ({ secret }: SrtpKeys, label: number, bytes: number): Buffer => {
  const iv = Buffer.alloc(16)
  iv.set(secret.subarray(masterKeyBytes))
  iv[7] = (iv[7] ?? 0) ^ label
  return applyKeystream(secret.subarray(0, masterKeyBytes), iv, new Uint8Array(bytes))
}

/** Encrypts and authenticates with the session keys of RTP or RTCP. */
class Cipher {
  readonly #key: Buffer
  readonly #salt: Buffer
  readonly #authentication: Buffer
  readonly #tagBytes: number
  readonly #iv = Buffer.alloc(16)

  constructor(keys: SrtpKeys, firstLabel: number, tagBytes: number) {
    this.#key = deriveSessionKey(keys, firstLabel, 16)
    this.#authentication = deriveSessionKey(keys, firstLabel + 1, 20)
    this.#salt = deriveSessionKey(keys, firstLabel + 2, masterSaltBytes)
    this.#tagBytes = tagBytes
  }

  /** Encrypts or decrypts: the operation is the same. */
  crypt(bytes: Uint8Array, ssrc: number, index: number): Buffer {
    this.#iv.fill(0)
    this.#iv.writeUInt32BE(ssrc, 4)
    this.#iv.writeUIntBE(index, 8, 6)
    for (let at = 0; at < masterSaltBytes; at++) this.#iv[at] = (this.#iv[at] ?? 0) ^ (this.#salt[at] ?? 0)
    return applyKeystream(this.#key, this.#iv, bytes)
  }

  /** The authentication tag. It covers the packet and the rollover counter, which is not sent. */
  tag(bytes: Uint8Array, rollover: Uint8Array | null): Buffer {
    const hmac = createHmac("sha1", this.#authentication).update(bytes)
    if (rollover !== null) hmac.update(rollover)
    return hmac.digest().subarray(0, this.#tagBytes)
  }
}

const rtpCipher = (keys: SrtpKeys): Cipher => new Cipher(keys, 0, rtpTagBytes(keys))
const rtcpCipher = (keys: SrtpKeys): Cipher => new Cipher(keys, 3, rtcpTagBytes)
const rtpTagBytes = ({ suite }: SrtpKeys): number => (suite === "AES_CM_128_HMAC_SHA1_80" ? 10 : 4)

const bytesOf = (word: number): Buffer => {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(word)
  return bytes
}

export class SrtpSender {
  readonly #rtp: Cipher
  readonly #rtcp: Cipher
  #last: number | null = null
  #rollover = 0
  #rtcpIndex = 0

  constructor(keys: SrtpKeys) {
    this.#rtp = rtpCipher(keys)
    this.#rtcp = rtcpCipher(keys)
  }

  /** Encrypts the packets of one source, which must come in the order of their sequence numbers. */
  protect(packet: Buffer): Buffer {
    const sequence = packet.readUInt16BE(2)
    if (this.#last !== null && sequence < this.#last) this.#rollover++
    this.#last = sequence
    const start = rtpHeaderBytes(packet) ?? fixedHeaderBytes
    const index = this.#rollover * lap + sequence
    const encrypted = this.#rtp.crypt(packet.subarray(start), packet.readUInt32BE(8), index)
    const body = Buffer.concat([packet.subarray(0, start), encrypted])
    return Buffer.concat([body, this.#rtp.tag(body, bytesOf(this.#rollover))])
  }

  protectRtcp(packet: Buffer): Buffer {
    const index = ++this.#rtcpIndex
    const encrypted = this.#rtcp.crypt(packet.subarray(rtcpHeaderBytes), packet.readUInt32BE(4), index)
    const body = Buffer.concat([packet.subarray(0, rtcpHeaderBytes), encrypted, bytesOf(encryptedFlag + index)])
    return Buffer.concat([body, this.#rtcp.tag(body, null)])
  }
}

/** The packet indices that one source has used. Each is accepted once, so that a captured packet cannot be replayed. */
class ReplayWindow {
  readonly #seen = new Float64Array(replayWindow).fill(-1)
  #highest = -1

  get highest(): number {
    return this.#highest
  }

  isNew(index: number): boolean {
    return index > this.#highest - replayWindow && this.#seen[index % replayWindow] !== index
  }

  add(index: number): void {
    this.#seen[index % replayWindow] = index
    this.#highest = Math.max(this.#highest, index)
  }
}

/** The replay windows by source. Only an authentic packet creates one. */
class Sources {
  readonly #windows = new Map<number, ReplayWindow>()

  windowOf(ssrc: number): ReplayWindow {
    return this.#windows.get(ssrc) ?? new ReplayWindow()
  }

  keep(ssrc: number, window: ReplayWindow): void {
    this.#windows.set(ssrc, window)
    const [oldest] = this.#windows.keys()
    if (this.#windows.size > mostSources && oldest !== undefined) this.#windows.delete(oldest)
  }
}

/**
 * Estimates the packet index (RFC 3711 §3.3.1): the one nearest to the highest, because the rollover count is not sent.
 */
const indexOf = (sequence: number, highest: number): number => {
  if (highest < 0) return sequence
  const candidate = highest - (highest % lap) + sequence
  if (candidate - highest > lap / 2) return candidate - lap
  return highest - candidate > lap / 2 ? candidate + lap : candidate
}

export class SrtpReceiver {
  readonly #rtp: Cipher
  readonly #rtcp: Cipher
  readonly #tagBytes: number
  readonly #rtpSources = new Sources()
  readonly #rtcpSources = new Sources()

  constructor(keys: SrtpKeys) {
    this.#rtp = rtpCipher(keys)
    this.#rtcp = rtcpCipher(keys)
    this.#tagBytes = rtpTagBytes(keys)
  }

  /** Returns the decrypted packet; null if it is not authentic, a replay, or too old. */
  unprotect(bytes: Uint8Array): Buffer | null {
    const end = bytes.length - this.#tagBytes
    const packet = Buffer.from(bytes.buffer, bytes.byteOffset, Math.max(0, end))
    const start = rtpHeaderBytes(packet)
    if (start === null) return null
    const ssrc = packet.readUInt32BE(8)
    const window = this.#rtpSources.windowOf(ssrc)
    const index = indexOf(packet.readUInt16BE(2), window.highest)
    if (index < 0 || !window.isNew(index)) return null
    if (!timingSafeEqual(this.#rtp.tag(packet, bytesOf(Math.floor(index / lap) >>> 0)), bytes.subarray(end)))
      return null
    window.add(index)
    this.#rtpSources.keep(ssrc, window)
    return Buffer.concat([packet.subarray(0, start), this.#rtp.crypt(packet.subarray(start), ssrc, index)])
  }

  unprotectRtcp(bytes: Uint8Array): Buffer | null {
    const end = bytes.length - rtcpTagBytes
    const bodyEnd = end - rtcpIndexBytes
    if (bodyEnd < rtcpHeaderBytes) return null
    const signed = Buffer.from(bytes.buffer, bytes.byteOffset, end)
    const ssrc = signed.readUInt32BE(4)
    const flagged = signed.readUInt32BE(bodyEnd)
    const index = flagged % encryptedFlag
    const window = this.#rtcpSources.windowOf(ssrc)
    if (!window.isNew(index) || !timingSafeEqual(this.#rtcp.tag(signed, null), bytes.subarray(end))) return null
    window.add(index)
    this.#rtcpSources.keep(ssrc, window)
    const body = signed.subarray(rtcpHeaderBytes, bodyEnd)
    const plain = flagged >= encryptedFlag ? this.#rtcp.crypt(body, ssrc, index) : body
    return Buffer.concat([signed.subarray(0, rtcpHeaderBytes), plain])
  }
}
