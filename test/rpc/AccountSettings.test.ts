/** An owner changes the account's name and zone and its members over the router; others may not, and no owner can lock themselves out. */
import { assert, it } from "@effect/vitest"
import { made } from "../support/Fixtures.ts"
import { headersOf, refusalOf, single } from "../support/RpcClient.ts"
import { onServer, TestServer } from "../support/TestServer.ts"

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })("an account's settings", (it) => {
  it.effect("are an owner's to change, but for the caps and their own membership", () =>
    onServer(async (server) => {
      const owner = await server.ownerOf("settings", { name: "Settings" })
      const { settings } = single(server.url, headersOf(owner)).account
      const before = await settings.get.query()
      const after = await settings.update.mutate({ name: "Harbor", time_zone: "Asia/Tokyo", etag: before.etag })
      assert.deepInclude(after, { name: "Harbor", time_zone: "Asia/Tokyo", concurrent_max: before.concurrent_max })
      assert.strictEqual((await refusalOf(settings.update.mutate({ name: "Late", etag: before.etag }))).status, 412)
      const caps = { concurrent_max: 1_000 } as never
      assert.strictEqual((await refusalOf(settings.update.mutate(caps))).status, 400)

      await settings.members.put.mutate({ email: "vera@example.com", role: "viewer" })
      await settings.members.put.mutate({ email: "vera@example.com", role: "member" })
      const { items } = await settings.members.list.query({})
      assert.deepInclude(
        items.find(({ email }) => email === "vera@example.com"),
        { role: "member" },
      )
      const { email } = made(await owner.get("/api/user/org"))
      for (const change of [
        settings.members.put.mutate({ email: email!.toUpperCase(), role: "viewer" }),
        settings.members.remove.mutate({ email: email! }),
      ]) {
        const refusal = await refusalOf(change)
        assert.deepStrictEqual([refusal.status, refusal.code], [409, "invalid_state"])
      }
      await settings.members.remove.mutate({ email: "vera@example.com" })

      const key = made(await owner.post("/api/v1/api-keys", { name: "all", scopes: ["read", "write", "dial"] }))["key"]
      const program = single(server.url, { ...headersOf(owner), authorization: `Bearer ${key}` }).account.settings
      assert.strictEqual((await refusalOf(program.members.list.query({}))).status, 403)
      assert.strictEqual((await refusalOf(program.update.mutate({ name: "Mine" }))).status, 403)
    }),
  )
})
