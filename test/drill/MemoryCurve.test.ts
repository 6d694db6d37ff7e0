import { assert, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { heldBy, inspectorPort } from "../bench/support/Inspector.ts"
import { until } from "../support/Until.ts"
import { environment, megabytesAnHour } from "./MemoryCurve.ts"

const minute = 60_000
const megabyte = 2 ** 20

it("the growth of memory is the slope of its readings, for each hour", () => {
  const readings = Array.from({ length: 10 }, (_, at) => ({ at: at * 5 * minute, bytes: (50 + at) * megabyte }))
  assert.closeTo(megabytesAnHour(readings), 12, 1e-9)
})

it("the live heap of a process has what it holds and not its garbage", async () => {
  const program = `
    const held = []
    const make = (megabytes) => Array.from({ length: megabytes }, () => new Array(${megabyte / 8}).fill(0.5))
    process.on("message", () => { held.push(...make(40)); make(40); process.send("made") })
    process.send("ready")`
  const child = spawn(process.execPath, ["-e", program], {
    env: environment,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  })
  let said = ""
  child.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()))
  try {
    await once(child, "message")
    await until(() => said.includes("Debugger listening"))
    const before = await heldBy(inspectorPort(said))
    child.send("make")
    await once(child, "message")
    const grown = (await heldBy(inspectorPort(said))) - before
    assert.isAtLeast(grown, 40 * megabyte)
    assert.isBelow(grown, 60 * megabyte)
  } finally {
    child.kill("SIGKILL")
  }
})
