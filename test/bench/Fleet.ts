/**
 * The load of the platform's PostgreSQL server in an installation of many processes and accounts. Three processes are
 * real and have nothing to do. The others exist only as what the server knows of them: a row, sessions, and a heartbeat
 * a second. Their accounts are rows, some with a campaign that runs. The real processes are a cell of their own.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import pg from "pg"
import * as Child from "./support/Child.ts"
import { median, ms, percent, percentile, whole } from "./support/Numbers.ts"
import * as Parley from "./support/Parley.ts"
import * as Postgres from "./support/Postgres.ts"
import { heading, machine, note, table } from "./support/Report.ts"

const real = 3
/** As docs/scale.md recommends for a cell. */
const processesOfCell = 5
/** One account in ten has a campaign that runs. One in ten of these campaigns is due; the others wait for their hours. */
const accountsOfCampaign = 10
const campaignsOfDue = 10
/** Milliseconds: longer than the cluster needs to notice the processes that have joined. */
const calmAfter = 15_000

export const run = async (args: Array<string>) => {
  const { values } = parseArgs({
    args,
    options: {
      processes: { type: "string", default: "3,100,300,1000" },
      /** For each process. */
      accounts: { type: "string", default: "100" },
      /** Of each simulated process. */
      sessions: { type: "string", default: "1" },
      seconds: { type: "string", default: "20" },
    },
  })
  const sizes = values.processes.split(",").map(Number)
  const seconds = Number(values.seconds)
  const sessions = Number(values.sessions)
  const max_connections = String(Math.max(...sizes) * sessions + 400)
  const postgres = await Postgres.start({ max_connections })
  const env = { PARLEY_CELL: "platform" }
  const processes = await Promise.all(Array.from({ length: real }, () => Parley.start(postgres, { env })))
  const fleet = simulate(postgres, sessions)

  const rows: Array<ReadonlyArray<string>> = []
  for (const size of sizes) {
    const accounts = size * Number(values.accounts)
    await fleet.grow(size - real, accounts)
    await sleep(calmAfter)
    const before = await usedBy(postgres, processes, fleet)
    fleet.heartbeats.length = 0
    await sleep(seconds * 1_000)
    const after = await usedBy(postgres, processes, fleet)
    const joining = await Parley.start(postgres, { env })
    await joining.stop()
    const server = (after.server - before.server) / seconds / real
    rows.push([
      whole(size),
      whole(accounts),
      percent(median(after.processes.map((used, at) => (used - (before.processes[at] ?? 0)) / seconds))),
      percent(server),
      (server * size).toFixed(2),
      ms(joining.readyAfterMs),
      fleet.heartbeats.length === 0 ? "–" : ms(percentile(fleet.heartbeats, 0.99)),
    ])
  }

  heading(`Processes without work, in cells of ${processesOfCell}`)
  table(
    [
      "processes",
      "accounts",
      "CPU of one",
      "of the server for it",
      "cores for all",
      "another is ready after",
      "heartbeat p99",
    ],
    rows,
  )
  note(`Each over ${seconds} s, with ${sessions} sessions of each simulated process. A core is 100 %.`)
  machine()
  await fleet.stop()
  for (const parley of processes) await parley.stop()
  await postgres.stop()
}

/** Processor seconds of each real process, and of the server's backends that serve them. */
const usedBy = async (postgres: Postgres.Postgres, processes: ReadonlyArray<Child.Child>, { names }: Simulated) => {
  const backends = await postgres.query(
    "postgres",
    "select pid from pg_stat_activity where application_name like 'parley%' and not application_name = any($1)",
    [names],
  )
  return {
    processes: processes.map(({ pid }) => Child.cpuOf(pid)),
    server: backends.reduce((sum, { pid }) => sum + Child.cpuOf(pid), 0),
  }
}

interface Simulated {
  /** The names of the sessions. */
  readonly names: Array<string>
  /** Milliseconds that each heartbeat took. */
  readonly heartbeats: Array<number>
  /** Grows to so many processes, and to so many accounts with their campaigns. */
  readonly grow: (processes: number, accounts: number) => Promise<void>
  readonly stop: () => Promise<void>
}

const simulate = (postgres: Postgres.Postgres, sessions: number): Simulated => {
  const names: Array<string> = []
  const heartbeats: Array<number> = []
  const clients: Array<pg.Client> = []
  const timers: Array<NodeJS.Timeout> = []
  let processes = 0
  const ask = (text: string, values: ReadonlyArray<unknown> = []) =>
    postgres.query(Parley.platformDatabase, text, values)
  const connect = async (application_name: string) => {
    const client = new pg.Client({ connectionString: postgres.urlOf(Parley.platformDatabase), application_name })
    await client.connect()
    names.push(application_name)
    clients.push(client)
    return client
  }

  const join = async (cell: string) => {
    const [{ id }] = await ask(
      `insert into nodes (id, dials, is_runner, encryption_keys, tenant_schema, platform_schema, calls_max, cell)
       select gen_random_uuid(), dials, is_runner, encryption_keys, tenant_schema, platform_schema, calls_max, $1
       from nodes where dials limit 1 returning id`,
      [cell],
    )
    const client = await connect(`parley:node:${id}`)
    for (let more = 1; more < sessions; more++) await connect("parley:simulated")
    const renew = async () => {
      const began = performance.now()
      await client.query("update nodes set seen_at = clock_timestamp() where id = $1", [id])
      heartbeats.push(performance.now() - began)
    }
    timers.push(setInterval(renew, 1_000))
  }

  return {
    names,
    heartbeats,
    grow: async (count, accounts) => {
      const cells = Math.ceil(count / processesOfCell)
      await ask(
        "insert into database_servers (name, url) select 'pg' || n, '' from generate_series(1, $1::int) n on conflict do nothing",
        [cells],
      )
      for (; processes < count; processes++) await join(`pg${1 + Math.floor(processes / processesOfCell)}`)
      if (count === 0) return
      await ask(
        `insert into accounts (id, slug, name, database, data_key, concurrent_max, calls_per_minute, calls_per_day,
           time_zone, schema_version, server)
         select gen_random_uuid(), 'simulated-' || n, 'Simulated', 'simulated_' || n, data_key, concurrent_max,
           calls_per_minute, calls_per_day, time_zone, schema_version, 'pg' || 1 + n % $2::int
         from accounts, generate_series((select count(*) from accounts), $1::int) n where slug = 'demo'`,
        [accounts, cells],
      )
      await ask(
        `insert into dialling (account_id, campaign_id, due_at)
         select id, gen_random_uuid(), case when n % $2 = 0 then now() else now() + interval '3 hours' end
         from (select id, row_number() over () as n from accounts where server is not null) a
         where n % $1 = 0 and not exists (select from dialling where account_id = id)`,
        [accountsOfCampaign, accountsOfCampaign * campaignsOfDue],
      )
      await ask("analyze")
    },
    stop: async () => {
      for (const timer of timers) clearInterval(timer)
      await Promise.all(clients.map((client) => client.end()))
    },
  }
}
