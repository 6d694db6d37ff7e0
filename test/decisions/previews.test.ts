/** Previews spend the installation's model key: an account may ask for so many a minute, and so many at once. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { agent } from "../support/Catalog.ts"
import { made } from "../support/Fixtures.ts"
import { modelServer } from "../support/ModelServer.ts"
import { refused } from "../support/Problems.ts"
import { type Client, onServer, TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const options = { timeout: "120 seconds", excludeTestServices: true } as const

const question = { messages: [{ role: "user", content: "What are your opening hours?" }] }
const agentOf = async (owner: Client, fields: object = {}) =>
  made(await owner.post("/api/agents", { ...agent(), first_message: "Hello, this is Rosa.", ...fields })).id

it.layer(Layer.fresh(TestServer.layerWith({ PARLEY_PREVIEWS_PER_MINUTE: "2" })), options)("previews", (it) => {
  it.effect("beyond those of a minute are a 429 with Retry-After, and another account's are not", () =>
    onServer(async (server) => {
      const [eager, other] = [await server.ownerOf("eager"), await server.ownerOf("other")]
      const path = `/api/agents/${await agentOf(eager)}/preview` as const
      for (let asked = 0; asked < 2; asked++) made(await eager.post(path, question))
      const late = await eager.post(path, question)
      refused(late, 429, "rate_limited")
      assert.deepInclude(late.body, { limited_by: "previews_per_minute", limit: 2, used: 2 })
      assert.isAtLeast(Number(late.headers.get("retry-after")), 1)
      assert.isAtMost(Number(late.headers.get("retry-after")), 30)
      const answer = made(await other.post(`/api/agents/${await agentOf(other)}/preview`, question))
      assert.notInclude(answer.reply, "this is Rosa")
    }),
  )
})

const silentModel = Layer.unwrap(
  Effect.map(modelServer([{ silent: true }]), ({ url }) =>
    TestServer.layerWith({ OPENAI_COMPATIBLE_BASE_URL: `${url}/v1` }),
  ),
)

it.layer(Layer.fresh(silentModel), options)("previews whose model is silent", (it) => {
  it.effect("are eight of an account at once, and another account's still begin", () =>
    onServer(async (server) => {
      const model = { provider: "openai-compatible", id: "m" }
      const [eager, other] = [await server.ownerOf("eager"), await server.ownerOf("other")]
      const path = `/api/agents/${await agentOf(eager, { model })}/preview` as const
      const leaving = new AbortController()
      const asked = Array.from({ length: 9 }, async () => {
        const answer = await fetch(server.url + path, {
          method: "POST",
          headers: {
            authorization: `Bearer ${eager.token}`,
            "x-account-id": eager.account,
            "content-type": "application/json",
          },
          body: JSON.stringify(question),
          signal: leaving.signal,
        })
        return { status: answer.status, body: (await answer.json()) as object }
      })
      const first = await Promise.race(asked)
      assert.strictEqual(first.status, 429)
      assert.deepInclude(first.body, {
        code: "rate_limited",
        limited_by: "previews_at_once",
        limit: 8,
        detail: "8 previews of this account are running, which is the maximum. Try again when one has ended.",
      })
      made(await other.post(`/api/agents/${await agentOf(other)}/preview`, question))
      leaving.abort()
      await Promise.allSettled(asked)
      // What was left gives its place back.
      const spoken = await agentOf(eager)
      await until(async () => (await eager.post(`/api/agents/${spoken}/preview`, question)).status === 200)
    }),
  )
})
