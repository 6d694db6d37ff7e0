import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createSocket } from "node:dgram"
import { once } from "node:events"
import { fromNameServers } from "../../src/outbound/AddressGuard.ts"

/** What a name server here knows; a name that it does not know gets no answer at all. */
const records: Record<string, ReadonlyArray<number>> = { "hook.test": [93, 184, 215, 14], "inside.test": [10, 0, 0, 1] }

const typeA = 1

/** The question's name and where it ends. */
const questionOf = (packet: Buffer) => {
  const labels: Array<string> = []
  let at = 12
  for (let length = packet[at] ?? 0; length > 0; length = packet[at] ?? 0) {
    labels.push(packet.toString("latin1", at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join("."), type: packet.readUInt16BE(at + 1), end: at + 5 }
}

/** RFC 1035: the header and the question again, and the record where there is one. */
const answerTo = (packet: Buffer, address: ReadonlyArray<number>): Buffer => {
  const { end, type } = questionOf(packet)
  const has = type === typeA
  const header = Buffer.from(packet.subarray(0, 12))
  header.writeUInt16BE(0x8180, 2)
  header.writeUInt16BE(has ? 1 : 0, 6)
  header.writeUInt32BE(0, 8)
  const record = Buffer.from([0xc0, 12, 0, typeA, 0, 1, 0, 0, 0, 60, 0, 4, ...address])
  return Buffer.concat([header, packet.subarray(12, end), ...(has ? [record] : [])])
}

const nameServer = Effect.acquireRelease(
  Effect.promise(async () => {
    const socket = createSocket("udp4")
    socket.on("message", (packet, from) => {
      const address = records[questionOf(packet).name.toLowerCase()]
      if (address !== undefined) socket.send(answerTo(packet, address), from.port, from.address)
    })
    socket.bind(0, "127.0.0.1")
    await once(socket, "listening")
    return { socket, place: `127.0.0.1:${socket.address().port}` }
  }),
  ({ socket }) => Effect.sync(() => socket.close()),
)

describe("names of an account's URLs", () => {
  it.live("are asked of a name server; one that is silent for one name holds up no other", () =>
    Effect.gen(function* () {
      const { place } = yield* nameServer
      const resolve = fromNameServers([place])
      const silent = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 8 }), (_, at) => Effect.exit(resolve(`silent${at}.test`)), {
          concurrency: "unbounded",
        }),
        { startImmediately: true },
      )
      assert.deepStrictEqual(yield* resolve("hook.test"), ["93.184.215.14"])
      assert.deepStrictEqual(yield* resolve("inside.test"), ["10.0.0.1"])
      assert.isUndefined(silent.pollUnsafe())
    }),
  )

  it.live("whose name server does not answer are given up after some seconds", () =>
    Effect.gen(function* () {
      const { place } = yield* nameServer
      const error = yield* Effect.flip(fromNameServers([place])("silent.test"))
      assert.strictEqual(error._tag, "HostUnreachable")
    }),
  )

  it.live("localhost is this machine, whatever a name server says", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* fromNameServers(["127.0.0.1:9"])("api.localhost"), ["127.0.0.1", "::1"])
    }),
  )
})
