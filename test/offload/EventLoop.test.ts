/** No input of a tenant holds the event loop of a running server for longer than 50 ms of the thread's own time. */
import { assert, describe, it } from "@effect/vitest"
import pg from "pg"
import { afterAll, beforeAll, inject } from "vitest"
import { watchLoop } from "../bench/support/Inspector.ts"
import { emptyFolder, type Process, start } from "../support/Process.ts"
import { headersOf, single } from "../support/RpcClient.ts"
import { speak } from "../support/TestServer.ts"
import type { Sender } from "./WorstInput.ts"
import { worstInputs } from "./WorstInputs.ts"

/** Milliseconds of processor time (decision 0023): on a busy machine the clock on the wall measures the others. */
const longestHold = 50

let server: Process
let inspector: number
let sender: Sender
let database: pg.Client

/** Connects to the database of the one account that the test made. */
const openDatabase = async (platform: URL): Promise<pg.Client> => {
  const directory = new pg.Client(platform.href)
  await directory.connect()
  const { rows } = await directory.query("select database from accounts where slug = 'worst'")
  await directory.end()
  const account = new URL(platform)
  account.pathname = `/${rows[0].database}`
  const client = new pg.Client(account.href)
  await client.connect()
  return client
}

/** Milliseconds that it held the loop. */
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
    inspector = Number(/Debugger listening on ws:\/\/127\.0\.0\.1:(\d+)/.exec(server.said())?.[1])
    const client = await speak(url).ownerOf("worst")
    database = await openDatabase(platform)
    sender = { url, client, rpc: single(url, headersOf(client)), query: (statement) => database.query(statement) }
    // Code that has run before is what a server runs: compiling it is no part of an input.
    for (let round = 0; round < 3; round++) {
      for (const { prepare, send } of worstInputs.slice(0, 2)) {
        await prepare?.(sender)
        await send(sender)
      }
    }
  })
  afterAll(async () => {
    await database.end()
    server.child.kill("SIGTERM")
    await server.ended
  })

  it.each(worstInputs)("is not held by $name", async ({ prepare, send }) => {
    const checked = async () => {
      await prepare?.(sender)
      // The first one may meet code that has never run; what an input holds, it holds each time.
      const held = [await sendOnce(send)]
      while (Math.min(...held) > longestHold && held.length < 3) held.push(await sendOnce(send))
      assert.isAtMost(Math.min(...held), longestHold)
      assert.strictEqual((await sender.client.get("/healthz")).status, 200)
    }
    await beforeItEnds(checked())
  })
})
