/**
 * Many accounts on one process: the time to create one beside the CREATE DATABASE that it includes, the time of the
 * first request to a closed account, and the cost of an account that is not in use.
 */
import { parseArgs } from "node:util"
import pg from "pg"
import * as Child from "./support/Child.ts"
import * as Inspector from "./support/Inspector.ts"
import { kilobytes, megabytes, median, ms, percentile, times, whole } from "./support/Numbers.ts"
import * as Parley from "./support/Parley.ts"
import * as Postgres from "./support/Postgres.ts"
import { heading, machine, note, table } from "./support/Report.ts"

/** One bare database is created per this many accounts, so that both are measured under the same conditions. */
const bareEvery = 10

export const run = async (args: Array<string>) => {
  const { values } = parseArgs({ args, options: { accounts: { type: "string", default: "1000" } } })
  const accounts = Array.from({ length: Number(values.accounts) }, (_, at) => `tenant-${at}`)

  const postgres = await Postgres.start()
  const inspector = await Inspector.freePort()
  const parley = await Parley.start(postgres, { node: [`--inspect=127.0.0.1:${inspector}`] })
  const admin = await parley.admin()
  const server = new pg.Client({ connectionString: postgres.urlOf("postgres") })
  await server.connect()
  const { rows } = await server.query("select datname from pg_database where datistemplate and datname like 'parley_%'")
  const template: string = rows[0].datname

  const make = (slug: string) => admin.request("POST", "/api/admin/accounts", { slug, name: slug })
  await make("warm-up")
  await (await parley.account("warm-up-too")).request("GET", "/api/faqs")
  const before = { heap: await Inspector.heapOf(inspector), memory: Child.memoryOf(parley.pid).now }

  const provisioning: Array<number> = []
  const bare: Array<number> = []
  for (const [at, slug] of accounts.entries()) {
    provisioning.push(await timed(() => make(slug)))
    if (at % bareEvery === 0) {
      bare.push(await timed(() => server.query(`create database bare_${at} template "${template}"`)))
    }
  }

  // One user owns all accounts. Signing in makes the user an owner without opening the account's database.
  let token = ""
  for (const account of accounts) token = await parley.signIn({ email: "owner@example.com", account })
  const closed: Array<number> = []
  const open: Array<number> = []
  for (const account of accounts) {
    const client = parley.clientOf(token, account)
    closed.push(await timed(() => client.request("GET", "/api/faqs?page_size=1")))
    open.push(await timed(() => client.request("GET", "/api/faqs?page_size=1")))
  }
  const after = { heap: await Inspector.heapOf(inspector), memory: Child.memoryOf(parley.pid).now }

  heading(`Tenants: ${whole(accounts.length)} accounts on one process`)
  const spread = (values: ReadonlyArray<number>) => [0.5, 0.95, 0.99].map((share) => ms(percentile(values, share)))
  const ratio = (a: ReadonlyArray<number>, b: ReadonlyArray<number>) => times(median(a) / median(b))
  table(
    ["what", "ratio", "p50", "p95", "p99"],
    [
      ["POST /api/admin/accounts", `${ratio(provisioning, bare)} the bare clone`, ...spread(provisioning)],
      [`bare CREATE DATABASE … TEMPLATE (limit, ${bare.length})`, times(1), ...spread(bare)],
      ["first request to a closed account", `${ratio(closed, open)} an open one`, ...spread(closed)],
      ["second request, now open", times(1), ...spread(open)],
    ],
  )
  const each = (bytes: number) => kilobytes(bytes / accounts.length)
  note(
    `An idle account holds ${each(after.heap - before.heap)} of the process's heap after a collection ` +
      `(${megabytes(before.heap)} before, ${megabytes(after.heap)} after); resident memory went from ` +
      `${megabytes(before.memory)} to ${megabytes(after.memory)}. One request at a time, over HTTP, from another process.`,
  )
  machine()
  await server.end()
  await parley.stop()
  await postgres.stop()
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await work()
  return performance.now() - began
}
