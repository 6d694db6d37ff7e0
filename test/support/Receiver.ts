/** A customer's endpoint on this machine: keeps what it is sent and answers as a test tells it to. */
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { Webhook } from "standardwebhooks"
import type { Event } from "../../src/domain/Event.ts"

/** Longer than a machine stalls: closing a connection while a request is sent over it would fail the test. */
const keepAliveTimeout = 120_000

export interface Received {
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string
  /** The body, read. */
  readonly event: typeof Event.Encoded
  readonly at: number
}

export interface Receiver {
  /** An endpoint of this receiver, by its path. */
  readonly at: (path: string) => string
  readonly received: ReadonlyArray<Received>
  /** What a path answers from now on: a status, or whatever the function does. 200 at first. */
  readonly answer: (path: string, answer: Answer) => void
  /** The first deliveries of a path that fit, as soon as there are so many. */
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

/** Throws where the signature is not of this secret; with the package that receivers use. */
export const verified = ({ body, headers }: Received, secret: string) => new Webhook(secret).verify(body, headers)
