/** The far end of a call over RTP: real sockets on loopback, and packets written byte by byte according to RFC 3550. */
import { Effect, Layer, ConfigProvider } from "effect"
import { createSocket, type Socket } from "node:dgram"
import { once } from "node:events"
import { MediaClock } from "../../src/telephony/MediaClock.ts"
import { encodeG711, pcmu } from "../../src/speech/G711.ts"
import { MediaSettings } from "../../src/telephony/rtp/MediaSettings.ts"
import { Ports } from "../../src/telephony/rtp/Ports.ts"
import { parseRtp, type RtpPacket } from "../../src/telephony/rtp/RtpPacket.ts"
import { RtpSessions } from "../../src/telephony/rtp/RtpSession.ts"
import type { AgreedSound } from "../../src/telephony/rtp/Sdp.ts"

export const loopback = "127.0.0.1"

const bound = (host: string, port = 0) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = createSocket(host.includes(":") ? "udp6" : "udp4")
      socket.bind(port, host)
      await once(socket, "listening")
      return socket
    }),
    (socket) => Effect.promise(() => new Promise<void>((resolve) => void socket.close(resolve))),
  )

/** An RTP packet. By default a frame of silence. */
export const rtpBytes = ({
  marker = false,
  payload = Buffer.alloc(160, pcmu.silence),
  payloadType = 0,
  sequence,
  ssrc = 7,
  timestamp = sequence * 160,
}: Partial<RtpPacket> & Pick<RtpPacket, "sequence">): Buffer => {
  const header = Buffer.alloc(12)
  header[0] = 0x80
  header[1] = payloadType | (marker ? 0x80 : 0)
  header.writeUInt16BE(sequence & 0xffff, 2)
  header.writeUInt32BE(timestamp >>> 0, 4)
  header.writeUInt32BE(ssrc, 8)
  return Buffer.concat([header, payload])
}

/** A frame of G.711 whose samples all have this value. */
export const levelFrame = (level: number): Buffer => {
  const bytes = Buffer.alloc(160)
  encodeG711(pcmu, new Int16Array(160).fill(level), bytes, 0)
  return bytes
}

export interface Arrived extends RtpPacket {
  readonly bytes: Buffer
}

/** An RTP and an RTCP socket on one host. */
export const rtpPeerAt = Effect.fnUntraced(function* (host: string) {
  const socket: Socket = yield* bound(host)
  const reports: Socket = yield* bound(host)
  const packets: Array<Arrived> = []
  const reported: Array<Buffer> = []
  socket.on("message", (bytes) => {
    const packet = parseRtp(bytes)
    if (packet !== null) packets.push({ ...packet, bytes })
  })
  reports.on("message", (bytes) => reported.push(bytes))
  const { port } = socket.address()
  const sendFrom = (from: Socket, bytes: Uint8Array, to: number) =>
    Effect.promise(() => new Promise<void>((resolve) => from.send(bytes, to, host, () => resolve())))
  /** The result of a session description that names this peer. */
  const agreed: AgreedSound = {
    remote: { host, port, rtcpPort: reports.address().port },
    codec: pcmu,
    payloadType: 0,
    keys: 101,
    comfortNoise: 13,
    sends: true,
    receives: true,
    srtp: null,
  }
  return {
    port,
    packets,
    reported,
    agreed,
    send: (bytes: Uint8Array, to: number) => sendFrom(socket, bytes, to),
    sendReport: (bytes: Uint8Array, to: number) => sendFrom(reports, bytes, to),
  }
})

export const rtpPeer = rtpPeerAt(loopback)

export type RtpPeer = Effect.Success<typeof rtpPeer>

/** RTP sessions on loopback. Ports that another test or server uses are skipped. */
export const rtpSessions = (env: Record<string, string> = {}, clock = MediaClock.layer) =>
  RtpSessions.layer.pipe(
    Layer.provideMerge(Ports.layer),
    Layer.provideMerge(clock),
    Layer.provide(MediaSettings.layer),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))),
  )
