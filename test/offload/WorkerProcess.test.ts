/** The processes for costly work begin with the first job and end with the server, however it ends. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { WorkerProcess } from "../../src/offload/WorkerProcess.ts"
import { emptyFolder } from "../support/Process.ts"
import { until } from "../support/Until.ts"
import { jobOf, tellPid } from "./Jobs.ts"

/** A process without a parent that asks for its end stays as a zombie, which does nothing. */
const hasEnded = (pid: number): boolean => {
  try {
    return / \(.*\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return true
  }
}

describe("a process for costly work", () => {
  it("ends with the server that is killed, in the middle of a job that never ends", async () => {
    const told = join(emptyFolder(), "worker")
    const server = spawn(process.execPath, [join(import.meta.dirname, "abandoned.ts"), told], { stdio: "inherit" })
    await until(() => existsSync(told) && readFileSync(told, "utf8") !== "")
    const worker = Number(readFileSync(told, "utf8"))
    assert.isFalse(hasEnded(worker))
    server.kill("SIGKILL")
    await once(server, "close")
    await until(() => hasEnded(worker))
  })

  it("that is killed while it waits for work loses no job", async () => {
    const worker = new WorkerProcess()
    const { module, work } = jobOf(tellPid)
    const ask = () => Effect.runPromise(worker.ask({ module, name: work.name, input: "null" }))
    const first = Number(await ask())
    process.kill(first, "SIGKILL")
    // The server has not heard of the end yet.
    const second = Number(await ask())
    assert.notStrictEqual(second, first)
    process.kill(second, "SIGKILL")
    await until(() => hasEnded(second))
    assert.notStrictEqual(Number(await ask()), second)
  })
})
