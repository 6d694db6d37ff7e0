/** A DNS server on this machine (RFC 1035). It answers for the names it knows, and ignores any other. */
import { Effect } from "effect"
import { createSocket } from "node:dgram"
import { once } from "node:events"

export interface Srv {
  readonly priority: number
  readonly weight: number
  readonly port: number
  readonly target: string
}

export interface Naptr {
  readonly order: number
  readonly preference: number
  readonly flags: string
  readonly service: string
  readonly replacement: string
}

/** The records of each name: IPv4 addresses, SRV or NAPTR records. */
export type Known = Readonly<Record<string, ReadonlyArray<string> | ReadonlyArray<Srv> | ReadonlyArray<Naptr>>>

const typeA = 1
const typeSrv = 33
const typeNaptr = 35

/** The name in the question, and the offset of the question's end. */
const questionOf = (packet: Buffer) => {
  const labels: Array<string> = []
  let at = 12
  for (let length = packet[at] ?? 0; length > 0; length = packet[at] ?? 0) {
    labels.push(packet.toString("latin1", at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join(".").toLowerCase(), type: packet.readUInt16BE(at + 1), end: at + 5 }
}

const nameBytes = (name: string) =>
  Buffer.concat([
    ...name.split(".").map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.alloc(1),
  ])

const naptrData = ({ flags, order, preference, replacement, service }: Naptr) => {
  const numbers = Buffer.alloc(4)
  numbers.writeUInt16BE(order, 0)
  numbers.writeUInt16BE(preference, 2)
  const texts = [flags, service, ""].map((text) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]))
  return Buffer.concat([numbers, ...texts, nameBytes(replacement)])
}

/** The data of one record, or null if it is not of the requested type. */
const dataOf = (record: string | Srv | Naptr, type: number): Buffer | null => {
  if (typeof record === "string") return type === typeA ? Buffer.from(record.split(".").map(Number)) : null
  if ("service" in record) return type === typeNaptr ? naptrData(record) : null
  if (type !== typeSrv) return null
  const numbers = Buffer.alloc(6)
  for (const [at, number] of [record.priority, record.weight, record.port].entries())
    numbers.writeUInt16BE(number, at * 2)
  return Buffer.concat([numbers, nameBytes(record.target)])
}

/** A response with the question and the records. */
const answerTo = (packet: Buffer, records: Known[string]): Buffer => {
  const { end, type } = questionOf(packet)
  const found = records.map((record) => dataOf(record, type)).filter((data) => data !== null)
  const header = Buffer.from(packet.subarray(0, 12))
  header.writeUInt16BE(0x8180, 2)
  header.writeUInt16BE(found.length, 6)
  header.writeUInt32BE(0, 8)
  const written = found.map((data) =>
    Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, data.length >> 8, data.length & 255]), data]),
  )
  return Buffer.concat([header, packet.subarray(12, end), ...written])
}

/** Starts a name server. Returns its `address:port`. */
export const nameServer = (known: Known) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = createSocket("udp4")
      socket.on("message", (packet, from) => {
        const records = known[questionOf(packet).name]
        if (records !== undefined) socket.send(answerTo(packet, records), from.port, from.address)
      })
      socket.bind(0, "127.0.0.1")
      await once(socket, "listening")
      return socket
    }),
    (socket) => Effect.sync(() => socket.close()),
  ).pipe(Effect.map((socket) => `127.0.0.1:${socket.address().port}`))
