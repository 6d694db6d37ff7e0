import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isForOwnPages, isFromForeignPage } from "../../../src/http/edge/SameOrigin.ts"
import type { Problem, RpcBody } from "../../support/Contract.ts"
import { handshake, requestOf, sendRaw, statusOf } from "../../support/RawSocket.ts"
import { TestServer } from "../../support/TestServer.ts"

describe("a page's origin", () => {
  const own = [
    { host: "parley.example.com" },
    { host: "parley.example.com", origin: "https://parley.example.com" },
    { host: "parley.example.com:443", origin: "https://parley.example.com" },
    { host: "localhost:3000", origin: "http://localhost:3000" },
    { host: "10.0.0.7:3000", "x-forwarded-host": "parley.example.com", origin: "https://parley.example.com" },
    { host: "10.0.0.7:3000", "sec-fetch-site": "same-origin", origin: "https://parley.example.com" },
    { host: "localhost:3000", "sec-fetch-site": "none" },
  ]
  it.each(own)("is our own for %j", (headers) => assert.isFalse(isFromForeignPage(headers)))

  const foreign = [
    { host: "localhost:3000", origin: "https://evil.example" },
    { host: "localhost:3000", origin: "http://localhost:8080" },
    { host: "localhost:3000", origin: "http://127.0.0.1:3000" },
    { host: "localhost:3000", origin: "null" },
    { host: "localhost:3000", origin: "http://localhost:3000/" },
    { host: "localhost:3000", "sec-fetch-site": "cross-site" },
    { host: "localhost:3000", "sec-fetch-site": "same-site" },
    { host: "localhost:3000", "sec-fetch-site": "same-site", origin: "http://localhost:8080" },
  ]
  it.each(foreign)("is foreign for %j", (headers) => assert.isTrue(isFromForeignPage(headers)))

  it("matters for the router and the login, not for the public interface", () => {
    for (const path of ["/trpc-ws", "/trpc/auth.login", "/api/login"]) assert.isTrue(isForOwnPages(path))
    for (const path of ["/api/tools", "/api/v1/widget/ws", "/trpc-wsx"]) assert.isFalse(isForOwnPages(path))
  })
})

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })("a page elsewhere", (it) => {
  it.effect("opens no socket to the router and cannot sign in; a program without an origin can", () =>
    Effect.gen(function* () {
      const { request, url } = yield* TestServer
      yield* Effect.promise(async () => {
        const { host } = new URL(url)
        const upgrade = async (...headers: ReadonlyArray<string>) => {
          const head = requestOf("/trpc-ws", [`Host: ${host}`, ...handshake, ...headers])
          return statusOf(
            await sendRaw(url, [head.replace("Connection: close\r\n", "")], (text) => text.includes("\r\n\r\n")),
          )
        }
        assert.strictEqual(await upgrade(), 101)
        assert.strictEqual(await upgrade(`Origin: ${url}`), 101)
        assert.strictEqual(await upgrade("Origin: https://evil.example"), 403)
        assert.strictEqual(await upgrade("Origin: null"), 403)

        const body = { email: "eve@example.com", admin: true }
        const logIn = async (path: string, headers: Record<string, string>) => {
          const answer = await request("POST", path, { body, headers })
          const problem = answer.body as Partial<Problem> & RpcBody
          return [answer.status, problem.code ?? problem.error?.data.code]
        }
        for (const path of ["/api/login", "/hub-api/api/login", "/trpc/auth.login"]) {
          assert.deepStrictEqual(await logIn(path, { origin: "https://evil.example" }), [403, "origin_forbidden"])
          assert.deepStrictEqual(await logIn(path, { "sec-fetch-site": "same-site" }), [403, "origin_forbidden"])
          assert.strictEqual((await logIn(path, { origin: url }))[0], 200)
        }
      })
    }),
  )

  it.effect("reaches nothing in development under a name of its own", () =>
    Effect.gen(function* () {
      const { url } = yield* TestServer
      yield* Effect.promise(async () => {
        const { port } = new URL(url)
        const answer = (host: string, path = "/healthz") => sendRaw(url, [requestOf(path, [`Host: ${host}:${port}`])])
        for (const host of ["localhost", "LOCALHOST", "127.0.0.1", "[::1]"]) {
          assert.strictEqual(statusOf(await answer(host)), 200)
        }
        for (const host of ["rebound.example", "127.0.0.1.nip.io", "localhost.evil.example", "0.0.0.0"]) {
          for (const path of ["/healthz", "/console/", "/api/accounts", "/trpc/auth.accounts"]) {
            const refused = await answer(host, path)
            assert.strictEqual(statusOf(refused), 403)
            assert.include(refused, "host_forbidden")
          }
        }
      })
    }),
  )
})
