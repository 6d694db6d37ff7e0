import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Deferred, Effect, Fiber, Layer, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { AddressGuard, type Resolve } from "../../../src/calls/tools/AddressGuard.ts"
import * as CallControls from "../../../src/calls/tools/CallControls.ts"
import * as Invocation from "../../../src/calls/tools/Invocation.ts"
import * as OwnTools from "../../../src/calls/tools/OwnTools.ts"
import { Sandbox } from "../../../src/calls/tools/sandbox/Sandbox.ts"
import { kit, tool } from "../../support/Kit.ts"

interface Received {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A company's system on this machine; what it was asked is kept. */
const company = (answer: (response: ServerResponse, request: Received) => void, host = "127.0.0.1", port = 0) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const received: Array<Received> = []
      const server = createServer(async (request, response) => {
        const { headers, method = "", url = "" } = request
        const asked = { method, url, headers, body: await text(request) }
        received.push(asked)
        answer(response, asked)
      })
      server.listen(port, host)
      await once(server, "listening")
      const at = (server.address() as AddressInfo).port
      return { server, received, port: at, url: `http://${host}:${at}` }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      }),
  )

const answering =
  (body: string | Buffer, headers: Record<string, string> = {}, status = 200) =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end(body)
const json = { "content-type": "application/json" }

const env = { PARLEY_ENV: "development", PARLEY_HTTP_TOOL_ALLOW_LOOPBACK: "1" }
const runnerWith = (guard: typeof AddressGuard.layer) =>
  OwnTools.layer.pipe(
    Layer.provide(Layer.merge(guard, Sandbox.layerAbsent)),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))),
  )

const noDatabase = Layer.succeed(SqlClient.SqlClient, {} as SqlClient.SqlClient)
const context: Invocation.InvocationContext = {
  about: {},
  call_id: null,
  phone_number: null,
  variables: {},
  time_zone: "Europe/Berlin",
  controls: CallControls.none,
  faq_ids: [],
  outcome_schema: null,
}

const whole = { method: "POST", headers: {}, timeout_ms: 5_000, authentication: { type: "none" } }

/** What an agent's invocation on a call leaves as a record. */
const invoke = (config: Schema.JsonObject, args: Schema.JsonObject = {}, guard = AddressGuard.layer) => {
  const mine = tool("mine", {
    is_default: false,
    implementation_type: "http",
    implementation_config: { ...whole, ...config },
    schema: { type: "object" },
  })
  return Invocation.invoke(kit({}, { tools: [mine] }), "mine", args, context).pipe(
    Effect.provide([runnerWith(guard), noDatabase]),
  )
}

