/** nginx from Debian, with a configuration of ops/ in front of a test's processes. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "./FreePorts.ts"
import { until } from "./Until.ts"

const program = ["/usr/sbin/nginx", "/usr/bin/nginx"].find((path) => existsSync(path)) ?? "nginx"

/** Why nginx cannot run on this machine. Undefined if it can. */
export const nginxFault = spawnSync(program, ["-v"]).error === undefined ? undefined : "nginx is not installed"

const configuration = "ops/compose/nginx.conf"

const folderOfItsOwn = () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-nginx-"))
  chmodSync(folder, 0o755)
  return folder
}

const argsFor = (file: string, folder: string) => [
  ...["-p", folder, "-c", file, "-e", join(folder, "error.log")],
  ...["-g", `daemon off; pid ${join(folder, "nginx.pid")};`],
]

/** What nginx says about the configuration as it is. Empty if it accepts it. */
export const faultsOfNginx = (): string => {
  const folder = folderOfItsOwn()
  const { status, stderr } = spawnSync(program, ["-t", ...argsFor(join(process.cwd(), configuration), folder)], {
    encoding: "utf8",
  })
  rmSync(folder, { recursive: true, force: true })
  return status === 0 ? "" : stderr
}

/** Starts nginx in front of the processes at these three ports. */
export const nginx = (ports: readonly [number, number, number]) =>
  run(
    configuration,
    ports.map((port, at) => [`172.28.0.${11 + at}:3000`, port]),
  )

/** Starts nginx in front of two cells, with one process each at these ports and another that is not there. */
export const nginxOfCells = async (ports: { readonly platform: number; readonly pg2: number }, cellsMap: string) =>
  run(
    "ops/cells/nginx.conf",
    [
      ["172.28.1.11:3000", ports.platform],
      ["172.28.1.12:3000", await freePort()],
      ["172.28.2.11:3000", await freePort()],
      ["172.28.2.12:3000", ports.pg2],
    ],
    cellsMap,
  )

/** `places`: the addresses of the configuration, and the ports that stand for them. */
const run = async (from: string, places: ReadonlyArray<readonly [string, number]>, cellsMap = "") => {
  const folder = folderOfItsOwn()
  const port = await freePort()
  let text = readFileSync(from, "utf8").replace("listen 8080;", `listen 127.0.0.1:${port};`)
  // In development, Parley answers to this host name alone, besides the address that stands for all cells.
  text = text.replace("pg2.parley.example", "localhost")
  for (const [address, to] of places) text = text.replace(address, `127.0.0.1:${to}`)
  const file = join(folder, "nginx.conf")
  const mapFile = join(folder, "cells.map")
  writeFileSync(file, text)
  writeFileSync(mapFile, cellsMap)
  const child = spawn(program, argsFor(file, folder), { stdio: "ignore" })
  await until(
    () =>
      child.exitCode !== null ||
      new Promise<boolean>((resolve) => {
        const socket = connect(port, "127.0.0.1", () => resolve(socket.destroy() !== undefined))
        socket.once("error", () => resolve(false))
      }),
  )
  if (child.exitCode !== null) throw new Error(`nginx ended: ${readFileSync(join(folder, "error.log"), "utf8")}`)
  return {
    url: `http://127.0.0.1:${port}`,
    /** Gives nginx another map. It answers by that soon after. */
    reload: (cellsMap: string) => {
      writeFileSync(mapFile, cellsMap)
      child.kill("SIGHUP")
    },
    stop: async () => {
      child.kill("SIGTERM")
      await once(child, "close")
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
