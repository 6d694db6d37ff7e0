import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { request as rawRequest } from "node:http"
import { connect } from "node:net"
import type { Problem } from "../support/Contract.ts"
import { type Answer, TestServer } from "../support/TestServer.ts"

/** Sends headers as they are, repeated ones too, which `fetch` would join. */
const raw = (url: string, headers: ReadonlyArray<string>) =>
  new Promise<{ status: number; body: Problem }>((resolve, reject) => {
    const request = rawRequest(url, { headers: ["host", new URL(url).host, ...headers] }, (response) => {
      let text = ""
      response.on("data", (chunk) => (text += chunk))
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }))
    })
    request.on("error", reject)
    request.end()
  })

const isProblem = (answer: Answer, status: number, code: string) => {
  assert.strictEqual(answer.status, status, JSON.stringify(answer.body))
  assert.strictEqual(answer.headers.get("content-type"), "application/problem+json")
  const problem = answer.body as Problem
  assert.strictEqual(problem.status, status)
  assert.strictEqual(problem.code, code)
  assert.strictEqual(problem.type, `https://parley.dev/problems/${code.replaceAll("_", "-")}`)
  assert.isString(problem.title)
  assert.isString(problem.detail)
  assert.strictEqual(problem.request_id, answer.headers.get("x-request-id"))
}

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })(
  "errors (spec §7, decisions §2)",
  (it) => {
    const test = (name: string, body: (server: TestServer["Service"]) => Promise<void>) =>
      it.effect(name, () => Effect.flatMap(TestServer, (server) => Effect.promise(() => body(server))))

    test("400: X-Account-ID missing", async ({ request }) =>
      isProblem(await request("GET", "/api/tools", { token: "x" }), 400, "invalid_account"))

    test("400: account name invalid", async ({ request }) => {
      for (const account of ["Demo", "-demo", "_demo", "de mo", "a".repeat(64), "démo"]) {
        const answer = await request("GET", "/api/tools", {
          token: "x",
          headers: { "x-account-id": encodeURI(account) },
        })
        isProblem(answer, 400, "invalid_account")
      }
    })

    test("400: a repeated X-Account-ID or Authorization header", async ({ ownerOf, url }) => {
      const { token } = await ownerOf("repeated")
      const good = ["x-account-id", "repeated", "authorization", `Bearer ${token}`]
      assert.strictEqual((await raw(`${url}/api/faqs`, good)).status, 200)
      const twiceAccount = await raw(`${url}/api/faqs`, [...good, "x-account-id", "repeated"])
      assert.deepStrictEqual([twiceAccount.status, twiceAccount.body.code], [400, "invalid_account"])
      const twiceToken = await raw(`${url}/api/faqs`, [...good, "authorization", `Bearer ${token}`])
      assert.deepStrictEqual([twiceToken.status, twiceToken.body.code], [400, "invalid_request"])
    })

    test("401: bearer token missing or invalid, with WWW-Authenticate", async ({ request }) => {
      for (const token of [null, "nonsense", "a.b.c"]) {
        const answer = await request("GET", "/api/tools", { account: "demo", token })
        isProblem(answer, 401, "unauthenticated")
        assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer")
      }
    })

    test("403: reserved administration account used, before the token is looked at", async ({ request }) =>
      isProblem(await request("GET", "/api/tools", { account: "platform-admin", token: "x" }), 403, "reserved_account"))

    test("403: admin-only endpoint without X-Admin: true", async ({ admin }) => {
      const answer = await (
        await admin()
      ).get("/api/admin/accounts", { account: null, headers: { "x-admin": "false" } })
      isProblem(answer, 403, "admin_required")
    })

    test("403: delete of a built-in tool", async ({ ownerOf }) =>
      isProblem(await (await ownerOf("builtin")).delete("/api/tools/end_call"), 403, "built_in"))

    test("404: resource not found in this account's database", async ({ ownerOf }) => {
      const owner = await ownerOf("nothing")
      isProblem(await owner.get("/api/faqs/nobody-asked"), 404, "not_found")
      isProblem(await owner.get("/api/faqs/01a1fe20-8b61-703d-946a-74c3f3034f33"), 404, "not_found")
    })

    test("404: an unknown account, after a valid token", async ({ ownerOf }) => {
      const owner = await ownerOf("known")
      isProblem(await owner.get("/api/faqs", { account: "unknown-account" }), 404, "account_not_found")
    })

    test("404: a path that does not exist", async ({ request }) =>
      isProblem(await request("GET", "/api/nothing-here"), 404, "route_not_found"))

    test("405 with Allow: a method that the path does not know", async ({ request }) => {
      const answer = await request("PATCH", "/hub-api/api/faqs")
      isProblem(answer, 405, "method_not_allowed")
      assert.strictEqual(answer.headers.get("allow"), "GET, HEAD, POST")
    })

    test("415: another content type, or none", async ({ ownerOf }) => {
      const owner = await ownerOf("types")
      const body = JSON.stringify({ question: "a", answer: "b" })
      isProblem(await owner.request("POST", "/api/faqs", { body }), 415, "unsupported_media_type")
      const headers = { "content-type": "text/csv" }
      isProblem(await owner.request("POST", "/api/faqs", { body, headers }), 415, "unsupported_media_type")
      const bytes = new TextEncoder().encode(body)
      isProblem(await owner.request("POST", "/api/faqs", { body: bytes }), 415, "unsupported_media_type")
    })

    test("413: a body over 1 MiB", async ({ ownerOf }) => {
      const owner = await ownerOf("large")
      const answer = await owner.post("/api/faqs", { question: "a", answer: "x".repeat(1024 * 1024) })
      isProblem(answer, 413, "body_too_large")
    })

    test("400: a body that is no strict JSON", async ({ ownerOf }) => {
      const owner = await ownerOf("strict")
      const headers = { "content-type": "application/json" }
      for (const body of [
        `{"question":"a","question":"b","answer":"c"}`,
        String.raw`{"question":"\u0000","answer":"c"}`,
        String.raw`{"question":"\ud800","answer":"c"}`,
        "[".repeat(40) + "]".repeat(40),
        "{",
        "",
      ]) {
        isProblem(await owner.request("POST", "/api/faqs", { body, headers }), 400, "invalid_request")
      }
      const bytes = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d])
      isProblem(await owner.request("POST", "/api/faqs", { body: bytes, headers }), 400, "invalid_request")
      assert.strictEqual((await owner.get("/api/faqs?is_default=false")).body.total, 0)
    })

    test("400: every fault of a body has its pointer", async ({ ownerOf }) => {
      const answer = await (await ownerOf("pointers")).post("/api/faqs", { question: 5, anwser: "typo" })
      isProblem(answer, 400, "invalid_request")
      const pointers = answer.body.errors!.map(({ pointer }: { pointer: string }) => pointer).sort()
      assert.deepStrictEqual(pointers, ["/answer", "/anwser", "/question"])
    })

    test("400: a page or page_size out of range", async ({ ownerOf }) => {
      const owner = await ownerOf("pages")
      for (const query of ["page=-1", "page=x", "page_size=0", "page_size=101", "page=1&page=2", "page=1.5"]) {
        isProblem(await owner.get(`/api/faqs?${query}`), 400, "invalid_request")
      }
    })

    test("400: bytes in a path that are no UTF-8", async ({ ownerOf }) =>
      isProblem(await (await ownerOf("bytes")).get("/api/faqs/%ff%fe"), 400, "invalid_request"))

    test("400, 431: what is no HTTP at all is answered by a problem too", async ({ url }) => {
      const spoken = async (text: string) => {
        const { hostname, port } = new URL(url)
        const socket = connect(Number(port), hostname)
        socket.end(Buffer.from(text, "latin1"))
        let answer = ""
        for await (const chunk of socket) answer += String(chunk)
        const [head = "", body = ""] = answer.split("\r\n\r\n")
        assert.include(head.toLowerCase(), "content-type: application/problem+json")
        return [Number(head.split(" ")[1]), JSON.parse(body).code]
      }
      const invalid = [400, "invalid_request"]
      const close = "Host: x\r\nConnection: close\r\n\r\n"
      assert.deepStrictEqual(await spoken("nonsense\r\n\r\n"), invalid)
      assert.deepStrictEqual(await spoken("GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n"), invalid)
      assert.deepStrictEqual(await spoken(`GET /api/faqs/\xff\xfe HTTP/1.1\r\n${close}`), invalid)
      assert.deepStrictEqual(await spoken(`GET /healthz HTTP/1.1\r\nX-Long: ${"x".repeat(20_000)}\r\n${close}`), [
        431,
        "headers_too_large",
      ])
    })

    test("a token is refused before the content type, and the content type before the body", async ({
      request,
      ownerOf,
    }) => {
      const body = "not json"
      const nobody = await request("POST", "/api/faqs", { account: "demo", token: "x", body })
      isProblem(nobody, 401, "unauthenticated")
      const owner = await ownerOf("order")
      isProblem(await owner.request("POST", "/api/faqs", { body }), 415, "unsupported_media_type")
      isProblem(
        await owner.request("PUT", "/api/faqs/nobody", { body: "{", headers: { "content-type": "application/json" } }),
        400,
        "invalid_request",
      )
      isProblem(await owner.put("/api/faqs/nobody", {}), 404, "not_found")
    })

    test("a request id that is sane is the client's own, another is replaced", async ({ request }) => {
      const own = await request("GET", "/healthz", { headers: { "x-request-id": "order-4711-a" } })
      assert.strictEqual(own.headers.get("x-request-id"), "order-4711-a")
      const other = await request("GET", "/healthz", { headers: { "x-request-id": "<script>" } })
      assert.match(other.headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/)
    })
  },
)

