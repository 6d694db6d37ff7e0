/** The company's own system. An http tool is one of its endpoints: Parley sends the arguments as a JSON body. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"

export const openWorkshop = async () => {
  const server = createServer(async (request, response) => {
    if (request.headers.authorization !== "Bearer secret-of-the-workshop") {
      response.writeHead(401).end()
      return
    }
    const { date } = (await json(request)) as { date: string }
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify({ date, free: ["09:00", "13:30", "16:00"] }))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  // Open for as long as the demo runs, without keeping the process alive.
  server.unref()
  return `http://127.0.0.1:${port}`
}
