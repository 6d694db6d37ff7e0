/** Parley as a separate process, as `npm start` runs it, in a temporary folder. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync } from "node:fs"
import { setPriority, tmpdir } from "node:os"
import { join } from "node:path"

export interface Process {
  readonly child: ChildProcess
  /** Its output so far. */
  readonly said: () => string
  /** The URL in the line that says it is ready. Rejects if the process ends before. */
  readonly ready: Promise<string>
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>
}

/** False until the process has exited, also while it stops. */
export const hasEnded = ({ child }: Process): boolean => child.exitCode !== null || child.signalCode !== null

export const emptyFolder = () => mkdtempSync(join(tmpdir(), "parley-process-"))

export interface StartOptions {
  /** The root of another release to run. */
  readonly folder?: string
  /** Whether it competes with other processes as an equal. By default it yields to those under a telephone. */
  readonly isEqual?: boolean
}

/**
 * The niceness of what yields, and all it starts. A start takes more than a second of a core, in which a telephone of
 * a test beside it would lose what it hears.
 */
const yielding = 5

/** Lets a process that was just started, and all it will start, yield to the telephones of other tests. */
export const giveWay = ({ pid }: ChildProcess): void => {
  if (pid !== undefined) setPriority(pid, yielding)
}

/** `env` is the whole environment, besides PATH, a free port, the kind of voice detection and Node's compile cache. */
export const start = (env: Record<string, string>, { folder, isEqual = false }: StartOptions = {}): Process => {
  const child = spawn(process.execPath, ["src/main.ts"], {
    env: {
      PATH: process.env["PATH"] ?? "",
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
      PORT: "0",
      // The callers in tests speak in tones, which Silero does not recognise as a voice.
      PARLEY_VOICE_DETECTION: "level",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
    ...(folder === undefined ? {} : { cwd: folder }),
  })
  if (!isEqual) giveWay(child)
  let said = ""
  let isReady: (url: string) => void
  const line = new Promise<string>((resolve) => (isReady = resolve))
  const listen = (chunk: Buffer) => {
    said += chunk.toString()
    const [, url] = /Parley is ready at (http:[^\s"]+)/.exec(said) ?? []
    if (url !== undefined) isReady(url)
  }
  child.stdout.on("data", listen)
  child.stderr.on("data", listen)
  const ended = once(child, "close").then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals | null)
  const ready = Promise.race([
    line,
    ended.then((code) => Promise.reject(new Error(`It ended with ${code} before it was ready: ${said}`))),
  ])
  ready.catch(() => {})
  return { child, said: () => said, ready, ended }
}
