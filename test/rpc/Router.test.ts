import { assert, it } from "@effect/vitest"
import { headersOf, refusalOf, single } from "../support/RpcClient.ts"
import { onServer, TestServer } from "../support/TestServer.ts"

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })("the typed router", (it) => {
  it.effect("answers what REST answers, with the resource's ETag", () =>
    onServer(async (server) => {
      const owner = await server.ownerOf("router")
      const rpc = single(server.url, headersOf(owner))
      const made = await rpc.agents.create.mutate({ name: "Rosa", system_prompt: "You are Rosa." })
      const { etag, ...agent } = await rpc.agents.get.query({ id: "Rosa" })
      const rest = await owner.get(`/api/agents/${made.id}`)
      assert.deepStrictEqual<unknown>(agent, rest.body)
      assert.strictEqual(etag, rest.headers.get("etag"))
      const changed = await rpc.agents.update.mutate({ ...agent, etag, description: "Front desk" })
      assert.strictEqual(changed.description, "Front desk")
      const late = await refusalOf(rpc.agents.update.mutate({ id: made.id, etag, description: "Late" }))
      assert.strictEqual(late.code, "precondition_failed")
      assert.strictEqual(late.status, 412)
    }),
  )
})
