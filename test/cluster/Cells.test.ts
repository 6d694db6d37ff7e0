/** Two PostgreSQL servers, and processes that serve the accounts of one of them each. */
import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import { wide } from "../support/Callers.ts"
import { campaigner } from "../support/Campaigner.ts"
import { type DebianPostgres, debianPostgresFault } from "../support/DebianPostgres.ts"
import { made } from "../support/Fixtures.ts"
import { refused } from "../support/Problems.ts"
import { headersOf, refusalOf, single } from "../support/RpcClient.ts"
import { closedServer, type Installation, installationOn } from "../support/TwoServers.ts"
import { until } from "../support/Until.ts"
import { keyOf, sessionOf, visit } from "../support/WidgetPage.ts"

const numbersOf = (count: number) => Array.from({ length: count }, (_, at) => `+1212555${String(at).padStart(4, "0")}`)
const numbers = numbersOf(60)

describe.skipIf(debianPostgresFault !== undefined)("a cell", () => {
  let home: DebianPostgres
  let away: DebianPostgres
  let own: Installation
  beforeAll(async () => {
    ;[home, away] = [await closedServer(), await closedServer()]
    own = await installationOn(home, away)
    await (await own.startParley()).http.ownerOf("first")
    await own.succeed("servers", "set", "pg2")
    await own.stopParleys()
  }, 120_000)
  afterEach(() => own.stopParleys())
  afterAll(() => {
    own.kill()
    for (const server of [home, away]) server.stop()
  })

  const startCell = (PARLEY_CELL: string) => own.startParley({ PARLEY_CELL })
  /** How often sessions to the account's database were opened so far. */
  const sessionsOf = async (server: DebianPostgres, slug: string) => {
    const { database } = await own.whereIs(slug)
    return Number(server.asSuperuser(`select sessions from pg_stat_database where datname = '${database}'`)[0])
  }
  /** The cell of the process that dials the account's campaign; null if that serves all accounts. */
  const diallerOf = async (slug: string): Promise<string | null | undefined> => {
    const [row] = await own.inPlatform(
      `select n.cell from dialling d join accounts a on a.id = d.account_id join nodes n on n.id = d.node_id
       where a.slug = $1`,
      [slug],
    )
    return row?.cell
  }

  it("has the name of a server: a process with any other name does not start", async () => {
    const started = await startCell("pg3").then(
      () => "",
      (error: Error) => error.message,
    )
    assert.match(started, /PARLEY_CELL is pg3, and no PostgreSQL server of this name is registered\./)
  }, 60_000)

  it("serves the accounts of its server, and tells only members of other accounts which cell serves them", async () => {
    const [here, there] = [await startCell("platform"), await startCell("pg2")]
    const near = await here.http.ownerOf("near")
    const far = await there.http.ownerOf("far")
    assert.isNull((await own.whereIs("near")).server)
    assert.strictEqual((await own.whereIs("far")).server, "pg2")
    for (const owner of [near, far]) assert.strictEqual((await owner.get("/api/agents")).status, 200)

    const misdirected = await here.http.ownerOf("far")
    const { cell, detail } = refused(await misdirected.get("/api/agents"), 421, "account_elsewhere")
    assert.deepStrictEqual(
      [cell, detail],
      ["pg2", "The account far is served by the cell pg2. Send the request there."],
    )
    const { code, status } = await refusalOf(
      single(here.http.url, headersOf(misdirected)).agents.list.query({ page: 0, page_size: 10 }),
    )
    assert.deepStrictEqual([status, code], [421, "account_elsewhere"])
    refused(await near.get("/api/agents", { account: "far" }), 403, "not_a_member")

    for (const [cell, { http }] of [["platform", here] as const, ["pg2", there] as const]) {
      const [{ count }] = await own.inPlatform(
        "select count(*)::int from accounts where coalesce(server, 'platform') = $1",
        [cell],
      )
      await until(async () => {
        const { body } = await http.request("GET", "/metrics")
        return String(body).includes(`\nparley_accounts ${count}\n`) && String(body).includes("\nparley_processes 1\n")
      })
    }

    // Only the account's database could verify a key, so the answer is the same as for an account that does not exist.
    const { key } = made(await far.post("/api/v1/api-keys", { name: "Import", scopes: ["read"] }))
    assert.strictEqual((await there.http.request("GET", "/api/agents", { token: key, account: "far" })).status, 200)
    const details = []
    for (const account of ["far", "near", "unknown"]) {
      const answer = await here.http.request("GET", "/api/agents", { token: key, account })
      refused(answer, 401, "unauthenticated")
      details.push(answer.body.detail)
    }
    assert.lengthOf(new Set(details), 1)

    const administrator = await here.http.admin()
    refused(await administrator.put("/api/admin/accounts/far", { name: "Far" }), 421, "account_elsewhere")
    refused(await administrator.delete("/api/admin/accounts/far"), 421, "account_elsewhere")
    assert.strictEqual((await administrator.get("/api/admin/accounts/far")).status, 200)
    const report = await here.http.request("POST", "/carriers/telnyx/far/voice", { body: { data: {} } })
    const unknown = await here.http.request("POST", "/carriers/telnyx/unknown/voice", { body: { data: {} } })
    assert.deepStrictEqual([report.status, report.body.code], [unknown.status, unknown.body.code])
  }, 300_000)

  it("opens no database of another cell, and takes none of its campaigns and calls, even when all its processes have died", async () => {
    let [here, there] = [await startCell("platform"), await startCell("pg2")]
    const near = await campaigner(await here.http.ownerOf("near-2", wide))
    const far = await campaigner(await there.http.ownerOf("far-2", wide))
    const nearby = await near.running(numbers, { max_concurrent_calls: "4" })
    const distant = await far.running(numbers, { max_concurrent_calls: "4" })
    await until(async () => (await diallerOf("near-2")) === "platform" && (await diallerOf("far-2")) === "pg2")
    await far.until(distant.id, ({ counts }) => counts.completed > 4)
    there.parley.child.kill("SIGKILL")
    await there.parley.ended
    const left = await sessionsOf(away, "far-2")
    const [dead] = await own.inPlatform("select id from nodes where cell = 'pg2' and dials")
    await near.ended(nearby.id)
    await own.stopParleys()
    here = await startCell("platform")
    await here.http.ownerOf("first")
    assert.strictEqual((await here.http.request("GET", "/readyz")).status, 200)
    // The calls of the dead process are not lost to the next one of its cell.
    const isKnown = async () =>
      (await own.inPlatform("select from node_accounts where node_id = $1", [dead.id])).length > 0
    assert.isTrue(await isKnown())
    assert.deepStrictEqual(
      away.asSuperuser(
        "select usename from pg_stat_activity where usename <> 'postgres' and backend_type = 'client backend'",
      ),
      [],
    )
    assert.strictEqual(await sessionsOf(away, "far-2"), left)
    await own.stopParleys()

    const known = await sessionsOf(home, "near-2")
    there = await startCell("pg2")
    const owner = await there.http.ownerOf("far-2")
    const ended = await until(async () => {
      const campaign = made(await owner.get(`/api/v1/campaigns/${distant.id}`))
      return campaign.ended_at !== null && campaign
    })
    assert.strictEqual(ended.counts.pending + ended.counts.in_progress, 0)
    assert.strictEqual(ended.counts.total, numbers.length)
    await until(async () => !(await isKnown()))
    assert.strictEqual(await sessionsOf(home, "near-2"), known)
  }, 300_000)

  it("pauses its accounts if its server was rewound while none of its processes ran, even if other cells ran", async () => {
    const [, there] = [await startCell("platform"), await startCell("pg2")]
    await there.http.ownerOf("rewound")
    there.parley.child.kill("SIGTERM")
    assert.strictEqual(await there.parley.ended, 0)
    await own.inPlatform("update database_servers set timeline = '00000009'")
    await startCell("pg2")
    assert.strictEqual((await own.whereIs("rewound")).status, "restored")
    assert.strictEqual((await own.whereIs("first")).status, "active")
    await own.succeed("accounts", "resume", "--all")
  }, 120_000)

  // Two processes start while others of the suite work. A failure names the wait that did not end, with the log of the
  // first process.
  it(
    "takes a campaign over from a process that serves all accounts, which takes it back when the cell's processes die",
    {
      timeout: 100_000,
      retry: 2,
    },
    async ({ onTestFailed }) => {
      const all = await own.startParley()
      let waitsFor = "the first process"
      onTestFailed(() => console.error(`It waited for ${waitsFor}. The first process said:\n${all.parley.said()}`))
      const owner = await all.http.ownerOf("mixed", wide)
      const mixed = await campaigner(owner)
      // More than are called while two processes start, however busy the machine is.
      const { id } = await mixed.running(numbersOf(2_000), { max_concurrent_calls: "1" })
      waitsFor = "the first process to dial"
      await until(async () => (await diallerOf("mixed")) === null)
      waitsFor = "the process of the cell to start"
      const { parley } = await startCell("platform")
      waitsFor = "the process of the cell to dial"
      await until(async () => (await diallerOf("mixed")) === "platform")
      parley.child.kill("SIGKILL")
      waitsFor = "the first process to dial again"
      await until(async () => (await diallerOf("mixed")) === null)
      await mixed.operate(id, "stop")
    },
  )

  it("hands a moved account with its running campaign to the other cell, and tells its members and visitors", async () => {
    const [here, there] = [await startCell("platform"), await startCell("pg2")]
    const owner = await here.http.ownerOf("mover", wide)
    const mover = await campaigner(owner)
    const { id } = await mover.running(numbers, { max_concurrent_calls: "2" })
    await mover.until(id, ({ counts }) => counts.completed > 4)
    const session = await sessionOf(here.http, await keyOf(owner, mover.line.agent_id))
    await own.succeed("accounts", "move", "mover", "--to", "pg2", "--drain")
    await until(async () => (await owner.get("/api/agents")).status === 421)
    const page = await visit(session)
    assert.strictEqual((await page.next("refused")).code, "account_elsewhere")
    const present = await there.http.ownerOf("mover")
    const ended = await until(async () => {
      const campaign = made(await present.get(`/api/v1/campaigns/${id}`))
      return campaign.ended_at !== null && campaign
    })
    assert.strictEqual(ended.counts.pending + ended.counts.in_progress, 0)
    assert.strictEqual(ended.counts.total, numbers.length)
    assert.match(await own.succeed("verify"), /Each keeps its promises/)
  }, 300_000)
})
