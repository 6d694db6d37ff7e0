/** A process that is killed while it tells of a campaign, and the next one: no event is lost, each has one id. */
import { assert, describe, inject, it } from "@effect/vitest"
import { campaigner, numbersOf } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { emptyFolder, start } from "../support/Process.ts"
import { receiver, verified } from "../support/Receiver.ts"
import { speak } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const settings = { concurrent_max: 20, calls_per_minute: 6_000 }

describe("webhooks and kill -9", () => {
  it("lose no event: what was committed is told, before or after", async () => {
    const database = new URL(inject("postgres"))
    database.pathname = `/parley_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
    const env = {
      DATABASE_URL: database.href,
      DATABASE_MAX_CONNECTIONS: "20",
      PARLEY_DATA_DIR: emptyFolder(),
      LAB_SPEED: "20",
      PARLEY_HTTP_TOOL_ALLOW_LOOPBACK: "1",
    }
    const endpoint = await receiver()
    // Slow enough that attempts are under way whenever the process dies.
    endpoint.answer("/a", (response) => setTimeout(() => response.writeHead(200).end(), 30))
    const first = start(env)
    const owner = await speak(await first.ready).ownerOf("crash", settings)
    const own = await campaigner(owner)
    const webhook = { url: endpoint.at("/a"), events: ["*"] }
    const { secret } = made(await owner.post("/api/v1/webhooks", webhook))
    const { id } = await own.running(numbersOf("70", 30), { max_concurrent_calls: "8" })
    await endpoint.until("/a", 25)
    first.child.kill("SIGKILL")
    await first.ended
    const told = endpoint.received.length

    const second = start(env)
    const back = await speak(await second.ready).ownerOf("crash", settings)
    await (await campaigner(back)).ended(id)
    // The last of all, and with it all before it.
    const log = made(await back.get("/api/v1/events?limit=1000")).items
    assert.isAbove(log.length, 90)
    assert.isBelow(told, log.length)
    await until(() => new Set(endpoint.received.map(({ event }) => event.seq)).size >= log.length)
    const byId = new Map(endpoint.received.map((one) => [one.headers["webhook-id"], one]))
    assert.deepStrictEqual(
      [...byId.values()].map(({ event }) => event).sort((a, b) => a.seq - b.seq),
      log,
    )
    for (const one of byId.values()) verified(one, secret)
    second.child.kill("SIGTERM")
    assert.strictEqual(await second.ended, 0)
    endpoint.close()
  }, 300_000)
})
