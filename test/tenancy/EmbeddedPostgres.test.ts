import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { EmbeddedPostgres } from "../../src/tenancy/EmbeddedPostgres.ts"
import { until } from "../support/Until.ts"

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

/** Asks the server for a one. */
const ask = async (url: Redacted.Redacted) => {
  const client = new pg.Client({ connectionString: Redacted.value(url) })
  await client.connect()
  const { rows } = await client.query<{ one: number }>("SELECT 1 AS one")
  await client.end()
  return rows[0]?.one
}

/** Starts the server in the folder, asks it for a one, and gives the user id of its process while it ran. */
const serve = (folder: string) =>
  Effect.gen(function* () {
    const { url } = yield* EmbeddedPostgres
    assert.strictEqual(yield* Effect.promise(() => ask(url)), 1)
    return serverUid(folder)
  }).pipe(Effect.provide(EmbeddedPostgres.layer(folder)))

const pidOf = (folder: string) => readFileSync(join(folder, "postgres/postmaster.pid"), "utf8").split("\n")[0]

const serverUid = (folder: string) =>
  Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pidOf(folder)}/status`, "utf8"))?.[1])

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

/** Kills the server, and waits until another one answers at the same address. */
const killServer = (folder: string) =>
  EmbeddedPostgres.use(({ url }) =>
    Effect.promise(async () => {
      const pid = pidOf(folder)
      process.kill(Number(pid), "SIGKILL")
      await until(async () => pidOf(folder) !== pid && (await ask(url).catch(() => 0)) === 1)
    }),
  )

it.live(
  "the server is started again at its address when it was killed, and a copy of its folder has another identity",
  Effect.fnUntraced(function* () {
    const [folder, copy] = [yield* folderOfMode(0o755), yield* folderOfMode(0o755)]
    const identityOf = <E>(of: string, meanwhile: Effect.Effect<void, E, EmbeddedPostgres> = Effect.void) =>
      EmbeddedPostgres.use((server) => Effect.as(meanwhile, server.folder)).pipe(
        Effect.provide(EmbeddedPostgres.layer(of)),
      )
    const identity = yield* identityOf(folder, killServer(folder))
    // It ended with its program: no other one may use its files.
    assert.isFalse(existsSync(join(folder, "postgres/postmaster.pid")))
    execFileSync("cp", ["-a", `${folder}/.`, copy])

    assert.strictEqual(yield* identityOf(folder), identity)
    assert.notStrictEqual(yield* identityOf(copy), identity)
  }),
)
