/** PgBouncer from Debian, in front of a test's PostgreSQL. */
import { spawn, spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { serverUser } from "../../src/tenancy/ServerUser.ts"
import { freePorts } from "./FreePorts.ts"
import { until } from "./Until.ts"

const program = ["/usr/sbin/pgbouncer", spawnSync("sh", ["-c", "command -v pgbouncer"], { encoding: "utf8" }).stdout]
  .map((path) => path.trim())
  .find((path) => path !== "" && existsSync(path))

/** Why PgBouncer cannot run on this machine. Undefined if it can. */
export const pgbouncerFault = program === undefined ? "PgBouncer is not installed" : undefined

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket.destroy() !== undefined))
    socket.once("error", () => resolve(false))
  })

/** Starts a PgBouncer for the server of `url`, as its user. Returns the URL to connect to. */
export const pgbouncer = async (url: string, settings: ReadonlyArray<string>) => {
  const folder = mkdtempSync(join(tmpdir(), "parley-pgbouncer-"))
  chmodSync(folder, 0o755)
  const port = await freePorts(1)
  const { hostname, password, pathname, port: serverPort, username } = new URL(url)
  const file = join(folder, "pgbouncer.ini")
  writeFileSync(
    file,
    [
      "[databases]",
      `* = host=${hostname} port=${serverPort} user=${username} password=${password}`,
      "[pgbouncer]",
      ...["listen_addr = 127.0.0.1", `listen_port = ${port}`, "unix_socket_dir =", "auth_type = any"],
      ...settings,
    ].join("\n"),
  )
  const user = serverUser([folder])
  user.own([folder])
  const [command, args] = user.command(program ?? "pgbouncer", [file])
  const child = spawn(command, args, { ...user.credentials, cwd: "/", stdio: "ignore" })
  await until(() => isOpen(port))
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${port}${pathname}`,
    stop: () => {
      child.kill("SIGKILL")
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
