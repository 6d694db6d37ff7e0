/** No input of a tenant holds the event loop of a running server for longer than 50 ms of the thread's own time. */
import { assert, describe, it } from "@effect/vitest"
import { afterAll, beforeAll, inject } from "vitest"
import { inspectorPort, watchLoop } from "../bench/support/Inspector.ts"
import { databaseOf, query } from "../support/AccountDatabase.ts"
import { oneIn } from "../support/Dose.ts"
import { bestOf, mostMs } from "../support/LongestTick.ts"
import { emptyFolder, type Process, start } from "../support/Process.ts"
import { headersOf, single } from "../support/RpcClient.ts"
import { speak } from "../support/TestServer.ts"
import type { Sender } from "./WorstInput.ts"
import { worstInputs } from "./WorstInputs.ts"

let server: Process
let inspector: number
let sender: Sender

/** Milliseconds of processor time that it held the loop (decision 0023): the clock on the wall measures others too. */
const sendOnce = async (send: (sender: Sender) => Promise<unknown>): Promise<number> => {
  const stop = await watchLoop(inspector)
  await send(sender)
  return (await stop()).own
}

/** A server that ends says why in the test that ended it. */
const beforeItEnds = <A>(work: Promise<A>): Promise<A> =>
  Promise.race([
    work,
    server.ended.then((code) => Promise.reject(new Error(`The server ended with ${code}. It said: ${server.said()}`))),
  ])

describe("the event loop", () => {
  beforeAll(async () => {
    const platform = new URL(inject("postgres"))
    platform.pathname = `/parley_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
    server = start({
      DATABASE_URL: platform.href,
      PARLEY_DATA_DIR: emptyFolder(),
      PARLEY_HTTP_TOOL_ALLOW_LOOPBACK: "1",
      NODE_OPTIONS: "--inspect=127.0.0.1:0 --max-semi-space-size=16",
    })
    const url = await server.ready
    inspector = inspectorPort(server.said())
    const client = await speak(url).ownerOf("worst")
    const database = await databaseOf(platform, "worst")
    sender = { url, client, rpc: single(url, headersOf(client)), query: (statement) => query(database, statement) }
    // Code that has run before is what a server runs: compiling it is no part of an input.
    for (let round = 0; round < 3; round++) {
      for (const { prepare, send } of worstInputs.slice(0, 2)) {
        await prepare?.(sender)
        await send(sender)
      }
    }
  })
  afterAll(async () => {
    server.child.kill("SIGTERM")
    await server.ended
  })

  it.each(oneIn(3, worstInputs))("is not held by $name", async ({ prepare, send }) => {
    const checked = async () => {
      await prepare?.(sender)
      // The first one may meet code that has never run; what an input holds, it holds each time.
      assert.isBelow(await bestOf(() => sendOnce(send)), mostMs)
      assert.strictEqual((await sender.client.get("/healthz")).status, 200)
    }
    await beforeItEnds(checked())
  })
})
