/** Prometheus' own tool, which reads metrics and rules as Prometheus does. */
import { spawnSync } from "node:child_process"

/** Why there is no promtool here; undefined where there is. */
export const promtoolFault =
  spawnSync("promtool", ["--version"]).error === undefined ? undefined : "promtool is not installed"

/** What promtool says of it, and whether it accepts it. */
export const promtool = (args: ReadonlyArray<string>, input = "") => {
  const { status, stderr, stdout } = spawnSync("promtool", args, { input, encoding: "utf8" })
  return { isAccepted: status === 0, said: `${stdout}${stderr}` }
}
