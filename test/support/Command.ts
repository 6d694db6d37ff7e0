/** The `parley` command as an operator runs it, in its own process. */
import { spawn } from "node:child_process"

export interface Answer {
  /** The exit code, or the signal that ended the process. */
  readonly code: number | NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

/** `env` is the whole environment of the process. `killAfter` is the milliseconds until SIGKILL. */
export const command = (
  env: Readonly<Record<string, string>>,
  args: ReadonlyArray<string>,
  killAfter?: number,
): Promise<Answer> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, ["src/parley.ts", ...args], {
      env: { PATH: process.env["PATH"] ?? "", NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    })
    const said = { out: "", err: "" }
    child.stdout.on("data", (chunk: Buffer) => (said.out += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => (said.err += chunk.toString()))
    const killer = killAfter === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfter)
    child.once("close", (code, signal) => {
      clearTimeout(killer)
      resolve({ code: code ?? signal, ...said })
    })
  })
