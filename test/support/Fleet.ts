/** Several Parleys as processes on one PostgreSQL. Each has a lab that records the numbers it was asked to dial. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"
import { inject } from "vitest"
import { type Campaigner, campaigner } from "./Campaigner.ts"
import { emptyFolder, type Process, start } from "./Process.ts"
import { speak } from "./TestServer.ts"
import { until } from "./Until.ts"
import type { Wire } from "./Wire.ts"

export interface Invite {
  readonly attempt: string
  readonly number: string
  /** Milliseconds since 1970, by the machine's clock. */
  readonly at: number
}

export interface Member extends Process {
  readonly url: string
  /** The numbers that this process's lab was asked to dial, in order. */
  readonly invites: () => ReadonlyArray<Invite>
  /** The fleet's account, through this process. */
  readonly own: () => Promise<Campaigner>
}

export interface Fleet {
  /** Starts another process, and waits until it is ready. */
  readonly join: () => Promise<Member>
  /** The numbers that all labs were asked to dial, in order of time. */
  readonly invites: () => ReadonlyArray<Invite>
  /** Runs a statement in an account's database, and returns its rows. */
  readonly query: (account: string, statement: string) => Promise<ReadonlyArray<Record<string, unknown>>>
  /** Terminates every session of the platform's database, including those of heartbeats and listeners. */
  readonly cutOff: () => Promise<void>
  /** Kills all processes that are alive. */
  readonly stop: () => Promise<void>
}

/** The processes reach PostgreSQL through `wire`, if it is given. */
export const fleet = (env: Record<string, string> = {}, wire?: Wire): Fleet => {
  const folder = emptyFolder()
  const database = new URL(inject("postgres"))
  const reached = new URL(database)
  if (wire !== undefined) reached.host = new URL(wire.url).host
  database.pathname = `/parley_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
  reached.pathname = database.pathname
  const members: Array<Member> = []
  let joined = 0
  const settings = { concurrent_max: 60, calls_per_minute: 10_000, calls_per_day: 100_000 }
  return {
    join: async () => {
      const log = join(folder, `lab-${joined++}.jsonl`)
      const process = start({
        DATABASE_URL: reached.href,
        DATABASE_MAX_CONNECTIONS: "20",
        PARLEY_DATA_DIR: folder,
        LAB_LOG: log,
        LAB_SPEED: "40",
        ...env,
      })
      const url = await process.ready
      const own = async () => campaigner(await speak(url).ownerOf("fleet", settings))
      const member: Member = { ...process, url, invites: () => invitesOf(log), own }
      members.push(member)
      return member
    },
    invites: () => members.flatMap((member) => member.invites()).toSorted((a, b) => a.at - b.at),
    cutOff: async () => {
      const client = new pg.Client({ connectionString: inject("postgres") })
      await client.connect()
      await client.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [
        database.pathname.slice(1),
      ])
      await client.end()
    },
    query: async (account, statement) => {
      const run = async (name: string, text: string, values: ReadonlyArray<string> = []) => {
        const url = new URL(database)
        url.pathname = `/${name}`
        const client = new pg.Client(url.href)
        await client.connect()
        try {
          return (await client.query(text, [...values])).rows
        } finally {
          await client.end()
        }
      }
      const found = await run(database.pathname.slice(1), "select database from accounts where slug = $1", [account])
      return run(String(found[0]?.database), statement)
    },
    stop: async () => {
      for (const { child } of members) child.kill("SIGKILL")
      await Promise.all(members.map(({ ended }) => ended))
    },
  }
}

const invitesOf = (log: string): ReadonlyArray<Invite> =>
  (existsSync(log) ? readFileSync(log, "utf8") : "").split("\n").flatMap((line) => {
    if (!line.endsWith("}")) return []
    const { at, attempt_id, event, number } = JSON.parse(line)
    return event === "invite" ? [{ attempt: attempt_id, number, at: Date.parse(at) }] : []
  })

/** Waits for the first number that `member` dials after `moment`. */
export const inviteAfter = (member: Member, moment: number): Promise<Invite> =>
  until(() => member.invites().find(({ at }) => at > moment))

export const doubled = (invites: ReadonlyArray<Invite>): ReadonlyArray<string> => {
  const seen = new Set<string>()
  return invites.flatMap(({ number }) => (seen.size === seen.add(number).size ? [number] : []))
}
