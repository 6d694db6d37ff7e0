import { assert, describe, it } from "@effect/vitest"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"
import { follow, followClosely, type FollowOptions, StreamLost } from "../../examples/follow.ts"
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

  it("asks again after a proxy's refusal, and after a 429", async () => {
    const { parley, requests } = await answering(
      stream("retry: 1\n\n"),
      (_, response) => response.writeHead(404, { "content-type": "text/html" }).end("<h1>Nothing here</h1>"),
      (_, response) => response.writeHead(429, { "content-type": "application/problem+json" }).end('{"status":429}'),
      (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<h1>Sign in to the hotel</h1>"),
      stream(end(1)),
    )
    assert.deepStrictEqual(await statuses(parley), ["completed"])
    assert.strictEqual(requests.length, 5)
  })
})

/** What happens, in one word each. */
const story = async (parley: Parley, options: FollowOptions<{ status: string }> = {}) => {
  const words: Array<string> = []
  for await (const news of followClosely(parley, "c", options)) {
    if (news.type === "snapshot") words.push(news.isEnd ? "end" : news.snapshot.status)
    else words.push(news.type === "cut" ? `cut: ${news.why}` : `back at ${news.lastEventId}`)
  }
  return words
}

describe("following a campaign closely", () => {
  it("says that the connection broke, once, and that it is back, and where", async () => {
    const { parley } = await answering(
      stream(`retry: 1\n\n${running(5)}`),
      (_, response) => response.writeHead(503).end(),
      stream(running(6) + end(7)),
    )
    assert.deepStrictEqual(await story(parley), ["running", "cut: the server closed it", "back at 5", "running", "end"])
  })
  it("takes a silent connection for dead, though it is still open", async () => {
    const { parley, requests } = await answering(
      (_, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.write(`retry: 1\n\n${running(3)}`)
      },
      stream(end(4)),
    )
    const words = await story(parley, { longestSilence: 3_000 })
    assert.deepStrictEqual(words, ["running", "cut: nothing was heard for 3 s", "back at 3", "end"])
    assert.strictEqual(requests[1]?.headers["last-event-id"], "3")
  })
  it("takes what it cannot read for a broken line, and does not believe its id", async () => {
    const { parley, requests } = await answering(
      stream(`retry: 1\n\n${running(3)}id: 999\ndata: {"stat\n\n`),
      stream(end(4)),
    )
    const words = await story(parley)
    assert.match(words[1] ?? "", /^cut: .*JSON/)
    assert.strictEqual(words.at(-1), "end")
    assert.strictEqual(requests[1]?.headers["last-event-id"], "3")
  })
  it("keeps no line that never ends", async () => {
    const { parley } = await answering(
      (_, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.write("retry: 1\n\n")
        response.write(`data: ${"x".repeat(3_000_000)}`)
      },
      stream(end(4)),
    )
    assert.match((await story(parley)).join(), /^cut: .*buffer.*end$/i)
  })
  it("gives up when nothing was heard for as long as one would wait", async () => {
    const { parley } = await answering(stream("retry: 1\n\n"))
    const failure = await story(parley, { patience: 50 }).catch((cause: unknown) => cause)
    assert.instanceOf(failure, StreamLost)
  })
  it("ends at once when it is told to, also while it waits", async () => {
    const { parley } = await answering(stream(`retry: 30000\n\n${running(1)}`))
    const over = new AbortController()
    const seen: Array<string> = []
    for await (const { type } of followClosely(parley, "c", { signal: over.signal })) {
      seen.push(type)
      if (type === "cut") setTimeout(() => over.abort(), 1)
    }
    assert.deepStrictEqual(seen, ["snapshot", "cut"])
  })
})
