/** The addresses of providers that speak over a WebSocket, as settings. */
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { SocketUrl } from "../../src/speech/ProviderSocket.ts"

const read = Schema.decodeUnknownResult(SocketUrl)

describe("the address of a provider", () => {
  it.each(["wss://own.example/v2", "ws://127.0.0.1:4000/", "https://own.example/"])("may be %s", (text) => {
    assert.strictEqual(Result.getOrThrow(read(text)).href, text)
  })
  it.each(["ftp://own.example/", "own.example:443", "nonsense"])("stops the start if it is %s", (text) => {
    assert.isTrue(Result.isFailure(read(text)))
  })
})
