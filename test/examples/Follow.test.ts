import { assert, describe, it } from "@effect/vitest"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"
import { follow } from "../../examples/follow.ts"
import { Parley, ParleyError } from "../../examples/parley.ts"

/** A server that answers the first request with the first handler, and so on. */
const answering = async (...answers: ReadonlyArray<(request: IncomingMessage, response: ServerResponse) => void>) => {
  const requests: Array<IncomingMessage> = []
  const server = createServer((request, response) => {
    const answer = answers[requests.push(request) - 1]
    if (answer === undefined) response.writeHead(500).end()
    else answer(request, response)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close())
  return { parley: new Parley(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, "token", "demo"), requests }
}

const stream = (text: string) => (_: IncomingMessage, response: ServerResponse) => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  response.end(text)
}

const broken = (text: string) => (_: IncomingMessage, response: ServerResponse) => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  response.write(text, () => response.destroy())
}

const statuses = async (parley: Parley) => {
  const seen: Array<string> = []
  for await (const { status } of follow(parley, "c")) seen.push(status)
  return seen
}

const running = (id: number) => `id: ${id}\ndata: {"status":"running"}\n\n`
const end = (id: number) => `event: end\nid: ${id}\ndata: {"status":"completed"}\n\n`

describe("following a campaign", () => {
  it("gives every snapshot, the last one with the end", async () => {
    const { parley, requests } = await answering(
      stream(`retry: 1\n\n${running(1)}: heartbeat\n\n${running(2)}${end(3)}`),
    )
    assert.deepStrictEqual(await statuses(parley), ["running", "running", "completed"])
    assert.strictEqual(requests[0]?.headers["last-event-id"], undefined)
  })

  it("goes on after a connection that broke, and says what it saw last", async () => {
    const { parley, requests } = await answering(
      broken(`retry: 1\n\n${running(7)}`),
      (_, response) => response.writeHead(503).end(),
      stream(running(8) + end(9)),
    )
    assert.deepStrictEqual(await statuses(parley), ["running", "running", "completed"])
    assert.deepStrictEqual(
      requests.map(({ headers }) => headers["last-event-id"]),
      [undefined, "7", "7"],
    )
  })

  it("is over when the server says that the end was already seen", async () => {
    const { parley } = await answering(stream(`retry: 1\n\n${running(1)}`), (_, response) =>
      response.writeHead(204).end(),
    )
    assert.deepStrictEqual(await statuses(parley), ["running"])
  })

  it("gives up at once when asking again cannot help", async () => {
    const { parley, requests } = await answering((_, response) => {
      response.writeHead(404, { "content-type": "application/problem+json" })
      response.end(JSON.stringify({ status: 404, code: "not_found", title: "Not found", detail: "No campaign c" }))
    })
    const failure = await statuses(parley).catch((cause: unknown) => cause)
    assert.instanceOf(failure, ParleyError)
    assert.include(failure.message, "404 not_found: No campaign c")
    assert.strictEqual(requests.length, 1)
  })
})