const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString("base64")}`

/** Every name has these addresses, but `nobody` has none. */
const guardOf = (addresses: ReadonlyArray<string>, nobody?: string) => {
  const resolve: Resolve = (hostname) => Effect.succeed(hostname === nobody ? [] : addresses)
  return AddressGuard.layerWith(resolve)
}

describe("an http tool's request", () => {
  it.live.each(["POST", "PUT", "PATCH", "DELETE"])("%s sends the arguments as a JSON body", (method) =>
    Effect.gen(function* () {
      const { received, url } = yield* company(answering("{}", json))
      const args = { date: "2027-03-14", seats: 2, extras: ["Kaffee ☕"] }
      yield* invoke({ url: `${url}/book?shop=1`, method }, args)
      const [asked] = received
      assert.strictEqual(asked?.method, method)
      assert.strictEqual(asked?.url, "/book?shop=1")
      assert.strictEqual(asked?.headers["content-type"], "application/json")
      assert.deepStrictEqual(JSON.parse(asked?.body ?? ""), args)
    }),
  )

  it.live("GET sends them as the query: texts and numbers as they are, the rest as JSON", () =>
    Effect.gen(function* () {
      const { received, url } = yield* company(answering("{}", json))
      const args = { q: "a&b=ü /?#", n: 2.5, yes: true, none: null, list: [1, "x"], deep: { a: 1 } }
      yield* invoke({ url: `${url}/find?shop=1`, method: "GET" }, args)
      const [asked] = received
      const query = new URL(asked?.url ?? "", url).searchParams
      assert.deepStrictEqual(Object.fromEntries(query), {
        shop: "1",
        q: "a&b=ü /?#",
        n: "2.5",
        yes: "true",
        none: "null",
        list: '[1,"x"]',
        deep: '{"a":1}',
      })
      assert.strictEqual(asked?.body, "")
      assert.notProperty(asked?.headers, "content-type")
    }),
  )

  it.live("takes no argument in the place of what the URL says", () =>
    Effect.gen(function* () {
      const { received, url } = yield* company(answering("{}", json))
      yield* invoke({ url: `${url}/find?shop=1&x=%20`, method: "GET" }, { shop: "2", x: "3" })
      assert.strictEqual(received[0]?.url, "/find?shop=1&x=%20")
    }),
  )

  it.live.each([
    ["bearer", { type: "bearer", token: "a-token" }, "authorization", "Bearer a-token"],
    ["basic", { type: "basic", username: "rosa", password: "pässword:1" }, "authorization", basic("rosa:pässword:1")],
    ["header", { type: "header", name: "X-Api-Key", value: "a key" }, "x-api-key", "a key"],
  ] as const)("authenticates by %s, and an own header does not win over it", ([, authentication, name, value]) =>
    Effect.gen(function* () {
      const { received, url } = yield* company(answering("{}", json))
      yield* invoke({ url, authentication, headers: { [name.toUpperCase()]: "mine" } })
      assert.strictEqual(received[0]?.headers[name], value)
    }),
  )

  it.live("carries its own headers, but neither host nor content-type nor what frames the body", () =>
    Effect.gen(function* () {
      const { port, received, url } = yield* company(answering("{}", json))
      const headers = {
        "X-Shop": "harbor",
        Accept: "application/vnd.shop+json",
        Authorization: "Own scheme",
        Host: "elsewhere.test",
        "Content-Type": "text/plain",
        "Content-Length": "1",
        "Transfer-Encoding": "chunked",
        Connection: "upgrade",
        Upgrade: "websocket",
        Expect: "100-continue",
        "Accept-Encoding": "gzip",
      }
      const { error } = yield* invoke({ url, headers }, { a: 1 })
      assert.isUndefined(error)
      const asked = received[0]
      assert.strictEqual(asked?.headers["x-shop"], "harbor")
      assert.strictEqual(asked?.headers.accept, "application/vnd.shop+json")
      assert.strictEqual(asked?.headers.authorization, "Own scheme")
      assert.strictEqual(asked?.headers.host, `127.0.0.1:${port}`)
      assert.strictEqual(asked?.headers["content-type"], "application/json")
      assert.notProperty(asked?.headers, "accept-encoding")
      assert.strictEqual(asked?.body, '{"a":1}')
    }),
  )
})

describe("an http tool's result", () => {
  it.live.each([
    ["JSON, parsed", '{"free":["09:00"]}', json, { free: ["09:00"] }],
    ["JSON of a kind of its own", '{"a":1}', { "content-type": "application/vnd.shop+json; charset=utf-8" }, { a: 1 }],
    ["JSON that is no object", "[1,null]", json, [1, null]],
    ["JSON without a type", '{"a":1}', {}, { a: 1 }],
    ["JSON with a byte order mark", '\ufeff{"a":1}', json, { a: 1 }],
    ["text", "Tomorrow at nine ☕", { "content-type": "text/plain" }, "Tomorrow at nine ☕"],
    ["text that looks like JSON", '{"a":1}', { "content-type": "text/html" }, '{"a":1}'],
    ["what says it is JSON and is not, as text", "{oops", json, "{oops"],
    ["nothing", "", json, null],
  ] as const)("is %s", ([, body, headers, result]) =>
    Effect.gen(function* () {
      const { url } = yield* company(answering(body, headers))
      assert.deepStrictEqual((yield* invoke({ url })).result, result)
    }),
  )

  it.live("is null where the server answers 204", () =>
    Effect.gen(function* () {
      const { url } = yield* company(answering("", {}, 204))
      assert.isNull((yield* invoke({ url })).result)
    }),
  )

  it.live("is a record as a built-in's is", () =>
    Effect.gen(function* () {
      const { url } = yield* company(answering('{"a":1}', json))
      const record = yield* invoke({ url }, { n: 1 })
      assert.sameMembers(Object.keys(record), [
        ...["id", "tool_name", "arguments", "result", "started_at", "duration_ms"],
      ])
      assert.strictEqual(record.tool_name, "mine")
      assert.deepStrictEqual(record.arguments, { n: 1 })
      assert.isAtLeast(record.duration_ms, 0)
    }),
  )
})

describe("an http tool fails by itself", () => {
  it.live.each([301, 302, 303, 304, 307, 308])("with http_redirect on a %d, which is not followed", (status) =>
    Effect.gen(function* () {
      const { received, url } = yield* company(answering("", { location: "/elsewhere" }, status))
      const { error } = yield* invoke({ url })
      assert.strictEqual(error?.code, "http_redirect")
      assert.include(error?.message, String(status))
      assert.lengthOf(received, 1)
    }),
  )

  it.live.each([400, 401, 404, 429, 500, 503])("with http_status and what was said on a %d", (status) =>
    Effect.gen(function* () {
      const { url } = yield* company(answering("The shop\0 is closed. ", {}, status))
      const { error } = yield* invoke({ url })
      assert.deepStrictEqual(error, {
        code: "http_status",
        message: `The tool's server answered ${status}: The shop is closed.`,
      })
    }),
  )

  it.live("with http_status alone where nothing was said", () =>
    Effect.gen(function* () {
      const { url } = yield* company(answering("", {}, 500))
      assert.strictEqual((yield* invoke({ url })).error?.message, "The tool's server answered 500")
    }),
  )

  it.live("with 500 characters of what was said at most, however much it is", () =>
    Effect.gen(function* () {
      const { url } = yield* company(answering("x".repeat(3_000_000), {}, 500))
      const message = (yield* invoke({ url })).error?.message ?? ""
      assert.strictEqual(message, `The tool's server answered 500: ${"x".repeat(500)}`)
    }),
  )

  it.live.each([
    ["with its length said", (response: ServerResponse) => response.end("x".repeat(1024 * 1024 + 1))],
    [
      "without end",
      (response: ServerResponse) => {
        const more = () => {
          while (!response.destroyed && response.write("x".repeat(60_000)));
        }
        response.on("drain", more)
        more()
      },
    ],
  ] as const)("with answer_too_large beyond 1 MiB, %s", ([, answer]) =>
    Effect.gen(function* () {
      const { url } = yield* company(answer)
      assert.strictEqual((yield* invoke({ url })).error?.code, "answer_too_large")
    }),
  )

  it.live("with result_too_large where an answer of up to 1 MiB is more than a model should read", () =>
    Effect.gen(function* () {
      const { url } = yield* company(answering("x".repeat(1024 * 1024)))
      assert.strictEqual((yield* invoke({ url })).error?.code, "result_too_large")
    }),
  )

  it.live.each([
    ["is silent", () => {}],
    ["begins and never ends", (response: ServerResponse) => void response.write("{")],
  ] as const)("with timeout after its timeout_ms, where the server %s", ([, answer]) =>
    Effect.gen(function* () {
      const { url } = yield* company(answer)
      const { duration_ms, error } = yield* invoke({ url, timeout_ms: 200 })
      assert.deepStrictEqual(error, {
        code: "timeout",
        message: "The tool's server gave no answer within 200 ms",
      })
      assert.isBelow(duration_ms, 3_000)
    }),
  )

  it.live("with timeout also where the DNS is silent", () =>
    Effect.gen(function* () {
      const guard = AddressGuard.layerWith(() => Effect.never)
      const { error } = yield* invoke({ url: "https://silent.test/", timeout_ms: 50 }, {}, guard)
      assert.strictEqual(error?.code, "timeout")
    }),
  )

  it.live.each([
    ["nobody listens", () => Effect.succeed("http://127.0.0.1:1/")],
    [
      "the server hangs up",
      () =>
        Effect.map(
          company((response) => response.destroy()),
          ({ url }) => url,
        ),
    ],
    [
      "the server hangs up amid the answer",
      () =>
        Effect.map(
          company(
            (response) => void response.writeHead(200, { "content-length": "9" }).write("{", () => response.destroy()),
          ),
          ({ url }) => url,
        ),
    ],
    [
      "the server speaks no TLS",
      () => Effect.map(company(answering("{}")), ({ url }) => url.replace("http:", "https:")),
    ],
    ["the name is nobody's", () => Effect.succeed("https://nobody.invalid/")],
  ] as const)("with unreachable where %s, and no word of an address", ([, place]) =>
    Effect.gen(function* () {
      const { error } = yield* invoke({ url: yield* place() }, {}, guardOf(["127.0.0.1"], "nobody.invalid"))
      assert.deepStrictEqual(error, { code: "unreachable", message: "The tool's server could not be reached" })
    }),
  )

  it.live("with address_refused where the address is none for tools, and no word of it", () =>
    Effect.gen(function* () {
      const { error } = yield* invoke({ url: "https://inside.test/" }, {}, guardOf(["10.1.2.3"]))
      assert.strictEqual(error?.code, "address_refused")
      assert.notMatch(error?.message ?? "", /\d|inside/)
    }),
  )

  it.live("with invalid_configuration where its configuration is not whole, and no word of what is in it", () =>
    Effect.gen(function* () {
      const { error } = yield* invoke({
        url: "https://a.test/",
        authentication: { type: "bearer", token: "s\u0000cret" },
      })
      assert.strictEqual(error?.code, "invalid_configuration")
      assert.notInclude(error?.message, "cret")
    }),
  )
})

