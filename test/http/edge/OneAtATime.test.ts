/** A client that pipelines requests, or leaves before they are answered, makes Parley do no work for nothing. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { serving } from "../../support/RawServer.ts"
import { openSocket, requestOf, sendRaw } from "../../support/RawSocket.ts"
import { until } from "../../support/Until.ts"

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

interface Begun {
  readonly path: string
  readonly response: ServerResponse
}

/** Runs `body` beside a server. The requests that have begun are in `begun`, and the test ends their responses. */
const withRequests = (body: (url: string, begun: ReadonlyArray<Begun>) => Promise<void>) =>
  Effect.promise(async () => {
    const begun: Array<Begun> = []
    await serving(
      (response, { url = "" }) => void begun.push({ path: url, response }),
      (url) => body(url, begun),
    )
  })

/** Sends a request over a connection of its own, and answers it. */
const answerTo = async (path: string, url: string, begun: ReadonlyArray<Begun>) => {
  const answer = sendRaw(url, [requestOf(path)])
  const { response } = await until(() => begun.find((request) => request.path === path))
  response.end()
  await answer
}

describe("the requests of a connection", () => {
  it.live("begin one after the other, and are answered in order", () =>
    withRequests(async (url, begun) => {
      const paths = ["/a", "/b", "/c"]
      const pipelined = () => begun.filter(({ path }) => paths.includes(path))
      const answers = sendRaw(url, [get("/a") + get("/b"), requestOf("/c")])
      for (let at = 0; at < 3; at++) {
        const { path, response } = await until(() => pipelined()[at])
        // A request over another connection is served meanwhile, so the next one had the time to begin.
        await answerTo(`/beside${at}`, url, begun)
        assert.strictEqual(pipelined().length, at + 1)
        response.end(`<${path}>`)
      }
      assert.deepStrictEqual(
        Array.from((await answers).matchAll(/<(.*?)>/g), ([, path]) => path),
        paths,
      )
    }),
  )

  it.live("do not begin once the client has reset it", () =>
    withRequests(async (url, begun) => {
      const socket = await openSocket(url)
      socket.write(get("/a") + get("/b"))
      const { response } = await until(() => begun[0])
      socket.resetAndDestroy()
      await once(response, "close")
      await answerTo("/after", url, begun)
      assert.deepStrictEqual(
        begun.map(({ path }) => path),
        ["/a", "/after"],
      )
    }),
  )

  it.live("do not begin if the client reset it before it was accepted", () =>
    withRequests(async (url, begun) => {
      const leave = `const socket = require("node:net").connect(${new URL(url).port}, "127.0.0.1", () =>
        socket.write(${JSON.stringify(get("/gone"))}, () => socket.resetAndDestroy()))`
      // The server is in this process, which accepts nothing while it waits.
      execFileSync(process.execPath, ["-e", leave])
      await answerTo("/after", url, begun)
      assert.deepStrictEqual(
        begun.map(({ path }) => path),
        ["/after"],
      )
    }),
  )

  it.live("wait until their turn, at most a hundred of them: one more, and the connection is closed", () =>
    Effect.promise(async () => {
      let [enough, tooMany] = [0, 0]
      const answer = (response: ServerResponse, { url }: IncomingMessage) => {
        if (url === "/enough") response.end(() => enough++)
        else tooMany++
      }
      await serving(answer, async (url) => {
        const sockets = await Promise.all([openSocket(url), openSocket(url)])
        sockets[0].write(get("/enough").repeat(101))
        sockets[1].write(get("/too-many").repeat(102))
        await once(sockets[1], "close")
        await until(() => enough === 101)
        assert.strictEqual(tooMany, 1)
        sockets[0].destroy()
      })
    }),
  )
})
