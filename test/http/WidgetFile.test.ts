import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { get } from "node:http"
import { TestServer } from "../support/TestServer.ts"

execFileSync(process.execPath, ["apps/build.ts", "widget"])

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })("the widget's script", (it) => {
  const test = (name: string, body: (server: TestServer["Service"]) => Promise<void>) =>
    it.effect(name, () => Effect.flatMap(TestServer, (server) => Effect.promise(() => body(server))))

  test("is for pages of every origin, and asked for again only when it has changed", async ({ request }) => {
    const answer = await request("GET", "/widget.js", { headers: { origin: "https://www.example.com" } })
    assert.strictEqual(answer.status, 200)
    assert.match(answer.headers.get("content-type") ?? "", /^text\/javascript/)
    assert.strictEqual(answer.headers.get("access-control-allow-origin"), "*")
    assert.strictEqual(answer.headers.get("cross-origin-resource-policy"), "cross-origin")
    assert.match(answer.headers.get("cache-control") ?? "", /max-age=300/)
    const etag = answer.headers.get("etag") ?? ""
    const again = await request("GET", "/widget.js", { headers: { "if-none-match": etag } })
    assert.strictEqual(again.status, 304)
    const pinned = await request("GET", `/widget.js?v=${etag.replaceAll('"', "")}`)
    assert.match(pinned.headers.get("cache-control") ?? "", /immutable/)
    const other = await request("GET", "/widget.js?v=0000")
    assert.notMatch(other.headers.get("cache-control") ?? "", /immutable/)
  })
  test("brings what runs in the thread for sound as a script of its own, which pages of every origin may load", async ({
    request,
  }) => {
    const answer = await request("GET", "/widget/audio.js", { headers: { origin: "https://www.example.com" } })
    assert.strictEqual(answer.status, 200)
    assert.match(answer.headers.get("content-type") ?? "", /^text\/javascript/)
    assert.strictEqual(answer.headers.get("access-control-allow-origin"), "*")
    assert.include(answer.body, "registerProcessor")
  })
  test("comes in the encoding that the client prefers, and never in one that it excludes", async ({ url }) => {
    for (const [accepted, coding] of [
      ["gzip, deflate, br", "br"],
      ["br; q=0, gzip", "gzip"],
      ["gzip;q=0.0, br;q=0.000", undefined],
      ["br;q=0.1, gzip;q=0.9", "gzip"],
      ["identity", undefined],
    ] as const) {
      const headers = { "accept-encoding": accepted }
      const [answer] = await once(get(`${url}/widget.js`, { headers, agent: false }), "response")
      answer.resume()
      assert.strictEqual(answer.headers["content-encoding"], coding, accepted)
    }
  })
  test("has a page to try it on, in development", async ({ request }) => {
    const answer = await request("GET", "/widget/demo")
    assert.strictEqual(answer.status, 200)
    assert.include(answer.body, "/widget.js")
  })
})
