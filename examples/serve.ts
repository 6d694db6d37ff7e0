/**
 * Starts the real server as a separate process with a temporary folder, on an embedded PostgreSQL there unless the settings
 * name another one.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"

export interface Server {
  readonly url: string
  /** Rejects when the process ends, with the reason. */
  readonly ended: Promise<never>
  /** The last lines of its log. */
  readonly said: () => string
  /** Drains the server, waits for its end, and removes the folder. */
  readonly stop: () => Promise<void>
  /** Kills the process without a warning, as a crash would. */
  readonly kill: () => Promise<void>
}

const root = join(import.meta.dirname, "..")
/** Milliseconds. A first start creates a PostgreSQL, which takes a second or two, and more on a busy machine. */
const longestStart = 60_000
const longestDrain = 30_000

/** Starts the server. `stopped` aborts when the user presses Ctrl-C, which may happen at any moment. */
export const serve = async (settings: Record<string, string>, stopped: AbortSignal): Promise<Server> => {
  const folder = await mkdtemp(join(tmpdir(), "parley-demo-"))
  const { DATABASE_URL: _elsewhere, ...env } = process.env
  const server = spawn(process.execPath, ["src/main.ts"], {
    cwd: root,
    env: { ...env, HOST: "127.0.0.1", PORT: "0", PARLEY_ENV: "development", PARLEY_DATA_DIR: folder, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
    // In its own process group: Ctrl-C reaches only this process, which then stops the server in an orderly way.
    detached: true,
  })
  stopped.addEventListener("abort", () => server.kill("SIGTERM"))
  // The server must not outlive this process.
  process.once("exit", () => server.kill("SIGTERM"))
  const exit = once(server, "close")

  // Read everything, or the pipes would fill up. The last lines explain why the server ended.
  const output: Array<string> = []
  const ready = new Promise<string>((resolve) => {
    const hear = (line: string) => {
      if (output.push(line) > 20) output.shift()
      const url = /^Parley is ready at (http:\S+)/.exec(line)?.[1]
      if (url !== undefined) resolve(url)
    }
    for (const input of [server.stdout, server.stderr] satisfies Array<Readable>)
      createInterface({ input }).on("line", hear)
  })

  const said = () => output.map((line) => `\n  ${line}`).join("")
  const ended = exit.then(([code, signal]): never => {
    throw new Error(`The server ended ${signal === null ? `with code ${code}` : `by ${signal}`}.${said()}`)
  })
  // Callers that wait for it get the error. If none waits, the server was told to stop.
  ended.catch(() => undefined)

  const stop = async () => {
    const giveUp = setTimeout(() => server.kill("SIGKILL"), longestDrain)
    server.kill("SIGTERM")
    await exit
    clearTimeout(giveUp)
    await rm(folder, { recursive: true, force: true })
  }

  const kill = async () => {
    server.kill("SIGKILL")
    await exit
  }

  try {
    return { url: await Promise.race([ready, ended, tooLate()]), ended, said, stop, kill }
  } catch (cause) {
    await stop()
    throw cause
  }
}

const tooLate = () =>
  new Promise<never>((_, reject) => {
    const late = new Error(`The server was not ready after ${longestStart / 1000} s.`)
    setTimeout(() => reject(late), longestStart).unref()
  })
