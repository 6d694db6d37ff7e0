/** The limit of the sse benchmark: a bare Node server that writes one buffer to a set of responses. */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** As long as Parley's own snapshot, which the benchmark passes on. */
const { frame } = JSON.parse(process.argv[2] ?? "{}") as { frame: string }
const beginning = frame.slice(0, frame.lastIndexOf('"at":"') + '"at":"'.length)
const end = frame.slice(beginning.length + "2026-11-21T10:00:00.000Z".length)

const readers = new Set<ServerResponse>()
const message = () => Buffer.from(`${beginning}${new Date().toISOString()}${end}`)

const server = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" })
  response.write("retry: 2000\n\n")
  response.write(message())
  readers.add(response)
  response.on("close", () => readers.delete(response))
})
setInterval(() => {
  const bytes = message()
  for (const reader of readers) reader.write(bytes)
}, 2000)

server.listen({ port: 0, host: "127.0.0.1", backlog: 8192 }, () => {
  console.log(`node:http is ready at http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
