/**
 * The cost of processes without work: three on one PostgreSQL, with few accounts, with many, and with campaigns in some
 * of these that run and wait for their calling hours.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import * as Child from "./support/Child.ts"
import { form, prepare } from "./support/Dialling.ts"
import { median, whole } from "./support/Numbers.ts"
import * as Parley from "./support/Parley.ts"
import * as Postgres from "./support/Postgres.ts"
import { heading, machine, note, table } from "./support/Report.ts"

/** Longer than the pools of accounts stay open without use, and than any sweep that follows a change. */
const calmAfter = 75_000

export const run = async (args: Array<string>) => {
  const { values } = parseArgs({
    args,
    options: {
      accounts: { type: "string", default: "1000" },
      campaigns: { type: "string", default: "200" },
      seconds: { type: "string", default: "30" },
    },
  })
  const accounts = Number(values.accounts)
  const campaigns = Number(values.campaigns)
  const seconds = Number(values.seconds)
  const few = Math.round(accounts / 10)

  const postgres = await Postgres.start()
  const processes = await Promise.all([1, 2, 3].map(() => Parley.start(postgres)))
  const [first] = processes
  if (first === undefined) throw new Error("no process")
  const admin = await first.admin()
  const create = async (from: number, to: number) => {
    for (let at = from; at < to; at++) {
      await admin.request("POST", "/api/admin/accounts", { slug: slugOf(at), name: slugOf(at) })
    }
  }
  const rows: Array<ReadonlyArray<string>> = []
  const measure = async (what: string) => {
    await sleep(calmAfter)
    const before = { cpu: cpuOf(processes), statements: await transactionsOf(postgres) }
    await sleep(seconds * 1_000)
    const after = { cpu: cpuOf(processes), statements: await transactionsOf(postgres) }
    const cpu = median(after.cpu.map((used, at) => (used - (before.cpu[at] ?? 0)) / seconds))
    rows.push([
      what,
      `${(100 * cpu).toFixed(1)} %`,
      ((after.statements - before.statements) / seconds / processes.length).toFixed(1),
      ((await connectionsOf(postgres)) / processes.length).toFixed(1),
    ])
  }

  await create(0, few)
  await measure(`${whole(few)} accounts`)
  await create(few, accounts)
  await measure(`${whole(accounts)} accounts`)
  const start = new Date(Date.now() + 12 * 3_600_000).toISOString().slice(11, 16)
  const end = new Date(Date.now() + 13 * 3_600_000).toISOString().slice(11, 16)
  const calling_window = JSON.stringify({
    days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
    start,
    end,
    time_zone: "UTC",
  })
  for (let at = 0; at < campaigns; at++) {
    const token = await first.signIn({ email: "owner@example.com", account: slugOf(at) })
    const client = first.clientOf(token, slugOf(at))
    const csv = Buffer.from("phone_number\n+14155550101\n")
    const fields = { name: "waits", calling_window, ...(await prepare(client)) }
    const { id } = await client.request("POST", "/api/v1/campaigns", form(fields, csv))
    await client.request("POST", `/api/v1/campaigns/${id}/start`)
  }
  await measure(`${whole(accounts)} accounts, ${whole(campaigns)} running campaigns outside their hours`)

  heading(`Three processes that have nothing to do, each over ${seconds} s`)
  table(["with", "processor", "transactions a second", "connections"], rows)
  note("For each process: the median of the three, and of the server's figures a third. A core is 100 %.")
  machine()
  for (const parley of processes) await parley.stop()
  await postgres.stop()
}

const slugOf = (at: number) => `tenant-${at}`

const cpuOf = (processes: ReadonlyArray<Child.Child>) => processes.map(({ pid }) => Child.cpuOf(pid))

/** Transactions in all databases since the server's start, also of single statements. */
const transactionsOf = async (postgres: Postgres.Postgres): Promise<number> => {
  const [row] = await postgres.query(
    "postgres",
    "select sum(xact_commit + xact_rollback)::float8 as count from pg_stat_database",
  )
  return row.count
}

const connectionsOf = async (postgres: Postgres.Postgres): Promise<number> => {
  const [row] = await postgres.query(
    "postgres",
    "select count(*)::int as count from pg_stat_activity where application_name like 'parley%'",
  )
  return row.count
}
