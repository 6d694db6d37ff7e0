/** What stays open after its key, membership or account is gone: nothing, half a minute later (docs/promises.md). */
import { assert, it } from "@effect/vitest"
import { createTRPCClient, createWSClient, wsLink } from "@trpc/client"
import type { AppRouter } from "../../src/rpc/Router.ts"
import { inAccountOfItsOwn, numbersOf } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { headersOf, live } from "../support/RpcClient.ts"
import { speak, TestServer } from "../support/TestServer.ts"
import { keyOf, sessionOf, visit } from "../support/WidgetPage.ts"

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })("who was let in", (it) => {
  it.effect("streams, live views and chats end with the key, the membership and the widget key", () =>
    inAccountOfItsOwn(async (own, owner, { account, admin, url }) => {
      const { id } = await own.draft(numbersOf("01", 3))
      const key = made(await owner.post("/api/v1/api-keys", { name: "reader", scopes: ["read"] }))
      const reader = { ...owner, token: key.key }
      const email = `owner@${owner.account}.example`

      const stream = fetch(`${url}/api/v1/campaigns/${id}/events`, { headers: headersOf(reader) })
      const streamed = stream.then((response) => response.text())
      assert.strictEqual((await stream).status, 200)
      const client = createWSClient({
        url: `${url.replace("http", "ws")}/trpc-ws`,
        connectionParams: headersOf(owner),
      })
      const overSocket = createTRPCClient<AppRouter>({ links: [wsLink({ client })] })
      const refusals = [overSocket, live(url, headersOf(reader))].map(
        (rpc) =>
          new Promise<unknown>((resolve, reject) => {
            rpc.campaigns.live.subscribe(
              { id },
              { onError: (error) => resolve(error.data?.code), onComplete: () => reject(new Error("It completed")) },
            )
          }),
      )
      const widgetKey = await keyOf(owner, own.line.agent_id)
      const page = await visit(await sessionOf(speak(url), widgetKey), {})
      await page.next("ready")

      const widgetKeys = made(await owner.get("/api/v1/widget-keys")).items
      assert.strictEqual((await owner.delete(`/api/v1/widget-keys/${widgetKeys[0]!.id}`)).status, 204)
      assert.strictEqual((await owner.delete(`/api/v1/api-keys/${key.id}`)).status, 204)
      const members = `${account}/members?email=${encodeURIComponent(email)}` as const
      assert.strictEqual((await admin.delete(members, { account: null })).status, 204)

      assert.match(await streamed, /\ndata: .*\n: This account has no such API key\n$/s)
      assert.deepStrictEqual(await Promise.all(refusals), ["not_a_member", "unauthenticated"])
      assert.deepInclude(await page.next("refused"), { code: "unauthenticated" })
      assert.strictEqual(await page.closed, 1008)
      await client.close()
    }),
  )
})
