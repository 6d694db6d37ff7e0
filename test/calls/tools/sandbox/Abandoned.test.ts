/** What becomes of tools whose server was killed: nothing of them lives on. */
import { assert, describe, it } from "vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { sandboxesHere } from "../../../support/PythonSandbox.ts"
import { until } from "../../../support/Until.ts"

const childrenOf = (pid: number): ReadonlyArray<number> => {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim()
  return children === "" ? [] : children.split(" ").flatMap((child) => [Number(child), ...childrenOf(Number(child))])
}

/** One that nobody has waited for yet has ended too. */
const hasEnded = (pid: number): boolean => {
  try {
    return /^State:\s+[ZX]/mu.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return true
  }
}

describe.runIf(process.platform === "linux").each(sandboxesHere)(
  "when a server is killed, in the sandbox of %s",
  (kind) => {
    it("tools that compute, tools that sleep and processes that wait end", async () => {
      const server = spawn(process.execPath, ["--no-warnings", "test/calls/tools/sandbox/abandoned.ts", kind], {
        stdio: ["ignore", "pipe", "inherit"],
      })
      let said = ""
      server.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()))
      await until(() => said.includes("both run"))
      const left = childrenOf(server.pid ?? 0)
      assert.isAbove(left.filter((pid) => !hasEnded(pid)).length, 2)
      server.kill("SIGKILL")
      await once(server, "close")
      await until(() => left.every(hasEnded))
    })
  },
)
