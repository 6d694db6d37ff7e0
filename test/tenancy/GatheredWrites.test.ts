import { assert, describe, it } from "@effect/vitest"
import { once } from "node:events"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { gathering, socketsTo } from "../../src/tenancy/GatheredWrites.ts"

/** A server that keeps what it hears, and one connection to it. */
const connected = async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const socket = gathering("127.0.0.1", (server.address() as AddressInfo).port)
  const [peer]: Array<Socket> = await once(server, "connection")
  if (socket.connecting) await once(socket, "connect")
  const heard: Array<Buffer> = []
  peer?.on("data", (chunk) => heard.push(chunk))
  const close = async () => {
    socket.destroy()
    server.close()
    await once(server, "close")
  }
  return { socket, peer, text: () => Buffer.concat(heard).toString(), close }
}

describe("writes to the server of databases", () => {
  it("what is written in one turn of the event loop waits for its end, and is then sent in order", async () => {
    const { close, peer, socket, text } = await connected()
    for (const word of ["one ", "two ", "three"]) socket.write(Buffer.from(word))
    assert.strictEqual(socket.writableLength, "one two three".length)
    await once(peer ?? socket, "data")
    assert.strictEqual(text(), "one two three")
    assert.strictEqual(socket.writableLength, 0)
    socket.write(Buffer.from(" four"))
    await once(peer ?? socket, "data")
    assert.strictEqual(text(), "one two three four")
    await close()
  })

  it("a connection that is ended in the same turn sends what was written before", async () => {
    const { close, peer, socket, text } = await connected()
    socket.write(Buffer.from("query "))
    socket.end(Buffer.from("terminate"))
    await once(peer ?? socket, "end")
    assert.strictEqual(text(), "query terminate")
    await close()
  })

  it("what is written before the connection stands is sent when it does", async () => {
    const server = createServer().listen(0, "127.0.0.1")
    await once(server, "listening")
    const socket = gathering("127.0.0.1", (server.address() as AddressInfo).port)
    socket.write(Buffer.from("startup"))
    const [peer]: Array<Socket> = await once(server, "connection")
    const [heard]: Array<Buffer> = await once(peer ?? socket, "data")
    assert.strictEqual(String(heard), "startup")
    socket.destroy()
    server.close()
  })

  it.each([
    "postgres:///parley",
    "postgres://%2Frun%2Fpostgresql/parley",
    "postgres:///parley?host=/run/postgresql",
    "postgres://db.example/parley?port=6432",
  ])("a server that %s names otherwise than by host and port is left to the driver", (url) => {
    assert.isUndefined(socketsTo(new URL(url)))
  })

  it("a server is reached by name or by address, of either family", () => {
    for (const host of ["db.example:5433", "127.0.0.1", "[::1]:5433"]) {
      assert.isFunction(socketsTo(new URL(`postgres://parley@${host}/parley`)))
    }
  })
})