it.layer(TestServer.layerWith({ PARLEY_REQUESTS_PER_MINUTE: "20" }), {
  timeout: "120 seconds",
  excludeTestServices: true,
})("rate limits (decisions §2)", (it) => {
  it.effect("429 rate_limited says until when, and other callers go on", () =>
    Effect.gen(function* () {
      const { ownerOf, request } = yield* TestServer
      const owner = yield* Effect.promise(() => ownerOf("demo"))
      const list = Effect.promise(() => owner.get("/api/faqs"))
      assert.strictEqual((yield* list).status, 200)
      const ask = (token: string) => Effect.promise(() => request("GET", "/api/faqs", { account: "demo", token }))
      // The limit is the clock's minute: a minute that begins in the middle allows at most twice as many.
      const answers = yield* Effect.all(Array.from({ length: 41 }, () => ask("somebody")))
      const limited = answers.find(({ status }) => status === 429)
      assert.isDefined(limited)
      if (limited === undefined) return
      isProblem(limited, 429, "rate_limited")
      assert.strictEqual(limited.body.limit, 20)
      assert.isAbove(limited.body.used!, 20)
      assert.isAbove(Date.parse(limited.body.resets_at!), 0)
      const wait = Number(limited.headers.get("retry-after"))
      assert.isTrue(wait >= 1 && wait <= 60)
      assert.match(limited.headers.get("ratelimit") ?? "", /^"rate_limited";r=0;t=\d+$/)
      assert.strictEqual(limited.headers.get("ratelimit-policy"), `"rate_limited";q=20`)
      // Unverified tokens of an address share one limit; a token that has opened an account has its own.
      assert.strictEqual((yield* ask("somebody-else")).status, 429)
      assert.strictEqual((yield* list).status, 200)
    }),
  )
})
