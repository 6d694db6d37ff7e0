import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { execFileSync } from "node:child_process"
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { EmbeddedPostgres } from "../../src/tenancy/EmbeddedPostgres.ts"

const isRoot = process.getuid?.() === 0

const folderOfMode = (mode: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "parley-embedded-"))
      chmodSync(folder, mode)
      return folder
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true })),
  )

/** Starts the server in the folder, asks it for a one, and gives the user id of its process while it ran. */
const serve = (folder: string) =>
  Effect.gen(function* () {
    const { url } = yield* EmbeddedPostgres
    const answer = yield* Effect.promise(async () => {
      const client = new pg.Client({ connectionString: Redacted.value(url) })
      await client.connect()
      const { rows } = await client.query<{ one: number }>("SELECT 1 AS one")
      await client.end()
      return rows[0]?.one
    })
    assert.strictEqual(answer, 1)
    return serverUid(folder)
  }).pipe(Effect.provide(EmbeddedPostgres.layer(folder)))

const serverUid = (folder: string) => {
  const [pid] = readFileSync(join(folder, "postgres/postmaster.pid"), "utf8").split("\n")
  return Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])
}

describe.runIf(isRoot)("started by root, the embedded server", () => {
  it.live.each([
    { folder: "that every user may pass", mode: 0o755 },
    { folder: "of root alone", mode: 0o700 },
  ])(
    "runs as another user, in a folder $folder",
    Effect.fnUntraced(function* ({ mode }) {
      const folder = yield* folderOfMode(mode)

      const uid = yield* serve(folder)

      assert.notStrictEqual(uid, 0)
      assert.strictEqual(statSync(folder).uid, 0)
    }),
  )

  it.live(
    "takes over the files that an earlier version left to root",
    Effect.fnUntraced(function* () {
      const folder = yield* folderOfMode(0o755)
      yield* serve(folder)
      execFileSync("chown", ["-R", "0:0", join(folder, "postgres"), join(folder, "postgres.password")])

      assert.notStrictEqual(yield* serve(folder), 0)
    }),
  )
})

describe.skipIf(isRoot)("started by an ordinary user, the embedded server", () => {
  it.live(
    "runs as that user",
    Effect.fnUntraced(function* () {
      const folder = yield* folderOfMode(0o700)

      assert.strictEqual(yield* serve(folder), process.getuid?.())
    }),
  )
})

it.live(
  "a copy of the folder has another identity, and the folder itself keeps its own",
  Effect.fnUntraced(function* () {
    const [folder, copy] = [yield* folderOfMode(0o755), yield* folderOfMode(0o755)]
    const identityOf = (of: string) =>
      EmbeddedPostgres.use((server) => Effect.succeed(server.folder)).pipe(Effect.provide(EmbeddedPostgres.layer(of)))
    const identity = yield* identityOf(folder)
    execFileSync("cp", ["-a", `${folder}/.`, copy])

    assert.strictEqual(yield* identityOf(folder), identity)
    assert.notStrictEqual(yield* identityOf(copy), identity)
  }),
)
