/**
 * PostgreSQL from Debian, which has `pg_dump` and `pg_restore` while the embedded one does not. Parley uses the role
 * that docs/operations.md describes, which is not a superuser.
 */
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { serverUser } from "../../src/tenancy/ServerUser.ts"
import { documented } from "./Documented.ts"
import { folderInMemory, noteOwner } from "./FolderInMemory.ts"
import { freePorts } from "./FreePorts.ts"

const versions = "/usr/lib/postgresql"
const newest = existsSync(versions)
  ? readdirSync(versions)
      .filter((version) => ["postgres", "pg_dump"].every((tool) => existsSync(join(versions, version, "bin", tool))))
      .toSorted((a, b) => Number(b) - Number(a))[0]
  : undefined

/** Why such a server cannot run on this machine. Undefined if it can. */
export const debianPostgresFault = newest === undefined ? "PostgreSQL is not installed" : undefined

const bin = join(versions, newest ?? "none", "bin")
const password = "secret"

export interface DebianPostgres {
  /** `DATABASE_URL` for Parley's role. */
  readonly url: string
  /** The environment of libpq's programs for the same role. */
  readonly env: Readonly<Record<string, string>>
  /** Runs statements as the superuser. Returns the rows, their fields separated by `|`. */
  readonly asSuperuser: (sql: string, database?: string) => ReadonlyArray<string>
  /** The process id of the server. */
  readonly pid: () => number
  /** The most bytes of a file that new sessions may write: more fails as on a full disk. */
  readonly limitFiles: (bytes: string) => void
  /** Stops at once, as in a crash, and keeps the data for `restart`. */
  readonly crash: () => void
  readonly restart: () => void
  readonly stop: () => void
}

/** Starts a new, empty server in a temporary folder, in memory unless `isOnDisk`. */
export const debianPostgres = async ({
  fsync = "off",
  isOnDisk = false,
  settings = {},
}: {
  readonly fsync?: string
  readonly isOnDisk?: boolean
  /** Additional settings of the server. */
  readonly settings?: Readonly<Record<string, string>>
} = {}): Promise<DebianPostgres> => {
  const folder = isOnDisk ? mkdtempSync(join(tmpdir(), "parley-debian-")) : folderInMemory("parley-test-debian-")
  chmodSync(folder, 0o755)
  noteOwner(folder)
  const data = join(folder, "postgres")
  const passwords = join(folder, "passwords")
  mkdirSync(data)
  writeFileSync(passwords, password)
  const port = await freePorts(1)
  const user = serverUser([bin, data])
  user.own([folder])
  const runAsServer = (file: string, args: ReadonlyArray<string>) => {
    const [command, all] = user.command(file, args)
    execFileSync(command, all, { ...user.credentials, cwd: "/", stdio: "ignore" })
  }
  const run = (file: string, args: ReadonlyArray<string>) => runAsServer(join(bin, file), args)
  run("initdb", [
    ...["-D", data, "-U", "postgres", "-A", "scram-sha-256", `--pwfile=${passwords}`, "-E", "UTF8"],
    ...["--locale=C", "--no-sync"],
  ])
  const more = Object.entries(settings)
    .map(([name, value]) => ` -c ${name}=${value}`)
    .join("")
  const startServer = () =>
    run("pg_ctl", [
      ...["start", "-w", "-D", data, "-l", join(folder, "log")],
      ...["-o", `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=${fsync}${more}`],
    ])
  const pid = () => Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0])
  const crash = () => run("pg_ctl", ["stop", "-m", "immediate", "-w", "-D", data])
  startServer()
  const env = (role: string) => ({
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    PGHOST: "127.0.0.1",
    PGPORT: String(port),
    PGUSER: role,
    PGPASSWORD: password,
  })
  const asSuperuser = (sql: string, database = "postgres") =>
    execFileSync(join(bin, "psql"), ["-qAtX", "-v", "ON_ERROR_STOP=1", "-c", sql, database], {
      env: env("postgres"),
      encoding: "utf8",
    })
      .split("\n")
      .filter((line) => line !== "")
  asSuperuser(documented("role").replace("…", password))
  return {
    url: `postgres://parley:${password}@127.0.0.1:${port}/parley`,
    env: env("parley"),
    asSuperuser,
    pid,
    limitFiles: (bytes) => runAsServer("/usr/bin/prlimit", [`--pid=${pid()}`, `--fsize=${bytes}:`]),
    crash,
    restart: startServer,
    stop: () => {
      crash()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
