/** Parleys on one database with a speech server, for tests of calls over SIP. */
import { Context, Effect, Layer } from "effect"
import { inject } from "vitest"
import { databaseOf, query } from "./AccountDatabase.ts"
import { wide } from "./Callers.ts"
import { modelServer } from "./ModelServer.ts"
import { emptyFolder, type Process, start } from "./Process.ts"
import { sipSettings } from "./SipTrunk.ts"
import { speechServer } from "./SpeechServer.ts"
import { type Client, speak, type TestServer } from "./TestServer.ts"

export interface Parley {
  readonly process: Process
  /** The owner of the account `calling`. */
  readonly owner: Client
  readonly server: TestServer["Service"]
  readonly port: number
}

/** The processes are killed when the scope closes. */
export const openSipRoom = Effect.gen(function* () {
  const speech = yield* speechServer
  const database = new URL(inject("postgres"))
  database.pathname = `/parley_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
  const folder = emptyFolder()
  const started: Array<Process> = []
  yield* Effect.addFinalizer(() =>
    Effect.promise(async () => {
      for (const { child } of started) child.kill("SIGKILL")
      await Promise.all(started.map(({ ended }) => ended))
    }),
  )
  /** Starts a Parley on the room's database. Null turns SIP off. */
  const parley = async (sip?: null | Record<string, string>): Promise<Parley> => {
    const settings = sip === null ? {} : { ...(await sipSettings(speech.url)), ...sip }
    const process = start({
      DATABASE_URL: database.href,
      DATABASE_MAX_CONNECTIONS: "20",
      PARLEY_DATA_DIR: folder,
      ...settings,
    })
    started.push(process)
    const server = speak(await process.ready)
    return { process, server, owner: await server.ownerOf("calling", wide), port: Number(settings["PARLEY_SIP_PORT"]) }
  }
  /** Rows from the database of the account `calling`. */
  const rowsOf = async (statement: string, values: ReadonlyArray<unknown>) =>
    query(await databaseOf(database, "calling"), statement, values)
  return { speech, parley, rowsOf }
})

export type SipRoom = Effect.Success<typeof openSipRoom>

/** Opens a Parley in its own room, with the language models of its agents. */
export const openSipParley = Effect.gen(function* () {
  const room = yield* openSipRoom
  const models = yield* modelServer([])
  const parley = yield* Effect.promise(() => room.parley({ OPENAI_COMPATIBLE_BASE_URL: `${models.url}/v1` }))
  return { room, models, parley }
})

export type OpenSipParley = Effect.Success<typeof openSipParley>

/** One Parley for all tests of a file. They run one after another, each with `ownerOfItsOwn`. */
export class SipParley extends Context.Service<SipParley, OpenSipParley>()("test/SipParley") {
  static readonly layer = Layer.effect(this, openSipParley)
}

export const ownerOfItsOwn = ({ server }: Parley): Effect.Effect<Client> =>
  Effect.promise(() => server.ownerOf(`own-${crypto.randomUUID().slice(0, 8)}`, wide))
