/** Prometheus' own tool, which parses metrics and rules as Prometheus does. */
import { spawnSync } from "node:child_process"

/** Why promtool cannot run on this machine. Undefined if it can. */
export const promtoolFault =
  spawnSync("promtool", ["--version"]).error === undefined ? undefined : "promtool is not installed"

/** Runs promtool. Returns its output, and whether it accepted its input. */
export const promtool = (args: ReadonlyArray<string>, input = "") => {
  const { status, stderr, stdout } = spawnSync("promtool", args, { input, encoding: "utf8" })
  return { isAccepted: status === 0, said: `${stdout}${stderr}` }
}
