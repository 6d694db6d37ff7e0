/** Clients that stop reading their answer, or sending their upload, hold nothing that other accounts need. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { caller } from "../../support/Callers.ts"
import { campaignForm, made } from "../../support/Fixtures.ts"
import * as Raw from "../../support/RawServer.ts"
import { openSocket, sendRaw } from "../../support/RawSocket.ts"
import { longCsv, silent, slowUpload } from "../../support/SlowClients.ts"
import { type Client, onServer, TestServer } from "../../support/TestServer.ts"

/** Two accounts at a time: a pool has four connections. */
const places = { DATABASE_MAX_CONNECTIONS: "8" }

const pauseOf = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const headersOf = ({ account, token }: Client) => [
  "Host: localhost",
  `X-Account-ID: ${account}`,
  `Authorization: Bearer ${token}`,
]

it.layer(TestServer.layerWith(places), { timeout: "240 seconds", excludeTestServices: true })(
  "a client that stands still",
  (it) => {
    it.effect("in the middle of an export gives the account's database back between two pages", () =>
      onServer(async (server) => {
        const sockets: Array<Socket> = []
        for (const name of ["slow-a", "slow-b", "slow-c"]) {
          const owner = await server.ownerOf(name)
          const { agent, number } = await caller(owner)
          const ids = { agent_id: agent.id, phone_number_id: number.id }
          const body = campaignForm({ name, ...ids }, longCsv())
          const { id } = made(await owner.request("POST", "/api/v1/campaigns", { body }))
          for (let at = 0; at < 14; at++) {
            const path = `/api/v1/campaigns/${id}/results.csv`
            sockets.push(await silent(server.url, [`GET ${path} HTTP/1.1`, ...headersOf(owner)]))
          }
        }
        await new Promise((resolve) => setTimeout(resolve, 3_000))
        const others = await Promise.all(
          ["fast-a", "fast-b", "fast-c", "fast-d"].map(async (name) => {
            const owner = await server.ownerOf(name)
            const began = performance.now()
            const { status } = await owner.get("/api/v1/calls")
            return { status, ms: performance.now() - began }
          }),
        )
        for (const { ms, status } of others) {
          assert.strictEqual(status, 200)
          assert.isBelow(ms, 5_000)
        }
        for (const socket of sockets) socket.destroy()
      }),
    )

    it.effect("in the middle of an export gets no more of it once its key has expired", () =>
      onServer(async (server) => {
        const owner = await server.ownerOf("expiring")
        const { agent, number } = await caller(owner)
        const ids = { agent_id: agent.id, phone_number_id: number.id }
        const body = campaignForm({ name: "long", ...ids }, longCsv())
        const { id } = made(await owner.request("POST", "/api/v1/campaigns", { body }))
        // Long enough for a busy machine to begin the answer.
        const soon = 6_000
        const read = async (life: number) => {
          const expires_at = new Date(Date.now() + life).toISOString()
          const { key } = made(await owner.post("/api/v1/api-keys", { name: "x", scopes: ["read"], expires_at }))
          const head = [`GET /api/v1/campaigns/${id}/results.csv HTTP/1.1`, ...headersOf({ ...owner, token: key })]
          const socket = await silent(server.url, [...head, "Connection: close"])
          await pauseOf(soon + 1_500)
          const pieces: Array<Buffer> = []
          socket.on("data", (piece: Buffer) => pieces.push(piece))
          await once(socket.resume(), "close")
          return Buffer.concat(pieces).toString("latin1")
        }
        const [expired, lasting] = await Promise.all([read(soon), read(300_000)])
        assert.match(expired, /^HTTP\/1\.1 200 /)
        assert.notMatch(expired, /\r\n0\r\n\r\n$/)
        assert.isBelow(expired.length, lasting.length)
        assert.match(lasting, /\r\n0\r\n\r\n$/)
      }),
    )

    it.effect("in the middle of an upload keeps neither a place nor an import from others", () =>
      onServer(async (server) => {
        const sockets: Array<Socket> = []
        for (let at = 0; at < 16; at++) {
          const owner = await server.ownerOf(`upload-${at}`)
          sockets.push(await slowUpload(server.url, headersOf(owner)))
        }
        await new Promise((resolve) => setTimeout(resolve, 1_000))
        const owner = await server.ownerOf("import")
        const { agent, number } = await caller(owner)
        const began = performance.now()
        const ids = { agent_id: agent.id, phone_number_id: number.id }
        const body = campaignForm({ name: "quick", ...ids }, "phone_number\n+14155550101\n")
        made(await owner.request("POST", "/api/v1/campaigns", { body }))
        assert.isBelow(performance.now() - began, 5_000)
        for (const socket of sockets) socket.destroy()
      }),
    )

    it.effect("delays no other account's upload, and neither do many lists of one account", () =>
      onServer(async (server) => {
        const busy = await server.ownerOf("many-lists")
        const owner = await server.ownerOf("one-list")
        const { agent, number } = await caller(owner)
        let answered = 0
        const uploads = Array.from({ length: 24 }, async (_, list) => {
          const body = new FormData()
          const numbers = Array.from({ length: 20_000 }, (_, at) => `+49151${10_000_000 + list * 20_000 + at}`)
          body.set("numbers", new File([`phone_number\n${numbers.join("\n")}\n`], "list.csv"))
          const { status } = await busy.request("POST", "/api/v1/suppressions/import", { body })
          answered++
          return status
        })
        await Promise.race(uploads)
        const ids = { agent_id: agent.id, phone_number_id: number.id }
        const body = campaignForm({ name: "quick", ...ids }, "phone_number\n+14155550101\n")
        made(await owner.request("POST", "/api/v1/campaigns", { body }))
        assert.isBelow(answered, 12)
        assert.deepStrictEqual(new Set(await Promise.all(uploads)), new Set([200]))
      }),
    )
  },
)

