/** nginx from Debian, with the configuration of ops/compose/nginx.conf in front of a test's processes. */
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
export const nginx = async (ports: readonly [number, number, number]) => {
  const folder = folderOfItsOwn()
  const port = await freePort()
  let text = readFileSync(configuration, "utf8").replace("listen 8080;", `listen 127.0.0.1:${port};`)
  for (const [at, to] of ports.entries()) text = text.replace(`172.28.0.${11 + at}:3000`, `127.0.0.1:${to}`)
  const file = join(folder, "nginx.conf")
  writeFileSync(file, text)
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
    stop: async () => {
      child.kill("SIGTERM")
      await once(child, "close")
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
