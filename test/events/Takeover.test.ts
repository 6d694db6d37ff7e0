/** Two processes on one database: what one of them was about to tell when it died, the other tells. */
import { assert, describe, it } from "@effect/vitest"
import { inject } from "vitest"
import { caller, wide } from "../support/Callers.ts"
import { made } from "../support/Fixtures.ts"
import { emptyFolder, start } from "../support/Process.ts"
import { receiver } from "../support/Receiver.ts"
import { speak } from "../support/TestServer.ts"

const processes = () => {
  const database = new URL(inject("postgres"))
  database.pathname = `/parley_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
  const env = {
    DATABASE_URL: database.href,
    DATABASE_MAX_CONNECTIONS: "20",
    PARLEY_ENCRYPTION_KEY: Buffer.alloc(32, 5).toString("base64"),
    PARLEY_HTTP_TOOL_ALLOW_LOOPBACK: "1",
    LAB_SPEED: "60",
  }
  return () => start({ ...env, PARLEY_DATA_DIR: emptyFolder() })
}

describe.concurrent("webhooks and several processes", () => {
  it("a delivery that waits in a process that dies is made by another one", async () => {
    const begin = processes()
    const endpoint = await receiver()
    endpoint.answer("/a", 503)
    const [first, second] = [begin(), begin()]
    await Promise.all([first.ready, second.ready])
    const server = speak(await first.ready)
    const owner = await server.ownerOf("handed", wide)
    made(await owner.post("/api/v1/webhooks", { url: endpoint.at("/a"), events: ["call.ended"] }))
    const { through } = await caller(owner)
    await through("+14155551070")
    await endpoint.until("/a", 1)
    first.child.kill("SIGKILL")
    await first.ended
    endpoint.answer("/a", 200)
    const told = await endpoint.until("/a", 2)
    assert.strictEqual(new Set(told.map(({ headers }) => headers["webhook-id"])).size, 1)
    second.child.kill("SIGTERM")
    assert.strictEqual(await second.ended, 0)
    endpoint.close()
  }, 300_000)

  it("on SIGTERM an attempt under way is finished and written, and not made again by the next one", async () => {
    const begin = processes()
    const endpoint = await receiver()
    endpoint.answer("/a", (response) => setTimeout(() => response.writeHead(200).end(), 1_500))
    const first = begin()
    const server = speak(await first.ready)
    const owner = await server.ownerOf("drained", wide)
    const { id } = made(await owner.post("/api/v1/webhooks", { url: endpoint.at("/a"), events: ["call.ended"] }))
    const { through } = await caller(owner)
    await through("+14155551070")
    await endpoint.until("/a", 1)
    first.child.kill("SIGTERM")
    assert.strictEqual(await first.ended, 0)

    const second = begin()
    const back = await speak(await second.ready).ownerOf("drained", wide)
    const [delivery] = made(await back.get(`/api/v1/webhooks/${id}/deliveries`)).items
    assert.deepInclude(delivery, { status: "succeeded", attempts: 1, last_status_code: 200 })
    assert.strictEqual(endpoint.received.length, 1)
    second.child.kill("SIGTERM")
    assert.strictEqual(await second.ended, 0)
    endpoint.close()
  }, 300_000)
})