describe("an http tool's connection", () => {
  it.live("goes to the address that was checked, though the name answers another a moment later", () =>
    Effect.gen(function* () {
      const meant = yield* company(answering('"meant"', json))
      const other = yield* company(answering('"other"', json), "127.0.0.2", meant.port)
      const answers = ["127.0.0.1", "127.0.0.2"]
      const rebinding = AddressGuard.layerWith(() => Effect.sync(() => [answers.shift() ?? ""]))
      const { result } = yield* invoke({ url: `http://rebinding.test:${meant.port}/` }, {}, rebinding)
      assert.strictEqual(result, "meant")
      assert.lengthOf(other.received, 0)
      assert.deepStrictEqual(answers, ["127.0.0.2"])
      assert.strictEqual(meant.received[0]?.headers.host, `rebinding.test:${meant.port}`)
    }),
  )

  it.live.each([
    ["before the answer", () => {}],
    ["amid the answer", (response: ServerResponse) => void response.write("{")],
  ] as const)("is closed at once when the call ends %s", ([, answer]) =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const closed = yield* Deferred.make<void>()
      const { url } = yield* company((response) => {
        response.on("close", () => Deferred.doneUnsafe(closed, Effect.void))
        answer(response)
        Deferred.doneUnsafe(asked, Effect.void)
      })
      const running = yield* Effect.forkChild(invoke({ url, timeout_ms: 60_000 }))
      yield* Deferred.await(asked)
      yield* Fiber.interrupt(running)
      yield* Deferred.await(closed).pipe(Effect.timeout("2 seconds"))
    }),
  )

  it.live("is closed when the answer is there, though the server would go on", () =>
    Effect.gen(function* () {
      const closed = yield* Deferred.make<void>()
      const { url } = yield* company((response) => {
        response.on("close", () => Deferred.doneUnsafe(closed, Effect.void))
        response.writeHead(302, { location: "/elsewhere" }).write("Found")
      })
      assert.strictEqual((yield* invoke({ url })).error?.code, "http_redirect")
      yield* Deferred.await(closed).pipe(Effect.timeout("2 seconds"))
    }),
  )
})

