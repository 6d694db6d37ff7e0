/** An installation for drills: a PostgreSQL with the role of docs/operations.md, processes, and a balancer. */
import { mkdtempSync, readFileSync, existsSync, rmSync } from "node:fs"
import { randomBytes } from "node:crypto"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { begin } from "../support/Command.ts"
import { debianPostgres, debianPostgresFault } from "../support/DebianPostgres.ts"
import { type Process, start as startProcess } from "../support/Process.ts"
import { speak } from "../support/TestServer.ts"
import { closedServer } from "../support/TwoServers.ts"
import * as Balancer from "./Balancer.ts"

/** The root of this release. */
export const here = join(import.meta.dirname, "../..")

export interface Member extends Process {
  readonly url: string
  /** The root of the release it runs. */
  readonly release: string
  /** Undefined if it serves all accounts. */
  readonly cell: string | undefined
}

export interface Dialled {
  readonly number: string
  /** Milliseconds since 1970, by the machine's clock. */
  readonly at: number
}

/** An account with an agent, a lab number, and an API key, which every process accepts. */
export interface Account {
  readonly slug: string
  readonly headers: Record<string, string>
  readonly line: { readonly agent_id: string; readonly phone_number_id: string }
}

export interface Installation {
  readonly balancer: Balancer.Balancer
  /** Starts a process and waits until it is ready. */
  readonly join: (release?: string, env?: Record<string, string>) => Promise<Member>
  /** Sends SIGTERM and waits for the end. Returns the exit code. */
  readonly leave: (member: Member) => Promise<number | NodeJS.Signals | null>
  readonly kill: (member: Member) => Promise<void>
  readonly members: () => ReadonlyArray<Member>
  /** Creates an account at this process, by default at the first. */
  readonly account: (slug: string, settings?: object, at?: Member) => Promise<Account>
  /** Starts another PostgreSQL server and registers it under this name, by the command of the release that runs. */
  readonly addServer: (name: string, release: string) => Promise<void>
  /** The numbers that all labs were asked to dial, in order of time. */
  readonly dialled: () => ReadonlyArray<Dialled>
  /** Runs a statement as the documented role. */
  readonly query: <Row = any>(database: string, text: string, values?: ReadonlyArray<unknown>) => Promise<Array<Row>>
  /** The environment of the installation's commands. */
  readonly env: Readonly<Record<string, string>>
  readonly databaseOf: (slug: string) => Promise<string>
  /** Opens a separate session, such as a backup has. */
  readonly session: (database: string, name: string) => Promise<pg.Client>
  readonly stop: () => Promise<void>
}

const children = new Set<Process>()
process.on("exit", () => children.forEach(({ child }) => child.kill("SIGKILL")))

export const start = async (env: Record<string, string> = {}): Promise<Installation> => {
  if (debianPostgresFault !== undefined) throw new Error(`A drill needs Debian's PostgreSQL: ${debianPostgresFault}`)
  const folder = mkdtempSync(join(tmpdir(), "parley-drill-"))
  const server = await debianPostgres({ fsync: "on", isOnDisk: true, settings: { max_connections: "300" } })
  const servers = [server]
  const members: Array<Member> = []
  const logs: Array<string> = []
  const pools = new Map<string, pg.Pool>()
  const balancer = Balancer.start(() => members.map(({ url }) => url))
  const urlOf = (database: string) => {
    const url = new URL(server.url)
    url.pathname = `/${database}`
    return url.href
  }

  const installation = {
    DATABASE_URL: server.url,
    DATABASE_MAX_CONNECTIONS: "60",
    PARLEY_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
  }

  const joinOne: Installation["join"] = async (release = here, own = {}) => {
    const log = join(folder, `lab-${logs.length}.jsonl`)
    logs.push(log)
    const parley = startProcess(
      {
        ...installation,
        PARLEY_DATA_DIR: mkdtempSync(join(folder, "data-")),
        PARLEY_REQUESTS_PER_MINUTE: "1000000",
        LAB_SPEED: "20",
        LAB_LOG: log,
        DRAIN_SECONDS: "10",
        ...env,
        ...own,
      },
      { folder: release, isEqual: true },
    )
    children.add(parley)
    void parley.ended.then(() => children.delete(parley))
    const member = { ...parley, url: await parley.ready, release, cell: own["PARLEY_CELL"] }
    members.push(member)
    return member
  }
  const forget = (member: Member) => void members.splice(members.indexOf(member), 1)
  const query: Installation["query"] = async (database, text, values = []) => {
    const pool = pools.get(database) ?? new pg.Pool({ connectionString: urlOf(database), max: 1 })
    pools.set(database, pool)
    return (await pool.query(text, [...values])).rows
  }

  return {
    balancer,
    join: joinOne,
    leave: async (member) => {
      member.child.kill("SIGTERM")
      const code = await member.ended
      forget(member)
      return code
    },
    kill: async (member) => {
      member.child.kill("SIGKILL")
      forget(member)
      await member.ended
    },
    members: () => members,
    account: async (slug, settings = {}, member = members[0]) => {
      if (member === undefined) throw new Error("No process runs")
      const owner = await speak(member.url).ownerOf(slug, {
        concurrent_max: 60,
        calls_per_minute: 100_000,
        calls_per_day: 1_000_000,
        ...settings,
      })
      const must = async (asked: Promise<{ status: number; body: any }>) => {
        const { body, status } = await asked
        if (status >= 300) throw new Error(`It answered ${status}: ${JSON.stringify(body)}`)
        return body
      }
      const { key } = await must(owner.post("/api/v1/api-keys", { name: "drill", scopes: ["read", "write", "dial"] }))
      const agent = await must(
        owner.post("/api/agents", { name: "agent", system_prompt: "You remind people.", first_message: "Hello." }),
      )
      const number = await must(owner.post("/api/phone-numbers", { number: "+14155550100", carrier: "lab" }))
      return {
        slug,
        headers: { authorization: `Bearer ${key}`, "x-account-id": slug },
        line: { agent_id: agent.id, phone_number_id: number.id },
      }
    },
    addServer: async (name, release) => {
      const further = await closedServer()
      servers.push(further)
      const env = { ...installation, PARLEY_DATA_DIR: mkdtempSync(join(folder, "command-")) }
      const own = { ...env, PARLEY_SERVER_URL: further.url }
      const { code, err } = await begin(own, ["servers", "set", name], release).answer
      if (code !== 0) throw new Error(`The server was not registered: ${err}`)
    },
    env: { ...installation, PARLEY_DATA_DIR: mkdtempSync(join(folder, "command-")) },
    dialled: () => logs.flatMap(readLog).toSorted((a, b) => a.at - b.at),
    query,
    databaseOf: async (slug) =>
      (await query<{ database: string }>("parley", "select database from accounts where slug = $1", [slug]))[0]
        ?.database ?? "",
    session: async (database, name) => {
      const client = new pg.Client({ connectionString: urlOf(database), application_name: name })
      client.on("error", () => {})
      await client.connect()
      return client
    },
    stop: async () => {
      balancer.stop()
      for (const { child } of members) child.kill("SIGKILL")
      await Promise.all(members.map(({ ended }) => ended))
      await Promise.all([...pools.values()].map((pool) => pool.end().catch(() => {})))
      for (const { stop } of servers) stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const readLog = (log: string): ReadonlyArray<Dialled> =>
  (existsSync(log) ? readFileSync(log, "utf8") : "").split("\n").flatMap((line) => {
    if (!line.endsWith("}")) return []
    const { at, event, number } = JSON.parse(line)
    return event === "invite" ? [{ number, at: Date.parse(at) }] : []
  })
