/** Processes that cannot be started: the server and the pool go on. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import type { Finished, Worker } from "../../../src/tools/sandbox/Worker.ts"
import * as WorkerPool from "../../../src/tools/sandbox/WorkerPool.ts"

const job = { code: "", arguments: {}, context: {} }
const finished: Finished = { result: 1, logs: [] }
const worker: Worker = { run: () => Effect.succeed(finished), isAlive: () => true, kill: () => undefined }

/** Opens files until no descriptor is left, and then starts a sandbox. */
const program = `
  import { openSync } from "node:fs"
  import { Effect } from "effect"
  import { start } from "./src/tools/sandbox/Worker.ts"
  try { while (true) openSync("/dev/null") } catch {}
  const command = { file: "/bin/true", args: [], env: {}, credentials: {}, fourth: new Uint8Array() }
  const { why } = await Effect.runPromise(Effect.flip(start(command)))
  setTimeout(() => process.stdout.write(why), 50)`

describe("a sandbox that cannot be started", () => {
  it("does not end the server when no file descriptor is free", async () => {
    const node = [process.execPath, "--no-warnings", "--input-type=module", "--eval", program]
    const { stdout } = await promisify(execFile)("/bin/sh", ["-c", 'ulimit -n 128 && exec "$@"', "sh", ...node])
    assert.strictEqual(stdout, "the server has no free file descriptor for the sandbox")
  })

  it.effect("does not stop the pool when the start throws", () =>
    Effect.gen(function* () {
      let starts = 0
      const start = Effect.sync(() => {
        if (starts++ === 0) throw new Error("spawn ENOMEM")
        return worker
      })
      const pool = yield* WorkerPool.make({ name: "bubblewrap", prepare: Effect.void, start, spare: 1 })
      assert.strictEqual((yield* Effect.flip(pool.run(job))).message, "spawn ENOMEM")
      assert.deepStrictEqual(yield* pool.run(job), finished)
    }),
  )
})
