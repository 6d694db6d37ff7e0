import { assert, describe, it } from "@effect/vitest"
import { once } from "node:events"
import { type AddressInfo, connect, createServer } from "node:net"
import { pace } from "../../src/tenancy/PacedReads.ts"

const sent = Buffer.from(Array.from({ length: 4 * 1024 * 1024 }, (_, at) => at % 251))

/** A connection to a server that sends all of it at once. */
const connected = async () => {
  const server = createServer((peer) => peer.end(sent)).listen(0, "127.0.0.1")
  await once(server, "listening")
  const socket = pace(connect((server.address() as AddressInfo).port, "127.0.0.1"))
  socket.once("close", () => server.close())
  return socket
}

describe("reads from the server of databases", () => {
  it("hand on some 256 KiB in a tick of the event loop, and everything in its order", async () => {
    const socket = await connected()
    const heard: Array<Buffer> = []
    let inTick = 0
    let most = 0
    socket.on("data", (piece: Buffer) => {
      if (inTick === 0) setImmediate(() => (inTick = 0))
      inTick += piece.length
      most = Math.max(most, inTick)
      heard.push(piece)
    })
    await once(socket, "close")
    assert.isTrue(Buffer.concat(heard).equals(sent))
    assert.isAtMost(most, 512 * 1024)
  })

  it("stay paused while their reader has paused them", async () => {
    const socket = await connected()
    let heard = 0
    socket.on("data", (piece: Buffer) => (heard += piece.length))
    await once(socket, "data")
    socket.pause()
    const before = heard
    for (let tick = 0; tick < 20; tick++) await new Promise(setImmediate)
    assert.strictEqual(heard, before)
    socket.resume()
    await once(socket, "close")
    assert.strictEqual(heard, sent.length)
  })
})
