/** The sound of a recording that is uploaded to the object store while its account is exported. */
import { assert, it } from "@effect/vitest"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { soundAt } from "../../src/archive/ExportAccount.ts"

const sound = Buffer.from("the sound of a call")
async function* inTheStore() {
  yield sound
}

it("is read from the store, if its file is deleted after it was found", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "parley-sound-")), "call.wav")
  writeFileSync(file, sound)
  const found = await soundAt(file, async () => ({ size: sound.length, content: inTheStore() }))
  rmSync(file)
  assert.strictEqual(found?.size, sound.length)
  const pieces: Array<Buffer> = []
  for await (const piece of found?.content ?? []) pieces.push(piece)
  assert.deepStrictEqual(Buffer.concat(pieces), sound)
})
