import { assert, it } from "@effect/vitest"
import { createTRPCClient, createWSClient, TRPCClientError, wsLink } from "@trpc/client"
import type { AppRouter } from "../../src/rpc/Router.ts"
import { inAccountOfItsOwn } from "../support/Campaigner.ts"
import { headersOf, refusalOf } from "../support/RpcClient.ts"
import { TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const server = TestServer.layerWith({ LAB_SPEED: "12", PARLEY_REQUESTS_PER_MINUTE: "200" })

/** The router over one socket, and what becomes of the socket. */
const connect = (url: string, connectionParams: Record<string, string>, path = "/trpc-ws") => {
  const closes: Array<number | undefined> = []
  const client = createWSClient({
    url: url.replace("http", "ws") + path,
    connectionParams,
    onClose: (cause) => closes.push(cause?.code),
  })
  return { rpc: createTRPCClient<AppRouter>({ links: [wsLink({ client })] }), client, closes }
}

it.layer(server, { timeout: "120 seconds", excludeTestServices: true })("a socket to the router", (it) => {
  it.effect("takes calls of its one caller, and live views beside them", () =>
    inAccountOfItsOwn(async (own, owner, { url }) => {
      for (const path of ["/trpc-ws", "/hub-api/trpc-ws"]) {
        const { client, rpc } = connect(url, headersOf(owner), path)
        const { id } = await own.running(["+14155550101"])
        const seen: Array<string> = []
        const over = new Promise<void>((resolve, reject) => {
          rpc.campaigns.live.subscribe(
            { id },
            { onData: ({ data }) => seen.push(data.status), onComplete: resolve, onError: reject },
          )
        })
        assert.strictEqual((await rpc.campaigns.get.query({ id })).id, id)
        await over
        assert.strictEqual(seen.at(-1), "completed")
        await client.close()
      }
    }),
  )

  it.effect("refuses as a request is refused: token, account, membership, input", () =>
    inAccountOfItsOwn(async (_, owner, { url }) => {
      const refusal = async (params: Record<string, string>, input: unknown = { id: "x" }) => {
        const { client, rpc } = connect(url, params)
        const { code } = await refusalOf(rpc.agents.get.query(input as { id: string }))
        await client.close()
        return code
      }
      const said = headersOf(owner)
      assert.strictEqual(await refusal({}), "invalid_account")
      assert.strictEqual(await refusal({ ...said, authorization: "Bearer x" }), "unauthenticated")
      assert.strictEqual(await refusal({ ...said, "x-account-id": "platform-admin" }), "reserved_account")
      assert.strictEqual(await refusal({ ...said, "x-account-id": "demo" }), "not_a_member")
      assert.strictEqual(await refusal(said), "not_found")
      assert.strictEqual(await refusal(said, {}), "invalid_request")
      assert.strictEqual(await refusal(said, { id: "a\u0000" }), "invalid_request")
    }),
  )

  it.effect("counts every call against the limit of requests", () =>
    inAccountOfItsOwn(async (_, owner, { url }) => {
      const { client, rpc } = connect(url, headersOf(owner))
      // The limit is the clock's minute: one that begins in the middle allows at most twice as many.
      const calls = Array.from({ length: 401 }, () => rpc.auth.accounts.query().then(() => "taken", codeOf))
      const codes = await Promise.all(calls)
      await client.close()
      assert.include(codes, "rate_limited")
      assert.include(codes, "taken")
    }),
  )

  it.effect("is closed by a message longer than a body may be, and answers plain requests with where calls go", () =>
    inAccountOfItsOwn(async (_, owner, { url }) => {
      const { client, closes, rpc } = connect(url, headersOf(owner))
      await rpc.agents.list.query()
      void rpc.agents.create.mutate({ name: "x", system_prompt: "x".repeat(1024 * 1024) }).catch(() => {})
      await until(() => closes.length > 0)
      assert.strictEqual(closes[0], 1009)
      await client.close()
      const plain = await owner.get("/trpc-ws")
      assert.strictEqual(plain.status, 426)
      assert.strictEqual(plain.body.code, "invalid_request")
    }),
  )
})

const codeOf = (error: unknown): unknown => (error instanceof TRPCClientError ? error.data?.code : error)
