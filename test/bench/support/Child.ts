/** A process of a benchmark: started, ready when it prints so, measured through /proc, and ended with the benchmark. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"

export const repository = join(import.meta.dirname, "../../..")

export interface Child {
  readonly pid: number
  readonly url: string
  /** Milliseconds from the spawn to the line that says it is ready. */
  readonly readyAfterMs: number
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>
}

const living = new Set<ChildProcess>()
process.on("exit", () => living.forEach((child) => child.kill("SIGKILL")))

/** Runs a script of this repository with this Node until it prints `… is ready at <url>`. */
export const start = async (
  script: string,
  options: {
    readonly args?: ReadonlyArray<string>
    readonly env?: Record<string, string>
    readonly node?: ReadonlyArray<string>
  } = {},
): Promise<Child> => {
  const began = performance.now()
  const child = spawn(process.execPath, [...(options.node ?? []), join(repository, script), ...(options.args ?? [])], {
    cwd: repository,
    env: { ...process.env, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  living.add(child)
  let complaints = ""
  child.stderr.on("data", (chunk) => (complaints = `${complaints}${chunk}`.slice(-4000)))
  const exited = once(child, "exit").then(() => living.delete(child))
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on("line", (line) => {
      const [, at] = /is ready at (http:\S+)/.exec(line) ?? []
      if (at !== undefined) resolve(at)
    })
    void exited.then(() => reject(new Error(`${script} ended before it was ready:\n${complaints}`)))
  })
  const readyAfterMs = performance.now() - began
  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    await exited
  }
  return { pid: child.pid ?? 0, url, readyAfterMs, stop }
}

/** Runs a script to its end, and parses the line of JSON that it prints. */
export const ask = async <A>(script: string, question: object, node: ReadonlyArray<string> = []): Promise<A> => {
  const child = spawn(process.execPath, [...node, join(repository, script), JSON.stringify(question)], {
    cwd: repository,
    stdio: ["ignore", "pipe", "inherit"],
  })
  living.add(child)
  let text = ""
  child.stdout.on("data", (chunk) => (text += chunk))
  const [code] = await once(child, "close")
  living.delete(child)
  if (code !== 0) throw new Error(`${script} ended with ${code}`)
  return JSON.parse(text)
}

/** Resident memory in bytes: the present value, and the peak since the process began or since `watchPeak`. */
export const memoryOf = (pid: number): { readonly now: number; readonly peak: number } => {
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0)
  return { now: kilobytes("VmRSS") * 1024, peak: kilobytes("VmHWM") * 1024 }
}

/** Starts measuring. The returned function gives the bytes by which the peak exceeds the present memory. */
export const watchPeak = (pid: number): (() => number) => {
  // "5" makes the kernel reset the peak.
  writeFileSync(`/proc/${pid}/clear_refs`, "5")
  const before = memoryOf(pid).now
  return () => memoryOf(pid).peak - before
}

/** Seconds of processor time that all threads of the process have used. The kernel counts in hundredths. */
export const cpuOf = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  const [, user = "0", system = "0"] = /\) (?:\S+ ){11}(\d+) (\d+)/.exec(stat) ?? []
  return (Number(user) + Number(system)) / 100
}
