/** A customer's endpoint on this machine. It keeps what it receives, and answers as a test decides. */
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { Webhook } from "standardwebhooks"
import type { Event } from "../../src/domain/Event.ts"

/**
 * Milliseconds, longer than a machine stalls. Closing a connection while a request is sent over it would fail the test.
 */
const keepAliveTimeout = 120_000

export interface Received {
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string
  /** The parsed body. */
  readonly event: typeof Event.Encoded
  readonly at: number
}

export interface Receiver {
  /** The URL of an endpoint of this receiver, by its path. */
  readonly at: (path: string) => string
  readonly received: ReadonlyArray<Received>
  /** Sets the answer of a path: a status, or a function that responds. The default is 200. */
  readonly answer: (path: string, answer: Answer) => void
  /** Waits until a path has this many deliveries that fit, and returns them. */
  readonly until: (
    path: string,
    count: number,
    fits?: (received: Received) => boolean,
  ) => Promise<ReadonlyArray<Received>>
  readonly close: () => void
}

export type Answer = number | ((response: ServerResponse, received: Received) => void)

export const receiver = async (): Promise<Receiver> => {
  const received: Array<Received> = []
  const answers = new Map<string, Answer>()
  const waiting = new Set<() => void>()
  const server = createServer({ keepAliveTimeout }, async (request, response) => {
    const body = await text(request)
    const path = request.url ?? ""
    const one = {
      path,
      headers: request.headers as Record<string, string>,
      body,
      event: JSON.parse(body),
      at: Date.now(),
    }
    received.push(one)
    const answer = answers.get(path) ?? 200
    if (typeof answer === "number") response.writeHead(answer).end(answer < 300 ? "" : `no: ${answer}`)
    else answer(response, one)
    for (const look of waiting) look()
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const until: Receiver["until"] = (path, count, fits = () => true) =>
    new Promise((resolve) => {
      const look = () => {
        const found = received.filter((one) => one.path === path && fits(one))
        if (found.length < count) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
    })
  return {
    at: (path) => `http://127.0.0.1:${port}${path}`,
    received,
    answer: (path, answer) => void answers.set(path, answer),
    until,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Verifies the signature with the package that receivers use. Throws unless it was made with this secret. */
export const verified = ({ body, headers }: Received, secret: string) => new Webhook(secret).verify(body, headers)
