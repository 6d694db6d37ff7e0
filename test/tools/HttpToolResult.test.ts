import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ServerResponse } from "node:http"
import { ToolAddressGuard } from "../../src/tools/ToolAddressGuard.ts"
import { answering, company, guardOf, invoke, json } from "../support/Company.ts"

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

  it.live.each([
    ["in another charset", Buffer.from("Müller", "latin1"), "text/plain; charset=ISO-8859-1", "Müller"],
    [
      "that is not text",
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]),
      "image/png",
      "The tool's server answered 5 bytes that are not text (image/png).",
    ],
    [
      "that is not the text it should be",
      Buffer.from("Müller", "latin1"),
      "application/json",
      "The tool's server answered 6 bytes that are not text (application/json).",
    ],
    [
      "in a charset that does not exist",
      Buffer.from("xy"),
      "text/plain; charset=klingon",
      "The tool's server answered 2 bytes that are not text (text/plain).",
    ],
  ] as const)("says of an answer %s what it is", ([, body, type, result]) =>
    Effect.gen(function* () {
      const { url } = yield* company((response) => response.writeHead(200, { "content-type": type }).end(body))
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

describe("an http tool fails without harm to the call", () => {
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
        message: "The tool's server did not answer within 200 ms",
      })
      assert.isBelow(duration_ms, 30_000)
    }),
  )

  it.live("with timeout also where the DNS is silent", () =>
    Effect.gen(function* () {
      const guard = ToolAddressGuard.layerWith(() => Effect.never)
      const { error } = yield* invoke({ url: "https://silent.test/", timeout_ms: 50 }, {}, guard)
      assert.strictEqual(error?.code, "timeout")
    }),
  )

  it.live.each([
    ["no server listens", () => Effect.succeed("http://127.0.0.1:1/")],
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
    ["the name does not resolve", () => Effect.succeed("https://nobody.invalid/")],
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