/** Milliseconds after which a connection that stands still is ended, for these tests. */
const stalledAfter = 400
/** Longer than a stall, and than the timers of a busy machine are late. */
const patience = 3_000

const serving = (answer: (response: ServerResponse) => void, body: (url: string) => Promise<void>) =>
  Raw.serving(answer, body, { stalledAfter })

describe("a connection that stands still", () => {
  it.live("is ended while the client reads nothing of a long answer, and not while it reads slowly", () =>
    Effect.promise(async () => {
      const closed: Array<boolean> = []
      const answer = (response: ServerResponse) => {
        response.once("close", () => closed.push(response.writableFinished))
        response.end(Buffer.alloc(24_000_000))
      }
      await serving(answer, async (url) => {
        const silentSocket = await silent(url, ["GET / HTTP/1.1", "Host: a"])
        await pauseOf(patience)
        assert.deepStrictEqual(closed, [false])
        silentSocket.destroy()
        const slow = await silent(url, ["GET / HTTP/1.1", "Host: a"])
        const isOver = once(slow, "close")
        // About 24 MB in several stalls' time, with pauses shorter than one.
        slow.on("data", () => {
          slow.pause()
          setTimeout(() => slow.resume(), 5)
        })
        slow.resume()
        await Promise.race([isOver, untilTwo(closed)])
        assert.deepStrictEqual(closed, [false, true])
        slow.destroy()
      })
    }),
  )

  it.live("stays while the app works on the answer", () =>
    Effect.promise(() =>
      serving(
        (response) => void setTimeout(() => response.end("late"), patience),
        async (url) => assert.strictEqual(await (await fetch(url)).text(), "late"),
      ),
    ),
  )

  it.live("stays also if the client announced its body, as curl does", () =>
    Effect.promise(() =>
      serving(
        (response) => void setTimeout(() => response.end("late"), patience),
        async (url) => {
          const headers = [
            "POST / HTTP/1.1",
            "Host: a",
            "Connection: close",
            "Expect: 100-continue",
            "Content-Length: 2",
          ]
          const text = await sendRaw(url, [[...headers, "", ""].join("\r\n"), "ab"])
          assert.match(text, /^HTTP\/1\.1 100 [^]*\r\nHTTP\/1\.1 200 [^]*late/)
        },
      ),
    ),
  )

  it.live("is answered 408 while the client owes the rest of its request", () =>
    Effect.promise(() =>
      serving(
        () => {},
        async (url) => {
          const socket = await openSocket(url)
          let text = ""
          socket.on("data", (bytes) => (text += String(bytes)))
          socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf")
          await Promise.race([once(socket, "close"), pauseOf(patience)])
          assert.match(text, /^HTTP\/1\.1 408 /)
          assert.include(text, "request_timeout")
          socket.destroy()
        },
      ),
    ),
  )
})

const untilTwo = async (closed: ReadonlyArray<boolean>): Promise<void> => {
  while (closed.length < 2) await pauseOf(50)
}
