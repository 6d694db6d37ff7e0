/**
 * Thousands of readers in one light process: raw sockets without an HTTP client, which read of each message only the
 * time it was made and the time it arrived.
 */
import { connect, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import * as Child from "../support/Child.ts"
import { percentile } from "../support/Numbers.ts"

export interface Question {
  readonly url: string
  /** The server's process id, to measure the cost of the streams. */
  readonly pid: number
  readonly headers: Record<string, string>
  readonly streams: number
  readonly seconds: number
}

export interface Answer {
  readonly open: number
  readonly messages: number
  /** Milliseconds from the time in the message to its arrival. */
  readonly late: { readonly p50: number; readonly p99: number; readonly max: number }
  /** Milliseconds between two messages of one stream. */
  readonly gap: { readonly min: number; readonly p50: number; readonly max: number }
  /** The share of gaps within 2 s ± 0.2 s. */
  readonly onTime: number
  readonly bytesAMessage: number
  /** The share of one core that the server used during the measurement. */
  readonly cpu: number
  readonly memory: number
}

const { headers, pid, seconds, streams, url }: Question = JSON.parse(process.argv[2] ?? "{}")
const { hostname, pathname, port } = new URL(url)
const head = Object.entries({ host: `${hostname}:${port}`, accept: "text/event-stream", ...headers })
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join("")

const late: Array<number> = []
const gaps: Array<number> = []
let measuring = false
let messages = 0
let bytes = 0
let open = 0

const mark = Buffer.from('"at":"')
const isoLength = "2026-11-21T10:00:00.000Z".length
/** All streams get the same message, so its time is parsed once. */
let lastText = ""
let lastTime = 0
const timeOf = (text: string): number => {
  if (text !== lastText) [lastText, lastTime] = [text, Date.parse(text)]
  return lastTime
}

const listen = (socket: Socket) => {
  let before: number | undefined
  let rest: Buffer = Buffer.alloc(0)
  socket.on("data", (chunk: Buffer) => {
    if (measuring) bytes += chunk.length
    const text = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const at = text.lastIndexOf(mark)
    if (at === -1 || text.length < at + mark.length + isoLength) {
      rest = text.subarray(-2048)
      return
    }
    rest = Buffer.alloc(0)
    const now = performance.timeOrigin + performance.now()
    if (measuring) {
      messages++
      late.push(now - timeOf(text.toString("latin1", at + mark.length, at + mark.length + isoLength)))
      if (before !== undefined) gaps.push(now - before)
    }
    before = now
  })
}

for (let at = 0; at < streams; at++) {
  const socket = connect(Number(port), hostname, () => {
    open++
    socket.write(`GET ${pathname} HTTP/1.1\r\n${head}\r\n`)
  })
  socket.on("close", () => open--)
  socket.on("error", () => socket.destroy())
  listen(socket)
  // Open a thousand streams a second, and not all at once.
  if (at % 50 === 49) await sleep(50)
}

// Wait for two messages, so that every measured gap lies between two regular ones.
await sleep(5_000)
const cpuBefore = Child.cpuOf(pid)
measuring = true
await sleep(seconds * 1000)
measuring = false
const cpu = (Child.cpuOf(pid) - cpuBefore) / seconds

const answer: Answer = {
  open,
  messages,
  late: { p50: percentile(late, 0.5), p99: percentile(late, 0.99), max: percentile(late, 1) },
  gap: { min: percentile(gaps, 0), p50: percentile(gaps, 0.5), max: percentile(gaps, 1) },
  onTime: gaps.filter((gap) => Math.abs(gap - 2000) <= 200).length / gaps.length,
  bytesAMessage: bytes / messages,
  cpu,
  memory: Child.memoryOf(pid).now,
}
console.log(JSON.stringify(answer))
process.exit(0)
