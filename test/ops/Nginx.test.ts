/** Three processes behind nginx, as ops/compose starts them: two run, and the third is not there. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { inject } from "vitest"
import { WebSocket } from "ws"
import { campaigner, follow } from "../support/Campaigner.ts"
import { wide } from "../support/Callers.ts"
import { made } from "../support/Fixtures.ts"
import { freePort } from "../support/FreePorts.ts"
import { faultsOfNginx, nginx, nginxFault } from "../support/Nginx.ts"
import { emptyFolder, type Process, start } from "../support/Process.ts"
import { type Client, type Request, speak } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const clientAt = (url: string, account: string, token: string): Client => {
  const request: Request = (method, path, options = {}) =>
    speak(url).request(method, path, { token, account, ...options })
  return {
    token,
    account,
    request,
    get: (path, options) => request("GET", path, options),
    post: (path, body, options) => request("POST", path, { ...options, body }),
    put: (path, body, options) => request("PUT", path, { ...options, body }),
    delete: (path, options) => request("DELETE", path, options),
  }
}

describe.skipIf(nginxFault !== undefined)("Parley behind nginx", () => {
  let front: Awaited<ReturnType<typeof nginx>>
  let parleys: ReadonlyArray<{ readonly process: Process; readonly url: string }>

  beforeAll(async () => {
    const database = new URL(inject("postgres"))
    database.pathname = `/parley_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
    const ports = [await freePort(), await freePort(), await freePort()] as const
    const env = {
      DATABASE_URL: database.href,
      DATABASE_MAX_CONNECTIONS: "20",
      PARLEY_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      PARLEY_TRUSTED_PROXIES: "127.0.0.1",
      LAB_SPEED: "20",
      DRAIN_SECONDS: "20",
    }
    const begun = ports.slice(0, 2).map((port) => start({ ...env, PARLEY_DATA_DIR: emptyFolder(), PORT: String(port) }))
    parleys = await Promise.all(begun.map(async (process) => ({ process, url: await process.ready })))
    front = await nginx(ports)
  }, 120_000)
  afterAll(async () => {
    for (const { process } of parleys) process.child.kill("SIGKILL")
    await front.stop()
  })

  it("has a configuration that nginx accepts as it is, and that names the addresses of compose.yaml", () => {
    assert.strictEqual(faultsOfNginx(), "")
    const [compose, configuration] = ["compose.yaml", "nginx.conf"].map((file) =>
      readFileSync(`ops/compose/${file}`, "utf8"),
    )
    for (const [address] of (configuration ?? "").matchAll(/172\.28\.0\.\d+/g)) assert.include(compose, address)
  })

  it("answers although one process is not there, and hides the metrics", async () => {
    for (const client of ["a", "b", "c", "d", "e", "f"]) {
      const { status } = await speak(front.url).request("GET", "/healthz", { headers: { "X-Account-ID": client } })
      assert.strictEqual(status, 200)
    }
    assert.strictEqual((await speak(front.url).request("GET", "/metrics")).status, 404)
  })

  it("passes on events as they happen, opens sockets, and answers while a process drains", async () => {
    // Each process signs its own tokens in development, and nginx sends all requests of an account to one process.
    const owners = []
    for (const { url } of parleys) owners.push(await speak(url).ownerOf("acme", wide))
    const through = owners.map(({ account, token }) => clientAt(front.url, account, token))
    const statuses = await Promise.all(through.map(async ({ get }) => (await get("/api/agents")).status))
    assert.sameMembers(statuses, [200, 401])
    const owner = through[statuses.indexOf(200)] as Client
    const own = await campaigner(owner)
    const numbers = Array.from({ length: 40 }, (_, at) => `+12125551${String(at).padStart(3, "0")}`)
    const { id } = await own.running(numbers, { max_concurrent_calls: "2" })
    const reader = await follow(front.url, owner, id)
    const first = await reader.next()
    const second = await reader.next()
    // The campaign still runs: nothing was held back until its end.
    assert.isAbove(second.at, first.at)
    assert.strictEqual((await own.get(id)).status, "running")

    const socket = new WebSocket(`${front.url.replace("http", "ws")}/trpc-ws?connectionParams=1`, {
      origin: front.url,
    })
    await new Promise((resolve, reject) => {
      socket.once("open", resolve)
      socket.once("error", reject)
    })
    socket.close()

    const other = parleys[statuses.indexOf(401)]
    assert.isDefined(other)
    other.process.child.kill("SIGTERM")
    await until(async () => {
      const asked = await fetch(`${other.url}/readyz`).then(
        ({ status }) => status,
        () => 0,
      )
      return asked !== 200
    })
    for (let at = 0; at < 20; at++) {
      const { status } = await speak(front.url).request("GET", "/api/accounts", {
        headers: { "X-Account-ID": `any-${at}` },
      })
      assert.strictEqual(status, 200)
    }
    made(await owner.get("/api/agents"))
    await reader.close()
  }, 120_000)
})
