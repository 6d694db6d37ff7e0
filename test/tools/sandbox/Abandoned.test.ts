/** The processes of tools, seen from outside: as which user they run, and that none outlives its server. */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { sandboxesHere } from "../../support/PythonSandbox.ts"
import { until } from "../../support/Until.ts"

const childrenOf = (pid: number): ReadonlyArray<number> => {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim()
  return children === "" ? [] : children.split(" ").flatMap((child) => [Number(child), ...childrenOf(Number(child))])
}

/** A process that its parent has not waited for yet has ended too. */
const hasEnded = (pid: number): boolean => {
  try {
    return /^State:\s+[ZX]/mu.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return true
  }
}

/** A server of two tools: one computes, one sleeps. */
const begin = async (kind: string) => {
  const server = spawn(process.execPath, ["--no-warnings", "test/tools/sandbox/abandoned.ts", kind], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  let said = ""
  server.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()))
  await until(() => said.includes("both run"))
  const closed = once(server, "close")
  const end = async () => {
    server.kill("SIGKILL")
    await closed
  }
  return { processes: childrenOf(server.pid ?? 0).filter((pid) => !hasEnded(pid)), end }
}

describe.runIf(process.platform === "linux").each(sandboxesHere)("in the sandbox of %s", (kind) => {
  let server: Awaited<ReturnType<typeof begin>>
  beforeAll(async () => {
    server = await begin(kind)
  })
  afterAll(() => server.end())

  it.runIf(process.getuid?.() === 0)("a server of root runs no process as root, nor as the database's user", () => {
    const users = server.processes.map((pid) => /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])
    assert.deepEqual([...new Set(users)], ["65533"])
  })

  it("tools that compute, tools that sleep and processes that wait end when the server is killed", async () => {
    assert.isAbove(server.processes.length, 2)
    assert.isFalse(server.processes.some(hasEnded))
    await server.end()
    await until(() => server.processes.every(hasEnded))
  })
})
