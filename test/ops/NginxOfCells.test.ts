/** Two cells behind nginx with the map that `parley cells map` prints. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { createTRPCClient, createWSClient, wsLink } from "@trpc/client"
import { WebSocket } from "ws"
import type { AppRouter } from "../../src/rpc/Router.ts"
import { wide } from "../support/Callers.ts"
import { campaigner } from "../support/Campaigner.ts"
import { type DebianPostgres, debianPostgresFault } from "../support/DebianPostgres.ts"
import { freePort } from "../support/FreePorts.ts"
import { nginxFault, nginxOfCells } from "../support/Nginx.ts"
import { headersOf } from "../support/RpcClient.ts"
import { type Client, speak, type TestServer } from "../support/TestServer.ts"
import { closedServer, type Installation, installationOn } from "../support/TwoServers.ts"
import { until } from "../support/Until.ts"

/** Words of nginx that are slugs too, and the longest slug. */
const odd = ["default", "hostnames", "include", "volatile", "n_line", "0", "x".repeat(63)]

describe.skipIf(nginxFault !== undefined || debianPostgresFault !== undefined)("two cells behind nginx", () => {
  let servers: ReadonlyArray<DebianPostgres>
  let own: Installation
  let front: Awaited<ReturnType<typeof nginxOfCells>>
  let here: TestServer["Service"]
  let there: TestServer["Service"]
  beforeAll(async () => {
    const [home, away] = [await closedServer(), await closedServer()]
    servers = [home, away]
    own = await installationOn(home, away)
    const ports = { platform: await freePort(), pg2: await freePort() }
    const startCell = async (PARLEY_CELL: keyof typeof ports) =>
      (await own.startParley({ PARLEY_CELL, PORT: String(ports[PARLEY_CELL]), PARLEY_TRUSTED_PROXIES: "127.0.0.1" }))
        .http
    here = await startCell("platform")
    await own.succeed("servers", "set", "pg2")
    there = await startCell("pg2")
    front = await nginxOfCells(ports, "default platform;\n")
  }, 180_000)
  afterAll(async () => {
    own.kill()
    for (const server of servers) server.stop()
    await front.stop()
  })

  const map = () => own.succeed("cells", "map")
  /** The same member, through nginx. */
  const through = ({ account, token }: Client) => ({
    get: (path: string) => speak(front.url).request("GET", path, { account, token }),
  })

  it("get the requests of their accounts, by header and by a carrier's path, whatever the accounts are called", async () => {
    const members = [await here.ownerOf("near"), await there.ownerOf("far")]
    for (const slug of odd) members.push(await there.ownerOf(slug))
    const printed = await map()
    assert.strictEqual(await map(), printed)
    const [first, ...lines] = printed.trimEnd().split("\n")
    assert.strictEqual(first, "default platform;")
    const slugs = lines.map((line) => line.replace("\\", "").split(" ")[0])
    assert.deepStrictEqual(slugs, slugs.toSorted())
    assert.include(lines, "far pg2;")
    assert.include(lines, "near platform;")
    front.reload(printed)
    for (const member of members) await until(async () => (await through(member).get("/api/agents")).status === 200)
    // A default of nginx's own would lead all accounts that are not listed there.
    assert.strictEqual((await speak(front.url).request("GET", "/api/accounts", { account: "unknown" })).status, 200)

    // Only the cell of the account can tell that the report is not signed by it.
    for (const slug of ["near", "far"]) {
      const { body, status } = await speak(front.url).request("POST", `/carriers/telnyx/${slug}/voice`, { body: {} })
      assert.deepStrictEqual([status, body.code], [403, "signature_wrong"])
    }
    assert.deepInclude(JSON.parse(await own.succeed("cells", "list", "--json")), {
      cell: "pg2",
      accounts: odd.length + 1,
      processes: 1,
    })
    assert.match((await own.run("cells", "map", "--default", "pg3")).err, /There is no cell pg3/)
    assert.match(await own.succeed("cells", "map", "--default", "pg2"), /^default pg2;$/m)
  }, 300_000)

  it("are reached under their own host names by sockets, which name no account to nginx", async () => {
    const { port } = new URL(front.url)
    const atPg2 = `http://localhost:${port}`
    const far = await there.ownerOf("far")
    const socket = createWSClient({
      url: `${atPg2.replace("http", "ws")}/trpc-ws`,
      connectionParams: () => headersOf(far),
      WebSocket: class extends WebSocket {
        constructor(url: string) {
          super(url, { origin: atPg2 })
        }
      } as never,
    })
    const rpc = createTRPCClient<AppRouter>({ links: [wsLink({ client: socket })] })
    assert.strictEqual((await rpc.agents.list.query({ page: 0, page_size: 10 })).page, 0)
    await socket.close()
  }, 60_000)

  it("hand an account over: once nginx has the new map, its requests reach the new cell", async () => {
    const owner = await here.ownerOf("mover", wide)
    front.reload(await map())
    const mover = await campaigner(owner)
    const { id } = await mover.running(["+12125550001"])
    await mover.ended(id)
    await until(async () => (await through(owner).get("/api/agents")).status === 200)
    await own.succeed("accounts", "move", "mover", "--to", "pg2", "--drain")
    await until(async () => (await through(owner).get("/api/agents")).status === 421)
    front.reload(await map())
    const present = await there.ownerOf("mover")
    await until(async () => (await through(present).get(`/api/v1/campaigns/${id}`)).status === 200)
  }, 120_000)
})
