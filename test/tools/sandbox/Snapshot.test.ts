/** The snapshot that interpreters start from: made once, whole, and trusted only if no other user can have written it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { chmodSync, copyFileSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Sandbox } from "../../../src/tools/sandbox/Sandbox.ts"
import { sandboxLayer } from "../../support/PythonSandbox.ts"

const emptyFolder = () => mkdtempSync(join(tmpdir(), "parley-snapshot-"))
const job = { code: "def tool(arguments, context):\n  return 2\n", arguments: {}, context: {} }
const runIn = (folder: string) =>
  Sandbox.use(({ run }) => run(job)).pipe(Effect.provide(sandboxLayer("webassembly", { PARLEY_DATA_DIR: folder })))

describe("the snapshot of Python on WebAssembly", () => {
  const kept = emptyFolder()
  const only = (folder: string) => {
    const [name = "", ...others] = readdirSync(join(folder, "python"))
    assert.deepStrictEqual(others, [])
    return join(folder, "python", name)
  }

  it.live("is one read-only file in the data folder, also when two processes make it at once", () =>
    Effect.gen(function* () {
      const results = yield* Effect.all([runIn(kept), runIn(kept)], { concurrency: 2 })
      assert.deepStrictEqual(
        results.map(({ result }) => result),
        [2, 2],
      )
      assert.strictEqual(statSync(only(kept)).mode & 0o777, 0o400)
    }),
  )
  it.live("is not made again", () =>
    Effect.gen(function* () {
      const before = statSync(only(kept)).ino
      yield* runIn(kept)
      assert.strictEqual(statSync(only(kept)).ino, before)
    }),
  )
  it.live("is made anew when it was changed", () =>
    Effect.gen(function* () {
      const file = only(kept)
      const bytes = readFileSync(file)
      bytes.writeUInt8(bytes.readUInt8(1_000_000) ^ 1, 1_000_000)
      chmodSync(file, 0o600)
      writeFileSync(file, bytes)
      assert.strictEqual((yield* runIn(kept)).result, 2)
      assert.isFalse(readFileSync(file).equals(bytes))
    }),
  )
  it.live("is made anew when others could have written it, and those of other versions go", () =>
    Effect.gen(function* () {
      const file = only(kept)
      copyFileSync(file, join(kept, "python", "0123456789abcdef.snapshot"))
      chmodSync(file, 0o666)
      yield* runIn(kept)
      assert.strictEqual(statSync(only(kept)).mode & 0o777, 0o400)
    }),
  )
  it.live("does without the data folder", () =>
    Effect.gen(function* () {
      const folder = emptyFolder()
      writeFileSync(join(folder, "python"), "in the way")
      assert.strictEqual((yield* runIn(folder)).result, 2)
    }),
  )
})
