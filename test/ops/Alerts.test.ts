/** Each alert of `ops/alerts.yml` fires when its fault is injected into a running server, and not before. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { connect, createServer, type AddressInfo, type Socket } from "node:net"
import { join } from "node:path"
import pg from "pg"
import { inject } from "vitest"
import { alertNames, faultsOf, rulesFile, type Scrape } from "../support/Alerts.ts"
import { caller, wide } from "../support/Callers.ts"
import { campaigner, numbersOf } from "../support/Campaigner.ts"
import { isFull } from "../support/Dose.ts"
import { made } from "../support/Fixtures.ts"
import { emptyFolder, start } from "../support/Process.ts"
import { promtool, promtoolFault } from "../support/Promtool.ts"
import { onServer, TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const ownDatabase = () => {
  const url = new URL(inject("postgres"))
  url.pathname = `/parley_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
  return url
}
const platform = ownDatabase()

const connected = async (database: URL) => {
  const client = new pg.Client({ connectionString: database.href })
  // A test ends sessions.
  client.on("error", () => {})
  await client.connect()
  return client
}

const valueOf = (text: string, series: string): number =>
  Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length) ?? 0,
  )

/** As a computation without a pause does; the test shares its event loop with the server. */
const holdLoop = async () => {
  const began = performance.now()
  while (performance.now() < began + 400);
  await new Promise((resolve) => setTimeout(resolve, 50))
}

/** Injected faults by the alert that each is to raise. Those of the process itself are in the second test. */
const ofAccounts = [
  "ParleyRequestsFailing",
  "ParleyDiallingStalled",
  "ParleyCampaignsUndialled",
  "ParleyCallEndsWaiting",
  "ParleyEventLoopHeld",
  "ParleyAccountUnavailable",
  "ParleyAccountsUnmigrated",
  "ParleyAccountsRestored",
  "ParleyAbandonedCalls",
  "ParleyCarrierFailing",
  "ParleySipNumbersUnregistered",
  "ParleyWebhooksFailing",
  "ParleyWebhooksOverdue",
  "ParleyErrorsLogged",
]
const ofProcess = ["ParleyDatabaseUnreachable"]

const settings = { DATABASE_URL: platform.href, PARLEY_HTTP_TOOL_ALLOW_LOOPBACK: "1", LAB_SPEED: "20" }

describe.skipIf(promtoolFault !== undefined)("alerts", () => {
  it("are rules that Prometheus accepts, and each is injected below", () => {
    const { isAccepted, said } = promtool(["check", "rules", rulesFile])
    assert.isTrue(isAccepted, said)
    assert.sameMembers([...ofAccounts, ...ofProcess, "ParleyDown"], [...alertNames])
  })
})

