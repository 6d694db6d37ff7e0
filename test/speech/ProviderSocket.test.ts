/** The addresses of providers that speak over a WebSocket, as settings. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Result } from "effect"
import { urlSetting } from "../../src/speech/ProviderSocket.ts"

const read = (text: string | undefined) => {
  const provider = ConfigProvider.fromUnknown(text === undefined ? {} : { OWN_URL: text })
  return Effect.runSync(Effect.result(urlSetting("OWN_URL", "wss://usual.example/v1").parse(provider)))
}

describe("the address of a provider", () => {
  it.each([
    [undefined, "wss://usual.example/v1"],
    ["wss://own.example/v2", "wss://own.example/v2"],
    ["ws://127.0.0.1:4000/", "ws://127.0.0.1:4000/"],
    ["https://own.example/", "https://own.example/"],
  ])("is a URL that a socket can be opened to: %s", (text, expected) => {
    assert.strictEqual(Result.getOrThrow(read(text)).href, expected)
  })
  it.each(["ftp://own.example/", "own.example:443", "nonsense"])("stops the start if it is %s", (text) => {
    assert.isTrue(Result.isFailure(read(text)))
  })
})
