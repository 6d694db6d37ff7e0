/**
 * What RtpPeer.c does, in Node, with the same arguments and output. `pace` also receives: it is the least that Node
 * takes for the sound of these calls. `measure` replaces the C program if there is no compiler. Its gaps are by Node's
 * clock, so they include its own lateness.
 */
import { createSocket, type Socket } from "node:dgram"
import { percentile } from "../support/Numbers.ts"

const [mode = "", ...numbers] = process.argv.slice(2)
const [streams = 0, port = 0, first = 0, seconds = 0] = numbers.map(Number)
const loopback = "127.0.0.1"
const frameMs = 20
const slots = 20
const warmUpMs = 3_000

const open = async (at: number): Promise<Socket> => {
  const socket = createSocket({ type: "udp4", lookup: (host, _, answer) => answer(null, host, 4) })
  // Not `once`, since with this look-up the socket listens before `bind` returns.
  await new Promise<void>((resolve) => socket.bind(at, loopback, resolve))
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

/** Only numbers the packets, which are made beforehand. */
const pace = async () => {
  const sockets = await Promise.all(Array.from({ length: streams }, (_, stream) => open(first + 2 * stream)))
  for (const socket of sockets) socket.on("message", () => {})
  const packets = sockets.map((_, stream) => packetOf(0, stream))
  const send = (number: number) =>
    sockets.forEach((socket, stream) => {
      const packet = packets[stream]
      packet?.writeUInt16BE(number & 0xffff, 2)
      packet?.writeUInt32BE((number * 160) >>> 0, 4)
      socket.send(packet ?? "", port, loopback)
    })
  const warmUp = warmUpMs / frameMs
  await repeat(warmUp, frameMs, send)
  const [began, before] = [performance.now(), process.cpuUsage()]
  await repeat(seconds * 50 - warmUp, frameMs, (number) => send(warmUp + number))
  const { system, user } = process.cpuUsage(before)
  const wall = (performance.now() - began) * 1_000
  console.log(JSON.stringify({ cpu: (user + system) / wall, kernel: system / wall }))
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
