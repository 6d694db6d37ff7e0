/** Parleys on one database with a speech server, for tests of calls over SIP. */
import { Context, Effect, Layer } from "effect"
import { inject } from "vitest"
import { databaseOf } from "./AccountDatabase.ts"
import { wide } from "./Callers.ts"
import { modelServer } from "./ModelServer.ts"
import { emptyFolder, hasEnded, type Process, start } from "./Process.ts"
import { sipSettings } from "./SipTrunk.ts"
import { fromNowOn, speechServer } from "./SpeechServer.ts"
import { type Client, speak, type TestServer } from "./TestServer.ts"

interface Running {
  readonly process: Process
  readonly server: TestServer["Service"]
  readonly port: number
}

export interface Parley extends Running {
  readonly owner: Client
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
  const launch = async (sip?: null | Record<string, string>): Promise<Running> => {
    const settings = sip === null ? {} : { ...(await sipSettings(speech.url)), ...sip }
    const env = { DATABASE_URL: database.href, DATABASE_MAX_CONNECTIONS: "20", PARLEY_DATA_DIR: folder, ...settings }
    // Telephones talk with it.
    const process = start(env, { isEqual: true })
    started.push(process)
    return { process, server: speak(await process.ready), port: Number(settings["PARLEY_SIP_PORT"]) }
  }
  /** Starts a Parley on the room's database, with the owner of the account `calling`. Null turns SIP off. */
  const parley = async (sip?: null | Record<string, string>): Promise<Parley> => {
    const running = await launch(sip)
    return { ...running, owner: await running.server.ownerOf("calling", wide) }
  }
  return { database, folder, speech, launch, parley }
})

export type SipRoom = Effect.Success<typeof openSipRoom>

/** One room for all tests of a file. They run one after another, each with `stageInRoom`. */
export class SipRoomOfFile extends Context.Service<
  SipRoomOfFile,
  SipRoom & {
    /** A Parley that runs. It is started if the test before has killed it. */
    readonly running: () => Promise<Running>
    readonly runningPair: () => Promise<readonly [Running, Running]>
  }
>()("test/SipRoomOfFile") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const room = yield* openSipRoom
      let all: ReadonlyArray<Running> = []
      const atLeast = async (count: number) => {
        all = all.filter(({ process }) => !hasEnded(process))
        const missing = Array.from({ length: Math.max(0, count - all.length) }, () => room.launch())
        all = [...all, ...(await Promise.all(missing))]
        return all as readonly [Running, Running]
      }
      return {
        ...room,
        running: async () => (await atLeast(1))[0],
        runningPair: () => atLeast(2),
      }
    }),
  )
}

/** The part of one test in the file's room: an account of its own, and the speech server from now on. */
export const stageInRoom = Effect.gen(function* () {
  const { database, folder, launch, running, runningPair, speech } = yield* SipRoomOfFile
  const account = `own-${crypto.randomUUID().slice(0, 8)}`
  const ofAccount = async (running: Running): Promise<Parley> => ({
    ...running,
    owner: await running.server.ownerOf(account, wide),
  })
  const alone: Array<Process> = []
  yield* Effect.addFinalizer(() => Effect.sync(() => alone.forEach(({ child }) => child.kill("SIGKILL"))))
  return {
    folder,
    speech: fromNowOn(speech),
    /** The database of the test's account. */
    accountDatabase: () => databaseOf(database, account),
    /** A Parley, with the owner of the test's account. */
    parley: async () => ofAccount(await running()),
    /** Two Parleys, either of which the test may kill. */
    pair: async (): Promise<readonly [Parley, Parley]> => {
      const [one, other] = await runningPair()
      return [await ofAccount(one), await ofAccount(other)]
    },
    /** Starts a Parley with other settings, for this test alone. Null turns SIP off. */
    parleyWith: async (sip: null | Record<string, string>) => {
      const running = await launch(sip)
      alone.push(running.process)
      return ofAccount(running)
    },
  }
})

export type StageInRoom = Effect.Success<typeof stageInRoom>

/** A Parley in its own room, with the language models of its agents. `another` starts one more. */
const openSipParley = Effect.gen(function* () {
  const room = yield* openSipRoom
  const models = yield* modelServer([])
  const another = () => room.parley({ OPENAI_COMPATIBLE_BASE_URL: `${models.url}/v1` })
  return { room, models, parley: yield* Effect.promise(another), another }
})

export type OpenSipParley = Effect.Success<typeof openSipParley>

/** One Parley for all tests of a file. They run one after another, each with `ownerOfItsOwn`. */
export class SipParley extends Context.Service<SipParley, OpenSipParley>()("test/SipParley") {
  static readonly layer = Layer.effect(this, openSipParley)
}

export const ownerOfItsOwn = ({ server }: Parley): Effect.Effect<Client> =>
  Effect.promise(() => server.ownerOf(`own-${crypto.randomUUID().slice(0, 8)}`, wide))
