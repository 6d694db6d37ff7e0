/** Two Parley processes on one database. One places calls over the stand-in carrier, whose reports reach the other. */
import { Effect } from "effect"
import pg from "pg"
import { inject } from "vitest"
import type { Call } from "../../src/domain/Call.ts"
import { caller, wide } from "./Callers.ts"
import { CarrierProcess } from "./CarrierProcess.ts"
import { freePort } from "./FreePorts.ts"
import { made } from "./Fixtures.ts"
import { emptyFolder, type Process, start } from "./Process.ts"
import { type Client, speak } from "./TestServer.ts"

/** One process places the calls, and the carrier's reports reach the other. */
export interface Pair {
  readonly carrier: CarrierProcess["Service"]
  readonly placing: Process
  readonly place: (to: string) => Promise<string>
  /** The account's owner, through the other process. */
  readonly other: Client
  readonly call: (id: string) => Promise<typeof Call.Encoded>
  readonly ended: (id: string) => Promise<typeof Call.Encoded>
  /** Runs a statement in the account's database. */
  readonly query: (sql: string) => Promise<unknown>
}

export interface Pairs {
  /** Creates the phone number that calls are placed from. */
  readonly number: (owner: Client, carrier: CarrierProcess["Service"]) => Promise<{ readonly id: string }>
  /** Settings of both processes. */
  readonly env?: Record<string, string>
}

export const paired = ({ env: more = {}, number: numberOf }: Pairs, body: (pair: Pair) => Promise<void>) =>
  Effect.gen(function* () {
    const carrier = yield* CarrierProcess
    yield* Effect.promise(async () => {
      await carrier.ask("POST", "/control", { reset: true })
      const folder = emptyFolder()
      const database = new URL(inject("postgres"))
      database.pathname = `/parley_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
      const port = await freePort()
      const env = {
        DATABASE_URL: database.href,
        DATABASE_MAX_CONNECTIONS: "20",
        PARLEY_DATA_DIR: folder,
        TWILIO_API_URL: carrier.url,
        TELNYX_API_URL: carrier.url,
        PARLEY_PUBLIC_URL: `http://127.0.0.1:${port}`,
        ...more,
      }
      const listening = start({ ...env, PORT: String(port) })
      const url = await listening.ready
      // A media stream has to reach the process that placed the call.
      const own = await freePort()
      const placing = start({ ...env, PORT: String(own), PARLEY_STREAM_URL: `http://127.0.0.1:${own}` })
      try {
        const other = await speak(url).ownerOf("outlive", wide)
        const lab = await caller(other)
        const number = await numberOf(other, carrier)
        const owner = await speak(await placing.ready).ownerOf("outlive", wide)
        const place: Pair["place"] = async (to) => {
          const body = { agent_id: lab.agent.id, phone_number_id: number.id, to }
          return made(await owner.post("/api/v1/calls", body)).id
        }
        const call: Pair["call"] = async (id) => made(await other.get(`/api/v1/calls/${id}`))
        const query: Pair["query"] = async (sql) => {
          const platform = new pg.Client(database.href)
          await platform.connect()
          const { rows } = await platform.query("select database from accounts where slug = 'outlive'")
          await platform.end()
          const tenant = new URL(database)
          tenant.pathname = `/${rows[0].database}`
          const client = new pg.Client(tenant.href)
          await client.connect()
          await client.query(sql)
          await client.end()
        }
        await body({ carrier, placing, place, other, call, ended: lab.ended, query })
      } finally {
        for (const process of [placing, listening]) process.child.kill("SIGKILL")
        await Promise.all([placing.ended, listening.ended])
      }
    })
  })
