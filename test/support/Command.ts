/** The `parley` command as an operator runs it, in its own process. */
import { type ChildProcess, spawn } from "node:child_process"

export interface Answer {
  /** The exit code, or the signal that ended the process. */
  readonly code: number | NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

/** A command that may still run. */
export interface Running {
  readonly child: ChildProcess
  readonly answer: Promise<Answer>
}

/** `env` is the whole environment of the process, `folder` the root of another release to run. */
export const begin = (
  env: Readonly<Record<string, string>>,
  args: ReadonlyArray<string>,
  folder = process.cwd(),
): Running => {
  const child = spawn(process.execPath, ["src/parley.ts", ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  const said = { out: "", err: "" }
  child.stdout.on("data", (chunk: Buffer) => (said.out += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => (said.err += chunk.toString()))
  const answer = new Promise<Answer>((resolve) => {
    child.once("close", (code, signal) => resolve({ code: code ?? signal, ...said }))
  })
  return { child, answer }
}

/** As `begin`, until it has ended. `killAfter` is the milliseconds until SIGKILL. */
export const command = async (
  env: Readonly<Record<string, string>>,
  args: ReadonlyArray<string>,
  killAfter?: number,
): Promise<Answer> => {
  const { answer, child } = begin(env, args)
  const killer = killAfter === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfter)
  return answer.finally(() => clearTimeout(killer))
}