// Conditions that have to last for some time: about 40 s.
describe.skipIf(promtoolFault !== undefined || !isFull)("faults", () => {
  it.layer(TestServer.layerWith(settings), { timeout: "120 seconds", excludeTestServices: true })((it) => {
    it.effect("of accounts, locks, carriers and receivers raise their alerts", () =>
      onServer(async (server) => {
        const scrape = async () => String((await server.request("GET", "/metrics")).body)
        const sql = await connected(platform)
        const databaseOf = async (slug: string): Promise<string> =>
          (await sql.query("select database from accounts where slug = $1", [slug])).rows[0].database
        const own = async (slug: string) => connected(new URL(`/${await databaseOf(slug)}`, platform))
        const ownerOf = (slug: string) => server.ownerOf(slug, wide)

        const dials = await campaigner(await ownerOf("dials"))
        const waits = await campaigner(await ownerOf("waits"))
        const calls = await caller(await ownerOf("calls"))
        const broken = await ownerOf("broken")
        const errs = await ownerOf("errs")
        for (const slug of ["old", "copy"]) await ownerOf(slug)
        await calls.through("+14155550165")
        const scheduled = await waits.draft(numbersOf("70", 1), { scheduled_at: "2099-01-01T00:00:00Z" })
        const hooks = await ownerOf("hooks")
        for (const owner of [hooks, await ownerOf("late")]) {
          made(await owner.post("/api/v1/webhooks", { url: "http://127.0.0.1:9/", events: ["*"] }))
        }
        const hooked = await caller(hooks)
        await until(async () => !/parley_accounts NaN/.test(await scrape()))
        const well = await scrape()

        // A session holds the lock of an account's budget: neither its diallers nor the ends of its calls come by it.
        const { id } = await dials.running(numbersOf("00", 40), { max_concurrent_calls: "20" })
        await dials.until(id, ({ counts }) => counts.in_progress > 0)
        const lock = await own("dials")
        await lock.query("begin; select from budget for update")
        // Rows that another session holds are skipped by every process.
        const holder = await connected(platform)
        const hold = async (table: string, change: string, where: string) => {
          await sql.query(`update ${table} set ${change} where ${where}`)
          await holder.query(`select from ${table} where ${where} for update`)
        }
        await holder.query("begin")
        await hold("dialling", "due_at = now() - interval '1 hour', node_id = null", `campaign_id = '${scheduled.id}'`)
        await hold(
          "webhook_accounts",
          "look_at = now() - interval '1 hour'",
          "account_id = (select id from accounts where slug = 'late')",
        )
        const failing = await own("old")
        await failing.query("update schema_migrations set name = 'other' where migration_id = 1")
        await failing.end()
        await sql.query("update accounts set schema_version = 0 where slug = 'old'")
        await sql.query("update accounts set status = 'restored' where slug = 'copy'")
        await sql.query(`insert into inbound_numbers (account_id, phone_number_id, number, server, addresses, registers)
            select id, gen_random_uuid(), '+14155550100', 'trunk.example.com', '{}', true from accounts where slug = 'waits'`)
        const away = await databaseOf("broken")
        await sql.query(`alter database "${away}" with allow_connections false`)
        await sql.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [away])
        const renamed = await own("errs")
        await renamed.query("alter table faqs rename to lost")
        const days = await own("calls")
        await days.query(
          "insert into answered_days values (current_date, 100, 50) on conflict (day) do update set answered = 100, abandoned = 50",
        )
        await days.end()
        const fault = async () => {
          for (let at = 0; at < 3; at++) await holdLoop()
          for (let at = 0; at < 30; at++) await broken.get("/api/agents")
          assert.strictEqual((await errs.get("/api/faqs")).status, 500)
          await calls.through("+14155550165")
          for (const number of numbersOf("90", 3, 1_000 + Math.floor(performance.now() % 1_000)))
            await calls.through(number)
          await hooked.through("+14155550170")
        }
        await fault()
        // Failed attempts are written in rounds.
        const failed = (text: string) => valueOf(text, 'parley_webhook_attempts_total{verdict="failed"}')
        const first = await until(async () => {
          const text = await scrape()
          return failed(text) > 0 && text
        })
        await fault()
        const late = ["dial_stalled", "call_ends_waiting_age", "campaigns_undialled", "webhooks_overdue"]
        const second = await until(async () => {
          const text = await scrape()
          const isLate = late.every((name) => valueOf(text, `parley_${name}_seconds`) > 11)
          return isLate && failed(text) > failed(first) && text
        })
        await lock.query("rollback")
        await holder.query("rollback")
        for (const client of [lock, holder, renamed, sql]) await client.end()
        assert.strictEqual(faultsOf([well, first, second], ofAccounts, ["ParleyDown", "ParleyDatabaseUnreachable"]), "")
      }),
    )
  })

  it.live("of the database and of the process raise theirs", () =>
    Effect.promise(async () => {
      const target = new URL(inject("postgres"))
      const sockets = new Set<Socket>()
      const proxy = createServer((near) => {
        const far = connect(Number(target.port), target.hostname)
        for (const socket of [near, far]) {
          sockets.add(socket)
          socket.on("error", () => {}).on("close", () => (near.destroy(), far.destroy()))
        }
        near.pipe(far).pipe(near)
      }).listen(0, "127.0.0.1")
      await once(proxy, "listening")
      const database = ownDatabase()
      database.hostname = "127.0.0.1"
      database.port = String((proxy.address() as AddressInfo).port)
      const parley = start({
        DATABASE_URL: database.href,
        DATABASE_MAX_CONNECTIONS: "8",
        PARLEY_DATA_DIR: emptyFolder(),
        DRAIN_SECONDS: "0",
      })
      const url = await parley.ready
      const scrape = async (): Promise<Scrape> => (await fetch(`${url}/metrics`)).text().catch(() => null)
      const well = await scrape()
      proxy.close()
      for (const socket of sockets) socket.destroy()
      const away = await until(async () => {
        const text = await scrape()
        return valueOf(text ?? "", "parley_heartbeat_age_seconds") > 10.5 && text
      })
      assert.strictEqual(faultsOf([well, away, away], ofProcess, ["ParleyDown"]), "")
      parley.child.kill("SIGKILL")
      await parley.ended
      const gone = await scrape().catch(() => null)
      assert.isNull(gone)
      assert.strictEqual(faultsOf([well, gone, gone], ["ParleyDown"]), "")
    }),
  )
})

describe("what is watched", () => {
  const dashboards = readdirSync("ops/grafana").map((file) => JSON.parse(readFileSync(`ops/grafana/${file}`, "utf8")))
  const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(`src/${file}`, "utf8"))
    .join("\n")
  const metricsIn = (text: string) =>
    Array.from(text.matchAll(/\b(?:parley|nodejs|process)_[a-z0-9_]+/g), ([name]) =>
      name.replace(/_(?:bucket|sum|count)$/, ""),
    )
  const expressions = dashboards.flatMap(({ panels }) =>
    panels.flatMap(({ targets = [] }: any) => targets.map(({ expr }: any) => String(expr))),
  )

  it("names only metrics that Parley has", () => {
    const named = new Set([...expressions.flatMap(metricsIn), ...metricsIn(readFileSync(rulesFile, "utf8"))])
    assert.isAbove(named.size, 30)
    assert.deepStrictEqual(
      [...named].filter((name) => !sources.includes(`"${name}"`)),
      [],
    )
  })
  it("has a runbook section for each alert, and links to it", () => {
    const runbook = readFileSync("docs/runbook.md", "utf8")
    const rules = readFileSync(rulesFile, "utf8")
    for (const name of alertNames) {
      assert.include(runbook, `\n## ${name}\n`)
      assert.include(rules, `runbook: docs/runbook.md#${name.toLowerCase()}\n`)
    }
  })
  it.skipIf(promtoolFault !== undefined)("asks dashboards' questions that Prometheus can read", () => {
    const rules = expressions.map((expr, at) => ({
      record: `panel:${at}`,
      expr: expr.replaceAll("$__rate_interval", "5m"),
    }))
    const file = join(emptyFolder(), "panels.json")
    writeFileSync(file, JSON.stringify({ groups: [{ name: "panels", rules }] }))
    const { isAccepted, said } = promtool(["check", "rules", file])
    assert.isTrue(isAccepted, said)
  })
})
