import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { WebSocket } from "ws"
import { accept, closing, StreamSocket } from "../../../src/telephony/stream/StreamSocket.ts"
import { twilioDialect } from "../../../src/telephony/stream/TwilioDialect.ts"

/** A stream's socket over the network, and the code with which the carrier's end closes. */
const connected = async () => {
  const opened = Promise.withResolvers<StreamSocket>()
  const server = createServer().on("upgrade", (request) => {
    Effect.runFork(accept(request, (socket) => opened.resolve(new StreamSocket(socket, twilioDialect, () => 0))))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const carrier = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  carrier.on("error", () => {})
  const closed = new Promise<number>((resolve) => carrier.once("close", resolve)).finally(() => server.close())
  await new Promise((resolve) => carrier.once("open", resolve))
  return { carrier, closed, stream: await opened.promise }
}

it("a media stream is closed when it sends pongs without end", async () => {
  const { carrier, closed } = await connected()
  for (let at = 0; at < 1_500; at++) carrier.pong()
  assert.strictEqual(await closed, closing.policy)
})

it("a media stream is cut off when it goes on sending after it was closed", async () => {
  const { carrier, closed, stream } = await connected()
  // So that it does not answer the close.
  carrier.pause()
  stream.close(closing.done, "")
  const began = performance.now()
  for (let at = 0; at < 1_500; at++) carrier.ping()
  await new Promise((resolve) => stream.listen({ message: () => {}, closed: () => resolve(undefined) }))
  assert.isBelow(performance.now() - began, 2_500)
  carrier.terminate()
  await closed
})
