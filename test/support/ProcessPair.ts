/**
 * Two Parley processes on one database. One places calls over the stand-in carrier, whose reports reach the other. They
 * serve all tests of a file: one that placed calls and was killed is replaced for the next test.
 */
import { Context, Effect, Layer } from "effect"
import { inject } from "vitest"
import type { Call } from "../../src/domain/Call.ts"
import { databaseOf, query } from "./AccountDatabase.ts"
import { caller, wide } from "./Callers.ts"
import { CarrierProcess } from "./CarrierProcess.ts"
import { freePort } from "./FreePorts.ts"
import { made } from "./Fixtures.ts"
import { emptyFolder, hasEnded, type Process, start } from "./Process.ts"
import { type Client, speak } from "./TestServer.ts"

export class ProcessPair extends Context.Service<
  ProcessPair,
  {
    readonly database: URL
    /** The URL of the process that the carrier's reports reach. */
    readonly url: string
    /** The process that places calls, which runs. */
    readonly placing: () => Promise<Process>
  }
>()("test/ProcessPair") {
  /** `env` adds to the settings of both processes. */
  static readonly layerWith = (env: Record<string, string> = {}) =>
    Layer.effect(
      this,
      Effect.gen(function* () {
        const carrier = yield* CarrierProcess
        const database = new URL(inject("postgres"))
        database.pathname = `/parley_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
        const started: Array<Process> = []
        yield* Effect.addFinalizer(() =>
          Effect.promise(async () => {
            for (const { child } of started) child.kill("SIGKILL")
            await Promise.all(started.map(({ ended }) => ended))
          }),
        )
        const port = yield* Effect.promise(freePort)
        const folder = emptyFolder()
        const begin = (own: Record<string, string>) => {
          const settings = {
            DATABASE_URL: database.href,
            DATABASE_MAX_CONNECTIONS: "20",
            PARLEY_DATA_DIR: folder,
            TWILIO_API_URL: carrier.url,
            TELNYX_API_URL: carrier.url,
            PARLEY_PUBLIC_URL: `http://127.0.0.1:${port}`,
          }
          const process = start({ ...settings, ...env, ...own }, { isEqual: true })
          started.push(process)
          return process
        }
        const listening = begin({ PORT: String(port) })
        // A media stream has to reach the process that placed the call.
        const beginPlacing = async () => {
          const own = await freePort()
          return begin({ PORT: String(own), PARLEY_STREAM_URL: `http://127.0.0.1:${own}` })
        }
        let placing = yield* Effect.promise(beginPlacing)
        const url = yield* Effect.promise(() => listening.ready)
        return {
          database,
          url,
          placing: async () => {
            if (hasEnded(placing)) placing = await beginPlacing()
            await placing.ready
            return placing
          },
        }
      }),
    )
}

/** The part of one test in the pair, with an account of its own. */
export interface Pair {
  readonly account: string
  readonly carrier: CarrierProcess["Service"]
  /** The agent that places calls, and the number that it places them from. */
  readonly agent: { readonly id: string }
  readonly number: { readonly id: string }
  readonly placing: Process
  readonly place: (to: string) => Promise<string>
  /** The account's owner, through the other process. */
  readonly other: Client
  readonly call: (id: string) => Promise<typeof Call.Encoded>
  readonly ended: (id: string) => Promise<typeof Call.Encoded>
  /** Runs a statement in the account's database. */
  readonly query: (sql: string) => Promise<unknown>
}

/** Creates the phone number that calls are placed from. */
type NumberOf = (owner: Client, carrier: CarrierProcess["Service"]) => Promise<{ readonly id: string }>

export const paired = (numberOf: NumberOf, body: (pair: Pair) => Promise<void>) =>
  Effect.gen(function* () {
    const carrier = yield* CarrierProcess
    const pair = yield* ProcessPair
    yield* Effect.promise(async () => {
      await carrier.ask("POST", "/control", { reset: true })
      const account = `own-${crypto.randomUUID().slice(0, 8)}`
      const placing = await pair.placing()
      const other = await speak(pair.url).ownerOf(account, wide)
      const lab = await caller(other)
      const number = await numberOf(other, carrier)
      const owner = await speak(await placing.ready).ownerOf(account)
      const place: Pair["place"] = async (to) => {
        const body = { agent_id: lab.agent.id, phone_number_id: number.id, to }
        return made(await owner.post("/api/v1/calls", body)).id
      }
      const call: Pair["call"] = async (id) => made(await other.get(`/api/v1/calls/${id}`))
      const queryOwn: Pair["query"] = async (sql) => query(await databaseOf(pair.database, account), sql)
      const { agent, ended } = lab
      await body({ account, carrier, agent, number, placing, place, other, call, ended, query: queryOwn })
    })
  })
