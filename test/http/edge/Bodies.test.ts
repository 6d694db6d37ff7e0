/**
 * Bodies that are refused: compressed, in another charset, with a boundary of a book's length, never sent to their end,
 * or without room on the disk.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFile } from "node:fs/promises"
import { brotliCompressSync } from "node:zlib"
import { isOfType } from "../../../src/http/edge/Body.ts"
import { answerTo } from "../../../src/http/edge/Trouble.ts"
import type { Problem, RpcBody } from "../../support/Contract.ts"
import { openSocket, statusOf } from "../../support/RawSocket.ts"
import { onServer, TestServer } from "../../support/TestServer.ts"

it("a body is of its type, in UTF-8, and not compressed", () => {
  const json = "application/json"
  for (const type of [json, "Application/JSON", `${json}; charset=utf-8`, `${json};charset="UTF-8"; x=y`]) {
    assert.isTrue(isOfType(json, { "content-type": type }), type)
  }
  for (const type of [undefined, "text/plain", `${json}; charset=utf-16`, `${json}; charset=latin1`, `${json}x`]) {
    assert.isFalse(isOfType(json, { "content-type": type }), type)
  }
  assert.isTrue(isOfType(json, { "content-type": json, "content-encoding": "identity" }))
  for (const encoding of ["br", "gzip", "identity, gzip", "x"]) {
    assert.isFalse(isOfType(json, { "content-type": json, "content-encoding": encoding }), encoding)
  }
})

it.effect("a body for which the disk has no room is a 503, not a fault of ours", () =>
  Effect.gen(function* () {
    const full = yield* Effect.flip(Effect.sandbox(Effect.promise(() => writeFile("/dev/full", "x"))))
    assert.strictEqual((yield* answerTo(full)).status, 503)
  }),
)

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })("a body", (it) => {
  it.effect("that is compressed or in another charset is a 415; a boundary beyond 70 characters is a 400", () =>
    onServer(async (server) => {
      const owner = await server.ownerOf("bodies")
      const text = JSON.stringify({ name: "x", question: "x", answer: "x" })
      const post = async (path: string, body: string | Uint8Array, headers: Record<string, string>) => {
        const answer = await owner.request("POST", path, { body, headers })
        const problem = answer.body as Partial<Problem> & RpcBody
        return [answer.status, problem.code ?? problem.error?.data.code]
      }
      const json = "application/json"
      for (const path of ["/api/faqs", "/trpc/faqs.create"]) {
        const packed = { "content-type": json, "content-encoding": "br" }
        const unsupported = [415, "unsupported_media_type"]
        assert.deepStrictEqual(await post(path, brotliCompressSync(text), packed), unsupported)
        const wide = { "content-type": `${json}; charset=utf-16` }
        assert.deepStrictEqual(await post(path, Buffer.from(text, "utf16le"), wide), unsupported)
      }
      for (const length of [71, 257, 4_000]) {
        const type = `multipart/form-data; boundary=${"b".repeat(length)}`
        const refused = await post("/api/v1/campaigns", "--b", { "content-type": type })
        assert.deepStrictEqual(refused, [400, "invalid_request"])
      }
      const packed = { "content-type": "multipart/form-data; boundary=b", "content-encoding": "gzip" }
      assert.strictEqual((await post("/api/v1/campaigns", "--b", packed))[0], 415)
      const form = (type: string) =>
        [
          ...[
            "--b",
            'content-disposition: form-data; name="contacts"; filename="list.csv"',
            `content-type: ${type}`,
            "",
          ],
          ...["phone_number,name", "+14155550100,Ada", "--b--", ""],
        ].join("\r\n")
      const list = { "content-type": "multipart/form-data; boundary=b" }
      for (const charset of ["iso-8859-1", '"UTF-16"', "utf8x"]) {
        const refused = await post("/api/v1/campaigns", form(`text/csv; charset=${charset}`), list)
        assert.deepStrictEqual(refused, [415, "unsupported_media_type"], charset)
      }
      for (const type of ["text/csv", "text/csv; charset=utf-8", 'text/csv;header=present; charset="UTF-8"']) {
        // The form lacks the fields of a campaign.
        assert.deepStrictEqual(await post("/api/v1/campaigns", form(type), list), [400, "invalid_request"], type)
      }
    }),
  )

  it.effect("that does not end is answered by a 408, and its connection closed", () =>
    onServer(async (server) => {
      const owner = await server.ownerOf("slow")
      const socket = await openSocket(server.url)
      let said = ""
      socket.on("data", (bytes) => (said += bytes))
      const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
      const headers = [`Host: localhost`, `X-Account-ID: slow`, `Authorization: Bearer ${owner.token}`]
      const head = ["POST /api/faqs HTTP/1.1", ...headers, "Content-Type: application/json", "Content-Length: 1000"]
      socket.write(`${head.join("\r\n")}\r\n\r\n{`)
      const trickle = setInterval(() => socket.writable && socket.write(" "), 500)
      await closed
      clearInterval(trickle)
      assert.strictEqual(statusOf(said), 408)
      assert.include(said, "request_timeout")
    }),
  )
})
