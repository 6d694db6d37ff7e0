/**
 * Three processes, many accounts, three calls a second, and a kill now and then, for the duration of `--hours`. Memory
 * and dead rows stay bounded, no request is answered with 5xx, and at the end the rows keep every promise. The first
 * process is never killed, so that its memory is seen over the whole duration.
 */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { until } from "../support/Until.ts"
import { atMost, type Figure, holds } from "./Figure.ts"
import * as Installation from "./Installation.ts"
import * as MemoryCurve from "./MemoryCurve.ts"
import type { Options } from "./Options.ts"

const processes = 3
const callsPerSecond = 3
/** The most dead rows of a table. Autovacuum starts at 50 plus a fifth of the rows, and runs once a minute. */
const deadAllowed = (live: number) => 1_000 + 0.5 * live

export const run = async ({ hours, isShort, log }: Options): Promise<ReadonlyArray<Figure>> => {
  const plan = isShort
    ? { accounts: 20, killEveryMs: 40_000, collectEveryMs: 30_000, endsAfterMs: 90_000 }
    : { accounts: 300, killEveryMs: 600_000, collectEveryMs: 300_000, endsAfterMs: hours * 3_600_000 }
  const drill = await Installation.start({ DATABASE_MAX_CONNECTIONS: "80" })
  try {
    const survivor = await drill.join(Installation.here, MemoryCurve.environment)
    for (let at = 1; at < processes; at++) await drill.join()
    await until(() => drill.balancer.ready().length === processes)
    const accounts: Array<Installation.Account> = []
    for (let at = 0; at < plan.accounts; at++) accounts.push(await drill.account(`soak-${at}`))
    log(`${accounts.length} accounts`)
    return await soak(drill, survivor, accounts, plan, log)
  } finally {
    await drill.stop()
  }
}

interface Plan {
  readonly killEveryMs: number
  readonly collectEveryMs: number
  readonly endsAfterMs: number
}

const soak = async (
  drill: Installation.Installation,
  survivor: Installation.Member,
  accounts: ReadonlyArray<Installation.Account>,
  { collectEveryMs, endsAfterMs, killEveryMs }: Plan,
  log: (line: string) => void,
) => {
  const ends = Date.now() + endsAfterMs
  const statuses: Array<number> = []
  const asked: Array<Promise<void>> = []
  let calls = 0
  const call = setInterval(() => {
    const account = accounts[calls % accounts.length] as Installation.Account
    const to = `+1415${String(2_000_000 + calls).slice(-7)}`
    calls++
    const { headers, line } = account
    asked.push(
      drill.balancer
        .send("POST", "/api/v1/calls", headers, { ...line, to })
        .then(({ status }) => void statuses.push(status)),
      drill.balancer.send("GET", "/api/v1/calls?page_size=5", headers).then(({ status }) => void statuses.push(status)),
    )
  }, 1_000 / callsPerSecond)
  const memory = MemoryCurve.watch(survivor, collectEveryMs, log)

  let kills = 0
  while (Date.now() < ends) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(killEveryMs, ends - Date.now())))
    // The second is the oldest of those that may be killed: a process that joins is the last.
    const [, victim] = drill.members()
    if (Date.now() >= ends || victim === undefined) break
    kills++
    log(`kill ${kills}, after ${calls} calls`)
    await drill.kill(victim)
    await drill.join()
  }
  clearInterval(call)
  memory.stop()
  await Promise.all(asked)
  const isVerified = await verify(drill, log)
  return [
    atMost("answers with 5xx", statuses.filter((status) => status >= 500).length, 0),
    holds("every promise that rows can break holds (parley verify)", isVerified),
    atMost("tables with too many dead rows", (await countBloated(drill, accounts)).length, 0),
    ...memory.figures(),
    { what: "calls; kills", value: `${calls}; ${kills}`, goal: "", isMet: true },
  ] satisfies ReadonlyArray<Figure>
}

/** Waits 20 s, since the calls of a killed process are settled after 15 s, and runs `parley verify`. */
const verify = async (drill: Installation.Installation, log: (line: string) => void): Promise<boolean> => {
  await new Promise((resolve) => setTimeout(resolve, 20_000))
  const command = promisify(execFile)(process.execPath, [join(Installation.here, "src/parley.ts"), "verify"], {
    env: { PATH: process.env["PATH"] ?? "", ...drill.env },
    maxBuffer: 1 << 26,
  })
  return command.then(
    () => true,
    (error: { stdout?: string; stderr?: string }) => {
      log(`${error.stdout ?? ""}${error.stderr ?? ""}`.slice(-2_000))
      return false
    },
  )
}

const countBloated = async (drill: Installation.Installation, accounts: ReadonlyArray<Installation.Account>) => {
  const databases = ["parley"]
  for (const { slug } of accounts.slice(0, 20)) databases.push(await drill.databaseOf(slug))
  const bloated: Array<string> = []
  for (const database of databases) {
    const tables = await drill.query<{ relname: string; dead: number; live: number }>(
      database,
      "select relname, n_dead_tup::int as dead, n_live_tup::int as live from pg_stat_user_tables",
    )
    bloated.push(
      ...tables.flatMap(({ dead, live, relname }) => (dead > deadAllowed(live) ? [`${database}.${relname}`] : [])),
    )
  }
  return bloated
}
