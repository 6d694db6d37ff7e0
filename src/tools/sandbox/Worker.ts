/** One sandbox process for one job: started before the job exists, ended after it in any case. */
import { type ChildProcess, spawn } from "node:child_process"
import { Readable, Writable } from "node:stream"
import { Data, Effect, Result, Schema } from "effect"
import { killChild } from "../../offload/KillChild.ts"
import * as ResultText from "../ResultText.ts"
import { ToolFailed } from "../ToolRunner.ts"

/** The most that a tool may print; a tool that prints more is ended, since reading on would cost the server. */
const mostPrinted = 64 * 1024
/** The worker's own limit on a result, plus room for its frame. Longer output is not a result. */
const mostAnswered = 1024 * 1024 + 4096
const resultDescriptor = 3
const fourthDescriptor = 4

/**
 * The user that the sandboxes run as when Parley is root: not nobody, which owns the embedded server's files and
 * processes. systemd's documentation of user ids lists 65520 to 65533 as unused, and a rootless container, which maps
 * 65,536 ids, has it.
 */
export const sandboxUser = { uid: 65_533, gid: 65_533 }

/** How a process is started. It answers on descriptor 3. */
export interface Command {
  readonly file: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly credentials: { readonly uid?: number; readonly gid?: number }
  /** The contents of descriptor 4: bytes, or an open file. */
  readonly fourth: Uint8Array | number
}

export interface Job {
  readonly code: string
  readonly arguments: Schema.JsonObject
  readonly context: Schema.JsonObject
}

export interface Finished {
  readonly result: Schema.Json
  readonly logs: ReadonlyArray<string>
}

/** The job was not begun: there is no sandbox, or its process died before. */
export class WorkerFailed extends Data.TaggedError("WorkerFailed")<{ readonly why: string }> {
  override get message() {
    return this.why
  }
}

export interface Worker {
  /** May be called once. */
  readonly run: (job: Job) => Effect.Effect<Finished, ToolFailed>
  readonly isAlive: () => boolean
  /** Ends every process of the sandbox: this one is the first of its namespace, or the only one. */
  readonly kill: () => void
}

/** Succeeds when Python is up and its limits are set. */
export const start = (command: Command) =>
  Effect.callback<Worker, WorkerFailed>((resume) => {
    const process = spawnLocked(command)
    const kill = () => killChild(process)
    const printed = new Printed(mostPrinted, kill)
    process.stdout?.on("data", printed.add)
    process.stderr?.on("data", printed.add)
    const result = pipesOf(process)[resultDescriptor]

    const answer: Array<Buffer> = []
    let answered = 0
    const fail = (why: string) => resume(Effect.fail(new WorkerFailed({ why })))
    process.once("error", (error) => fail(error.message))
    process.once("close", (code) => fail(printed.lines().at(-1) ?? `the sandbox ended with ${code}`))
    if (!(result instanceof Readable)) return fail("the server has no free file descriptor for the sandbox")
    result.once("data", () => {
      result.on("data", (chunk: Buffer) => {
        answered += chunk.length
        if (answered > mostAnswered) kill()
        else answer.push(chunk)
      })
      resume(
        Effect.succeed({
          run: (job) => run(process, job, printed, () => (answered > mostAnswered ? null : Buffer.concat(answer))),
          isAlive: () => process.exitCode === null && process.signalCode === null,
          kill,
        }),
      )
    })
    return Effect.sync(kill)
  })

/** Spawns the command without the server's environment, which could be read inside the sandbox. */
export const spawnLocked = ({ args, credentials, env, file, fourth }: Command) => {
  const isFile = typeof fourth === "number"
  const process = spawn(file, args, {
    ...credentials,
    env,
    cwd: "/",
    stdio: ["pipe", "pipe", "pipe", "pipe", isFile ? fourth : "pipe"],
  })
  // A process that has exited takes no input; its exit status is the report.
  for (const pipe of pipesOf(process)) pipe?.on("error", () => {})
  const pipe = pipesOf(process)[fourthDescriptor]
  if (!isFile && pipe instanceof Writable) pipe.end(fourth)
  return process
}

/** The process's pipes. Without a free descriptor Node makes none, whatever its types say, and reports an `error`. */
export const pipesOf = (process: ChildProcess): ReadonlyArray<Readable | Writable | null | undefined> =>
  (process.stdio as ChildProcess["stdio"] | undefined) ?? []

const run = (process: ChildProcess, job: Job, printed: Printed, answer: () => Buffer | null) =>
  Effect.callback<Finished, ToolFailed>((resume) => {
    process.once("close", (_, signal) => resume(verdict(answer(), printed, signal)))
    process.stdin?.end(JSON.stringify(job))
    return Effect.sync(() => killChild(process))
  })

const Answer = Schema.Union([
  Schema.Struct({ result: Schema.Json }),
  Schema.Struct({ error: Schema.Struct({ code: Schema.String, message: Schema.String }) }),
])
const decodeAnswer = Schema.decodeUnknownResult(Answer)

const verdict = Effect.fnUntraced(function* (
  answer: Buffer | null,
  printed: Printed,
  signal: NodeJS.Signals | null,
): Effect.fn.Return<Finished, ToolFailed> {
  const logs = printed.lines()
  const failed = (code: string, reason: string) => new ToolFailed({ code, reason, logs })
  if (printed.isFlooded) return yield* failed("output_too_large", `The tool printed more than ${mostPrinted} bytes`)
  if (answer === null) return yield* failed("result_too_large", `The tool returned more than 1048576 bytes`)
  const decoded = decodeAnswer(yield* ResultText.read(answer.toString(), logs))
  if (Result.isFailure(decoded)) {
    return yield* failed(
      "tool_died",
      `The tool's process ended before it gave a result${signal === null ? "" : ` (${signal})`}`,
    )
  }
  const said = decoded.success
  return "error" in said ? yield* failed(said.error.code, said.error.message) : { result: said.result, logs }
})

/** The output of stdout and stderr, in the order of arrival. */
class Printed {
  #chunks: Array<Buffer> = []
  #length = 0
  isFlooded = false
  readonly #most: number
  readonly #flooded: () => void

  constructor(most: number, flooded: () => void) {
    this.#most = most
    this.#flooded = flooded
  }

  readonly add = (chunk: Buffer) => {
    if (this.isFlooded) return
    this.#chunks.push(chunk.subarray(0, this.#most - this.#length))
    this.#length += chunk.length
    this.isFlooded = this.#length > this.#most
    if (this.isFlooded) this.#flooded()
  }

  readonly lines = (): ReadonlyArray<string> => {
    const text = Buffer.concat(this.#chunks).toString()
    return text === "" ? [] : text.replace(/\n$/u, "").split("\n")
  }
}
