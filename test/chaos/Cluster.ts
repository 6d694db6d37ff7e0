/** The Parley processes of a chaos run: started, killed, frozen, terminated, restarted, and each event recorded. */
import { type ChildProcess, spawn } from "node:child_process"
import { createWriteStream, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { ProcessEvent, Recorder } from "./History.ts"

const repository = join(import.meta.dirname, "../..")
const compiled = join(repository, "node_modules/.cache/compiled")

interface Life {
  readonly child: ChildProcess
  readonly lab: string
  readonly exited: Promise<void>
  url: string | undefined
  frozen: boolean
  leaving: boolean
  /** True once it was killed, even if it has not exited yet. */
  dead: boolean
}

export interface Cluster {
  readonly size: number
  /** The URLs of the processes that answer. */
  readonly urls: () => ReadonlyArray<string>
  readonly isUp: (process: number) => boolean
  /** Starts a process, and restarts it whenever it dies, unless it was told to stay down. */
  readonly start: (process: number) => void
  readonly ready: (process: number) => Promise<void>
  readonly kill: (process: number, why: string) => void
  readonly freeze: (process: number) => void
  readonly thaw: (process: number) => void
  /**
   * Sends SIGTERM and waits for the exit. Returns the milliseconds it took. The process comes back unless `forGood`.
   */
  readonly leave: (process: number, forGood?: boolean) => Promise<number>
  /** The lab's log of every life of a process so far. */
  readonly labLogs: () => ReadonlyArray<{ readonly process: number; readonly pid: number; readonly text: string }>
  readonly stop: () => Promise<void>
}

export interface Settings {
  readonly size: number
  readonly folder: string
  readonly env: Record<string, string>
  /** Settings of one process, added to those of all. */
  readonly envOf: (process: number) => Record<string, string>
  readonly recorder: Recorder
  /** `CHAOS_CRASH` for the next life. Undefined for a life without a crash point, which runs the server as shipped. */
  readonly crashPoint: () => string | undefined
  /** Milliseconds that a dead process stays away. */
  readonly absenceMs: () => number
}

const all = new Set<ChildProcess>()
process.on("exit", () => all.forEach((child) => child.kill("SIGKILL")))

export const make = ({ absenceMs, crashPoint, env, envOf, folder, recorder, size }: Settings): Cluster => {
  const lives: Array<Life | undefined> = Array.from({ length: size }, () => undefined)
  const logs: Array<{ process: number; pid: number; file: string }> = []
  let over = false

  const tell = (event: ProcessEvent["event"], of: number, child: ChildProcess, more: Partial<ProcessEvent> = {}) =>
    recorder.add({ t: "process", event, process: of, pid: child.pid ?? 0, at: Date.now(), ...more })

  const begin = (of: number) => {
    if (over) return
    const crash = crashPoint()
    const lab = join(folder, `lab-${of}-${logs.length}.jsonl`)
    const program = crash === undefined ? "src/main.ts" : "test/chaos/parley.ts"
    const child = spawn(process.execPath, [join(repository, program)], {
      cwd: repository,
      env: {
        PATH: process.env["PATH"] ?? "",
        PORT: "0",
        // The called parties speak in tones, which Silero does not recognise as a voice.
        PARLEY_VOICE_DETECTION: "level",
        ...env,
        ...envOf(of),
        PARLEY_DATA_DIR: join(folder, `data-${of}`),
        LAB_LOG: lab,
        // A start from the sources takes 2.5 s of a core with this cache, and 3.2 s without. The build takes 1.3 s.
        ...(crash === undefined ? {} : { CHAOS_CRASH: crash, NODE_COMPILE_CACHE: compiled }),
      },
      stdio: ["ignore", "pipe", "pipe"],
    })
    all.add(child)
    logs.push({ process: of, pid: child.pid ?? 0, file: lab })
    tell("start", of, child, crash === undefined ? {} : { why: crash })
    const words = createWriteStream(join(folder, `parley-${of}.log`), { flags: "a" })
    let said = ""
    const hear = (chunk: Buffer) => {
      words.write(chunk)
      if (life.url !== undefined || life.dead) return
      said += chunk.toString()
      const [, url] = /Parley is ready at (http:[^\s"]+)/.exec(said) ?? []
      if (url === undefined) return
      life.url = url
      tell("ready", of, child)
    }
    child.stdout.on("data", hear)
    child.stderr.on("data", hear)
    const exited = new Promise<void>((resolve) => {
      child.once("exit", (code, signal) => {
        all.delete(child)
        life.dead = true
        life.url = undefined
        tell("exit", of, child, { code: code ?? signal, ...(crash === undefined ? {} : { why: crash }) })
        if (lives[of] === life) {
          lives[of] = undefined
          setTimeout(() => begin(of), absenceMs())
        }
        resolve()
      })
    })
    const life: Life = { child, lab, exited, url: undefined, frozen: false, leaving: false, dead: false }
    lives[of] = life
  }

  const ready = async (of: number) => {
    while (lives[of]?.url === undefined) await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const kill: Cluster["kill"] = (of, why) => {
    const life = lives[of]
    if (life === undefined) return
    tell("kill", of, life.child, { why })
    life.dead = true
    life.url = undefined
    life.child.kill("SIGKILL")
  }
  const thaw: Cluster["thaw"] = (of) => {
    const life = lives[of]
    if (life === undefined || !life.frozen) return
    tell("continue", of, life.child)
    life.child.kill("SIGCONT")
    life.frozen = false
  }
  const leave: Cluster["leave"] = async (of, forGood = false) => {
    const life = lives[of]
    if (life === undefined) return 0
    thaw(of)
    life.leaving = true
    if (forGood) lives[of] = undefined
    const asked = Date.now()
    tell("term", of, life.child)
    life.child.kill("SIGTERM")
    await life.exited
    return Date.now() - asked
  }
  return {
    size,
    urls: () =>
      lives.flatMap((life) =>
        life === undefined || life.url === undefined || life.frozen || life.leaving ? [] : [life.url],
      ),
    isUp: (of) => lives[of]?.url !== undefined && lives[of]?.frozen === false && lives[of]?.leaving === false,
    start: begin,
    ready,
    kill,
    freeze: (of) => {
      const life = lives[of]
      if (life === undefined || life.frozen || life.leaving) return
      life.frozen = true
      tell("pause", of, life.child)
      life.child.kill("SIGSTOP")
    },
    thaw,
    leave,
    labLogs: () =>
      logs.map(({ file, pid, process }) => ({
        process,
        pid,
        text: existsSync(file) ? readFileSync(file, "utf8") : "",
      })),
    stop: async () => {
      over = true
      await Promise.all(lives.map((_, of) => leave(of, true)))
    },
  }
}
