/**
 * The process of the embedded PostgreSQL. It is started again when it ends by itself, as it does when a disk that was full
 * gives it no room to recover in, or when the kernel kills it.
 */
import { Effect, Schedule } from "effect"
import type { ChildProcess } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"

interface Program {
  /** The folder of its files. */
  readonly data: string
  /** The file of its log. */
  readonly log: string
  readonly spawn: (port: number) => ChildProcess
}

/**
 * How long the server may take to start: recovery after a crash is slow on a slow disk. A server that cannot start
 * exits sooner.
 */
const startLimit = "2 minutes"
/** How many ports are tried: another program may take the port between this check and the start of the server. */
const portsTried = 5
/** The pause before a server that ended at once is started again. */
const againAfter = "1 second"

/** Starts the server and returns its port, which it keeps. Stops it when the scope closes. */
export const run = Effect.fn("PostgresProcess.run")(function* (program: Program) {
  let server: ChildProcess | undefined
  yield* Effect.addFinalizer(() => (server === undefined ? Effect.void : stop(server)))
  const start = (port: number) =>
    Effect.suspend(() => {
      server = program.spawn(port)
      server.once("error", () => {})
      return ready(program.data, port, server)
    })
  const port = yield* freePort.pipe(
    Effect.tap(start),
    Effect.retry({ times: portsTried - 1 }),
    Effect.timeout(startLimit),
  )
  const startAgain = Effect.gen(function* () {
    yield* Effect.logWarning("the embedded PostgreSQL ended and is started again; its log says why")
    yield* start(port).pipe(
      Effect.tapError(() => Effect.logWarning("the embedded PostgreSQL ends at once; trying again")),
      Effect.retry(Schedule.spaced(againAfter)),
    )
    yield* Effect.logInfo("the embedded PostgreSQL serves again")
  }).pipe(Effect.annotateLogs({ file: program.log }))
  yield* Effect.suspend(() => (server === undefined ? Effect.never : ended(server))).pipe(
    Effect.andThen(startAgain),
    Effect.forever,
    Effect.forkScoped,
  )
  return port
})

const freePort = Effect.callback<number>((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0)))
  })
})

/**
 * Waits until the server's own pid file says that it is ready. A connection would prove nothing: on a port that another
 * program has taken, it would succeed too. Fails if the server ends.
 */
const ready = (data: string, port: number, server: ChildProcess) =>
  Effect.suspend(() => {
    if (hasEnded(server)) return Effect.fail("ended" as const)
    const file = join(data, "postmaster.pid")
    const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : []
    // A killed server leaves its file behind.
    const isOwn = lines[0] === String(server.pid) && lines[3] === String(port)
    return Effect.succeed(isOwn && lines[7]?.trim() === "ready")
  }).pipe(Effect.repeat({ schedule: Schedule.spaced("25 millis"), until: (isReady) => isReady }))

/** A program that could not be started has no process. */
const hasEnded = ({ exitCode, pid, signalCode }: ChildProcess) =>
  pid === undefined || exitCode !== null || signalCode !== null

const ended = (server: ChildProcess) =>
  Effect.callback<void>((resume) => {
    if (hasEnded(server)) return resume(Effect.void)
    server.once("exit", () => resume(Effect.void))
  })

/** SIGINT is PostgreSQL's "fast" shutdown; SIGQUIT, after ten seconds, its "immediate" one. */
const stop = (server: ChildProcess) =>
  Effect.callback<void>((resume) => {
    if (hasEnded(server)) return resume(Effect.void)
    const giveUp = setTimeout(() => server.kill("SIGQUIT"), 10_000)
    server.once("exit", () => {
      clearTimeout(giveUp)
      resume(Effect.void)
    })
    server.kill("SIGINT")
  })
