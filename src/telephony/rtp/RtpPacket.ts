/** RTP packets (RFC 3550 §5.1). Reading never throws, because anyone can send anything to an open port. */

export interface RtpPacket {
  readonly payloadType: number
  /** Marks the first packet of a stretch of sound. */
  readonly marker: boolean
  /** 16 bits. */
  readonly sequence: number
  /** 32 bits, in samples. */
  readonly timestamp: number
  /** The source of the stream (SSRC), a random number that its sender has chosen. */
  readonly ssrc: number
  /** A view of the packet's own bytes, without the padding. */
  readonly payload: Uint8Array
}

export const fixedHeaderBytes = 12

const word16 = (bytes: Uint8Array, at: number): number => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
const word32 = (bytes: Uint8Array, at: number): number => ((word16(bytes, at) << 16) | word16(bytes, at + 2)) >>> 0

/** The length of the header with its sources and its extension; null if the bytes are not a packet of RTP. */
export const rtpHeaderBytes = (bytes: Uint8Array): number | null => {
  const first = bytes[0]
  if (first === undefined || first >> 6 !== 2 || bytes.length < fixedHeaderBytes) return null
  const withSources = fixedHeaderBytes + (first & 0x0f) * 4
  const hasExtension = (first & 0x10) !== 0
  if (hasExtension && bytes.length < withSources + 4) return null
  const length = hasExtension ? withSources + 4 + word16(bytes, withSources + 2) * 4 : withSources
  return length > bytes.length ? null : length
}

/**
 * Whether a packet on an RTP port is RTCP (RFC 5761 §4): no RTP payload type with a marker has the value of an RTCP
 * packet type.
 */
export const isRtcp = (bytes: Uint8Array): boolean => {
  const type = bytes[1] ?? 0
  return type >= 192 && type <= 223
}

/** Null if the bytes are not a packet of RTP. */
export const parseRtp = (bytes: Uint8Array): RtpPacket | null => {
  const start = rtpHeaderBytes(bytes)
  if (start === null || isRtcp(bytes)) return null
  const hasPadding = ((bytes[0] ?? 0) & 0x20) !== 0
  const padding = hasPadding ? (bytes[bytes.length - 1] ?? 0) : 0
  if (hasPadding && (padding === 0 || start + padding > bytes.length)) return null
  const second = bytes[1] ?? 0
  return {
    payloadType: second & 0x7f,
    marker: second >= 0x80,
    sequence: word16(bytes, 2),
    timestamp: word32(bytes, 4),
    ssrc: word32(bytes, 8),
    payload: bytes.subarray(start, bytes.length - padding),
  }
}

/** Allocates a packet and writes its header. The caller must write all payload bytes. */
export const allocateRtp = (
  { marker, payloadType, sequence, ssrc, timestamp }: Omit<RtpPacket, "payload">,
  payloadBytes: number,
): Buffer => {
  const packet = Buffer.allocUnsafe(fixedHeaderBytes + payloadBytes)
  packet[0] = 0x80
  packet[1] = payloadType | (marker ? 0x80 : 0)
  packet.writeUInt16BE(sequence, 2)
  packet.writeUInt32BE(timestamp, 4)
  packet.writeUInt32BE(ssrc, 8)
  return packet
}
