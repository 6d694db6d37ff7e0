/** Models over real connections of this machine: kept between turns, and answers that come as they are sent. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import * as Connections from "../../../src/brain/model/Connections.ts"

const serverOf = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      let connections = 0
      const server = createServer(listener)
      // As those of model providers, that keep a connection for minutes.
      server.keepAliveTimeout = 120_000
      server.on("connection", () => void connections++)
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      const { port } = server.address() as AddressInfo
      return { server, url: `http://127.0.0.1:${port}/`, connections: () => connections }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      }),
  )

const question: RequestInit = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }

describe("connections to models", () => {
  it.live("two turns that are ten seconds apart are asked over one", () =>
    Effect.gen(function* () {
      const { connections, url } = yield* serverOf((_, response) => response.end("yes"))
      const fetch = yield* Connections.make
      const ask = Effect.promise(() => fetch(url, question).then((answer) => answer.text()))
      assert.strictEqual(yield* ask, "yes")
      yield* Effect.sleep("10 seconds")
      assert.strictEqual(yield* ask, "yes")
      assert.strictEqual(connections(), 1)
    }).pipe(Effect.scoped),
  )

  it.live("an answer is read as it comes, and its request ends when its reader stops", () =>
    Effect.gen(function* () {
      let closed = false
      const { url } = yield* serverOf((_, response) => {
        response.on("close", () => void (closed = true))
        response.write("first")
      })
      const fetch = yield* Connections.make
      const answer = yield* Effect.promise(() => fetch(url, question))
      const reader = answer.body?.getReader()
      const first = yield* Effect.promise(async () => reader?.read())
      assert.strictEqual(new TextDecoder().decode(first?.value), "first")
      yield* Effect.promise(async () => reader?.cancel())
      yield* Effect.suspend(() => (closed ? Effect.void : Effect.fail("it is open"))).pipe(Effect.eventually)
    }).pipe(Effect.scoped),
  )

  it.live("a slow reader gets all of a long answer, in its order", () =>
    Effect.gen(function* () {
      const lines = Array.from({ length: 100 }, (_, at) => `${at}\n`.padStart(65_536, "."))
      const { url } = yield* serverOf((_, response) => {
        for (const line of lines) response.write(line)
        response.end()
      })
      const fetch = yield* Connections.make
      const text = yield* Effect.promise(async () => {
        const decoder = new TextDecoder()
        let text = ""
        for await (const chunk of (await fetch(url, question)).body ?? []) {
          text += decoder.decode(chunk, { stream: true })
          await new Promise((resolve) => setImmediate(resolve))
        }
        return text
      })
      assert.strictEqual(text, lines.join(""))
    }).pipe(Effect.scoped),
  )

  it.live("what the server says of an error is kept: its status, its words, its headers", () =>
    Effect.gen(function* () {
      const { url } = yield* serverOf((_, response) => {
        response.writeHead(429, "Too Many", { "retry-after": "7" })
        response.end("wait")
      })
      const fetch = yield* Connections.make
      const answer = yield* Effect.promise(() => fetch(url, question))
      const { headers, ok, status, statusText } = answer
      assert.deepStrictEqual([ok, status, statusText, headers.get("retry-after")], [false, 429, "Too Many", "7"])
      assert.strictEqual(yield* Effect.promise(() => answer.text()), "wait")
    }).pipe(Effect.scoped),
  )

  it.live("an answer without a body has none, and a redirect is not followed", () =>
    Effect.gen(function* () {
      let asked = 0
      const { url } = yield* serverOf((request, response) => {
        asked++
        response.writeHead(request.url === "/" ? 204 : 307, { location: "/" })
        response.end()
      })
      const fetch = yield* Connections.make
      const none = yield* Effect.promise(() => fetch(url, question))
      assert.deepStrictEqual([none.status, none.body], [204, null])
      const elsewhere = yield* Effect.promise(() => fetch(`${url}elsewhere`, question))
      assert.deepStrictEqual([elsewhere.status, asked], [307, 2])
    }).pipe(Effect.scoped),
  )
})