describe("a secret of an http tool", () => {
  const echo =
    (status: number) =>
    (response: ServerResponse, { headers }: Received) =>
      void response.writeHead(status, json).end(JSON.stringify({ headers, deep: [headers["x-api-key"]] }))

  it.live.each([
    ["a bearer token", { authentication: { type: "bearer", token: 'tok"en\\1' } }, ['tok"en', "tok\\"]],
    [
      "a password",
      { authentication: { type: "basic", username: "rosa", password: "pass-word" } },
      [btoa("rosa:pass-word")],
    ],
    ["the value of a header", { authentication: { type: "header", name: "X-Whatever", value: "val-ue" } }, ["val-ue"]],
    ["a header that is secret by its name", { headers: { "X-Api-Key": "key-of-shop" } }, ["key-of-shop"]],
  ] as const)("is in no record, though the server repeats %s", ([, config, secrets]) =>
    Effect.gen(function* () {
      for (const status of [200, 500]) {
        const { received, url } = yield* company(echo(status))
        const record = yield* invoke({ url, ...config })
        assert.lengthOf(received, 1)
        const said = JSON.stringify(record)
        for (const secret of secrets) {
          assert.notInclude(said, secret)
          assert.notInclude(said, JSON.stringify(secret).slice(1, -1))
        }
        assert.include(said, "********")
      }
    }),
  )
})
