/** Writes RTCP reports (RFC 3550 §6) as one compound packet, and reads them. Reading never throws. */
import type { ReceptionReport } from "./Reception.ts"

/** A sender's report on its own stream. */
export interface SenderReport {
  /** The sender's clock in milliseconds, and the time stamp of its sound at that moment. */
  readonly clockMs: number
  readonly timestamp: number
  readonly packets: number
  readonly bytes: number
}

/** A receiver's report on a stream. */
export interface ReportBlock extends ReceptionReport {
  /**
   * The compact time of the last sender report that the receiver got, 0 if none, and the delay since then in 65,536ths
   * of a second.
   */
  readonly lastReport: number
  readonly sinceReport: number
}

export interface RtcpReport {
  readonly ssrc: number
  /** Null in a report of a peer that sends no sound. */
  readonly sender: SenderReport | null
  readonly blocks: ReadonlyArray<ReportBlock>
}

export interface RtcpPacket {
  readonly reports: ReadonlyArray<RtcpReport>
  /** The sources that say goodbye (BYE). */
  readonly byes: ReadonlyArray<number>
}

const senderReport = 200
const receiverReport = 201
const description = 202
const goodbye = 203

const headerBytes = 4
const senderBytes = 20
const blockBytes = 24
const fraction = 2 ** 32

/** The middle 32 bits of an NTP time, in 65,536ths of a second. Round trips are computed from these. */
export const toCompactTime = (clockMs: number): number => Math.floor((clockMs / 1_000) * 65_536) % fraction

const writeBlock = (packet: Buffer, at: number, block: ReportBlock): void => {
  packet.writeUInt32BE(block.ssrc, at)
  packet.writeUInt8(block.fractionLost, at + 4)
  packet.writeIntBE(Math.max(-0x80_0000, Math.min(0x7f_ffff, block.lost)), at + 5, 3)
  packet.writeUInt32BE(block.highest, at + 8)
  packet.writeUInt32BE(block.jitter, at + 12)
  packet.writeUInt32BE(block.lastReport, at + 16)
  packet.writeUInt32BE(block.sinceReport, at + 20)
}

const readBlock = (packet: Buffer, at: number): ReportBlock => ({
  ssrc: packet.readUInt32BE(at),
  fractionLost: packet.readUInt8(at + 4),
  lost: packet.readIntBE(at + 5, 3),
  highest: packet.readUInt32BE(at + 8),
  jitter: packet.readUInt32BE(at + 12),
  lastReport: packet.readUInt32BE(at + 16),
  sinceReport: packet.readUInt32BE(at + 20),
})

const begin = (type: number, count: number, bytes: number): Buffer => {
  const packet = Buffer.alloc(bytes)
  packet[0] = 0x80 | count
  packet[1] = type
  packet.writeUInt16BE(bytes / 4 - 1, 2)
  return packet
}

const writeReport = ({ blocks, sender, ssrc }: RtcpReport): Buffer => {
  const bodyBytes = headerBytes + 4 + (sender === null ? 0 : senderBytes)
  const packet = begin(
    sender === null ? receiverReport : senderReport,
    blocks.length,
    bodyBytes + blocks.length * blockBytes,
  )
  packet.writeUInt32BE(ssrc, 4)
  if (sender !== null) {
    packet.writeUInt32BE(Math.floor(sender.clockMs / 1_000) % fraction, 8)
    packet.writeUInt32BE(Math.floor(((sender.clockMs % 1_000) / 1_000) * fraction), 12)
    packet.writeUInt32BE(sender.timestamp, 16)
    packet.writeUInt32BE(sender.packets % fraction, 20)
    packet.writeUInt32BE(sender.bytes % fraction, 24)
  }
  blocks.forEach((block, at) => writeBlock(packet, bodyBytes + at * blockBytes, block))
  return packet
}

/** Writes the CNAME, which identifies a source even if its SSRC changes; ASCII, at most 255 characters. */
const writeDescription = (ssrc: number, name: string): Buffer => {
  const packet = begin(description, 1, Math.ceil((headerBytes + 4 + 2 + name.length + 1) / 4) * 4)
  packet.writeUInt32BE(ssrc, 4)
  packet[8] = 1
  packet[9] = name.length
  packet.write(name, 10, "latin1")
  return packet
}

const writeGoodbye = (ssrc: number): Buffer => {
  const packet = begin(goodbye, 1, headerBytes + 4)
  packet.writeUInt32BE(ssrc, 4)
  return packet
}

/** Writes a report with its sender's CNAME; with `leaves`, also a BYE. */
export const writeRtcp = (report: RtcpReport, name: string, leaves: boolean): Buffer =>
  Buffer.concat([
    writeReport(report),
    writeDescription(report.ssrc, name),
    ...(leaves ? [writeGoodbye(report.ssrc)] : []),
  ])

const readReport = (packet: Buffer, isSender: boolean, count: number): RtcpReport | null => {
  const from = headerBytes + 4 + (isSender ? senderBytes : 0)
  if (packet.length < from + count * blockBytes) return null
  return {
    ssrc: packet.readUInt32BE(4),
    sender: isSender
      ? {
          clockMs: packet.readUInt32BE(8) * 1_000 + (packet.readUInt32BE(12) / fraction) * 1_000,
          timestamp: packet.readUInt32BE(16),
          packets: packet.readUInt32BE(20),
          bytes: packet.readUInt32BE(24),
        }
      : null,
    blocks: Array.from({ length: count }, (_, at) => readBlock(packet, from + at * blockBytes)),
  }
}

/** Reads a compound packet; null if the bytes are not one. Skips packets of other types. */
export const parseRtcp = (bytes: Uint8Array): RtcpPacket | null => {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const reports: Array<RtcpReport> = []
  const byes: Array<number> = []
  for (let at = 0; at < all.length;) {
    const first = all[at] ?? 0
    if (all.length - at < headerBytes || first >> 6 !== 2) return null
    const count = first & 0x1f
    const type = all[at + 1] ?? 0
    const packet = all.subarray(at, at + (all.readUInt16BE(at + 2) + 1) * 4)
    if (at + (all.readUInt16BE(at + 2) + 1) * 4 > all.length) return null
    at += packet.length
    if (type === senderReport || type === receiverReport) {
      const report = readReport(packet, type === senderReport, count)
      if (report === null) return null
      reports.push(report)
    } else if (type === goodbye) {
      if (packet.length < headerBytes + count * 4) return null
      for (let source = 0; source < count; source++) byes.push(packet.readUInt32BE(headerBytes + source * 4))
    }
  }
  return bytes.length === 0 ? null : { reports, byes }
}
