/**
 * Replaces RtpPeer.c if there is no C compiler: the same arguments and the same output. It uses Node's clock, so the
 * gaps include its own lateness.
 */
import { createSocket, type Socket } from "node:dgram"
import { once } from "node:events"
import { percentile } from "../support/Numbers.ts"

const [mode = "", ...numbers] = process.argv.slice(2)
const [streams = 0, port = 0, first = 0, seconds = 0] = numbers.map(Number)
const loopback = "127.0.0.1"
const frameMs = 20
const slots = 20
const warmUpMs = 3_000

const open = async (at: number): Promise<Socket> => {
  const socket = createSocket({ type: "udp4", lookup: (host, _, answer) => answer(null, host, 4) })
  socket.bind(at, loopback)
  await once(socket, "listening")
  return socket
}

const packetOf = (number: number, source: number): Buffer => {
  const speaks = (Math.floor(number / 100) + source) % 2 === 1
  const packet = Buffer.alloc(172, 0xff)
  packet.writeUInt16BE(0x8000, 0)
  packet.writeUInt16BE(number & 0xffff, 2)
  packet.writeUInt32BE((number * 160) >>> 0, 4)
  packet.writeUInt32BE(1_000 + source, 8)
  if (speaks) for (let at = 0; at < 160; at++) packet[12 + at] = (number * 7 + at * 13) & 0xff
  return packet
}

/** Runs `step` `times` times, every `everyMs`. Late steps are caught up. */
const repeat = async (times: number, everyMs: number, step: (number: number) => void): Promise<void> => {
  const began = performance.now()
  for (let number = 0; number < times; number++) {
    const wait = began + number * everyMs - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    step(number)
  }
}

const pace = async () => {
  const sockets = await Promise.all(Array.from({ length: streams }, (_, stream) => open(first + 2 * stream)))
  await repeat(seconds * 50, frameMs, (number) =>
    sockets.forEach((socket, stream) => socket.send(packetOf(number, stream), port, loopback)),
  )
  const { system, user } = process.cpuUsage()
  console.log(JSON.stringify({ cpu: (user + system) / 1e6 / seconds }))
}

const measure = async () => {
  const socket = await open(port)
  const last = new Map<number, { readonly at: number; readonly sequence: number }>()
  const gaps: Array<number> = []
  let lost = 0
  const began = performance.now()
  socket.on("message", (bytes, from) => {
    const at = performance.now()
    const sequence = bytes.readUInt16BE(2)
    const before = last.get(from.port)
    if (before !== undefined && at - began > warmUpMs) {
      gaps.push(at - before.at)
      const missing = (sequence - before.sequence - 1) & 0xffff
      if (missing < 1_000) lost += missing
    }
    last.set(from.port, { at, sequence })
  })
  await repeat(seconds * 50 * slots, frameMs / slots, (step) => {
    for (let stream = step % slots; stream < streams; stream += slots)
      socket.send(packetOf(Math.floor(step / slots), stream), first + 2 * stream, loopback)
  })
  const [p50, p99, p999, max] = [0.5, 0.99, 0.999, 1].map((share) => percentile(gaps, share))
  const late = gaps.filter((gap) => gap > 80).length
  console.log(JSON.stringify({ packets: gaps.length, lost, late, p50, p99, p999, max }))
}

await (mode === "pace" ? pace() : measure())
process.exit(0)
