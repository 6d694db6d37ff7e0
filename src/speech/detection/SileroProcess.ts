/** Runs one Silero process from its start to its end. It never keeps the server's process alive. */
import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { killChild } from "../../offload/KillChild.ts"
import type { Batches } from "./Batches.ts"
import type { Message } from "./SileroProgram.ts"

const program = fileURLToPath(new URL("./SileroProgram.ts", import.meta.url))

/** A batch takes some milliseconds. A process that takes longer than this is stuck, and is replaced. */
const stuckMs = 2_000

/** Why a process ended. `isFinal`: another process would end in the same way. */
export interface Ended {
  readonly why: string
  readonly isFinal: boolean
}

/** Called when the process has loaded the model (`ready`), and with the milliseconds of each batch (`answered`). */
export interface Progress {
  readonly ready: () => void
  readonly answered: (ms: number) => void
}

const start = (): ChildProcess => {
  const child = fork(program, {
    cwd: "/",
    detached: true,
    env: {},
    execArgv: ["--max-old-space-size=64"],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  })
  child.unref()
  child.channel?.unref()
  return child
}

/** Runs a process for the batches until the process ends. An interruption ends it. */
export const run = (batches: Batches, { answered, ready }: Progress): Effect.Effect<Ended> =>
  Effect.callback<Ended>((resume) => {
    const child = start()
    const end = (ended: Ended) => {
      clearInterval(watch)
      batches.connect(null)
      child.removeAllListeners()
      // An error without a listener would end the server.
      child.on("error", () => {})
      killChild(child)
      resume(Effect.succeed(ended))
    }
    const watch = setInterval(() => {
      if (batches.owedMs > stuckMs) end({ why: `it has owed an answer for ${stuckMs} ms`, isFinal: false })
    }, stuckMs / 4).unref()
    child.on("message", (message: Message) => {
      if (message.kind === "unavailable") return end({ why: message.why, isFinal: true })
      if (message.kind === "answer") return answered(batches.answer(message.answer))
      // A failed send is followed by the exit of the process.
      batches.connect((batch) => void child.send(batch, () => {}))
      ready()
    })
    child.on("error", (cause) => end({ why: cause.message, isFinal: false }))
    child.on("exit", (code, signal) => end({ why: `it ended with ${signal ?? code}`, isFinal: false }))
    return Effect.sync(() => end({ why: "", isFinal: true }))
  })
