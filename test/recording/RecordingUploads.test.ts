/** Recordings in an object store: on a real server of S3, real databases and a real disk. Each machine has a folder of its own. */
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Context, Effect, Layer, References, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { existsSync, mkdtempSync, truncateSync, utimesSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { v7 as uuidv7 } from "uuid"
import { CallId } from "../../src/domain/Call.ts"
import { ObjectStore } from "../../src/recording/ObjectStore.ts"
import { RecordingFolder } from "../../src/recording/RecordingFolder.ts"
import * as RecordingRows from "../../src/recording/RecordingRows.ts"
import { Recordings } from "../../src/recording/Recordings.ts"
import { RecordingSweep } from "../../src/recording/RecordingSweep.ts"
import { RecordingUploads } from "../../src/recording/RecordingUploads.ts"
import { WavFile } from "../../src/recording/WavFile.ts"
import { CurrentTenant } from "../../src/tenancy/CurrentTenant.ts"
import { Provisioning } from "../../src/tenancy/Provisioning.ts"
import * as CallsRoom from "../support/CallsRoom.ts"
import { objectServer } from "../support/ObjectServer.ts"
import { newAccount, within } from "../support/TestTenancy.ts"
import { testConfig } from "../support/TestConfig.ts"
import { until } from "../support/Until.ts"

const emptyFolder = () => mkdtempSync(join(tmpdir(), "parley-recordings-"))

/** The recording room of one machine, until the scope closes. */
const machine = Effect.fnUntraced(function* (settings: Record<string, string>, folder = emptyFolder()) {
  const context = yield* Layer.build(
    Layer.fresh(
      Layer.mergeAll(RecordingUploads.layer, Recordings.layer, RecordingSweep.layer).pipe(
        Layer.provideMerge([RecordingFolder.layer, ObjectStore.layer]),
        Layer.provide(ConfigProvider.layer(testConfig({ PARLEY_RECORDINGS_DIR: folder, ...settings }))),
      ),
    ),
  )
  return {
    folder,
    folders: Context.get(context, RecordingFolder),
    objects: Context.get(context, ObjectStore),
    recordings: Context.get(context, Recordings),
    sweep: Context.get(context, RecordingSweep),
    uploads: Context.get(context, RecordingUploads),
  }
})
type Machine = Effect.Success<ReturnType<typeof machine>>

const sound = Uint8Array.from({ length: 40_000 }, (_, at) => at % 251)

/** A recorded call of the account in the fiber, with its file on the machine. */
const recorded = Effect.fnUntraced(function* ({ folders }: Machine, hasEnded = true) {
  const sql = yield* SqlClient.SqlClient
  const tenant = yield* CurrentTenant
  const id = CallId.make(uuidv7())
  const call = {
    id,
    direction: "web",
    agent_id: uuidv7(),
    agent_name: "Rosa",
    node_id: uuidv7(),
    started_at: new Date(),
  }
  const state = hasEnded
    ? { status: "completed", outcome: "answered", ended_at: new Date() }
    : { status: "in_progress", outcome: null, ended_at: null }
  yield* sql`insert into calls ${sql.insert({ ...call, ...state })}`
  yield* RecordingRows.insert(id, "another machine")
  const path = folders.fileOf(tenant, id)
  yield* Effect.promise(async () => {
    const file = await WavFile.create(path, 8_000)
    await file.write(0, sound)
    await file.close()
  })
  return { id, path, tenant, isThere: () => existsSync(path) }
})

const bytesOf = (stream: Stream.Stream<Uint8Array>) =>
  Effect.map(Stream.runCollect(stream), (parts) => Buffer.concat(parts))

const untilGone = (recording: { readonly isThere: () => boolean }) =>
  Effect.promise(() => until(() => !recording.isThere()))

/** Ten seconds ago, so that no process is taken to be writing to it. */
const asIfQuiet = (path: string) => {
  const at = Date.now() / 1_000 - 10
  utimesSync(path, at, at)
}

/** Troubles that a test makes on purpose are warnings and errors. */
const quietLog = Layer.succeed(References.MinimumLogLevel, "Fatal")

it.layer(Layer.merge(CallsRoom.tenancy, quietLog), { timeout: "120 seconds", excludeTestServices: true })(
  "a bucket",
  (it) => {
    it.effect("takes a recording from the machine that made it, and every other machine serves it", () =>
      Effect.gen(function* () {
        const store = yield* objectServer
        const settings = {
          ...store.settings,
          PARLEY_RECORDINGS_S3_PREFIX: "/calls/",
          PARLEY_RECORDINGS_S3_ENCRYPTION: "AES256",
        }
        const [maker, other] = [yield* machine(settings), yield* machine(settings)]
        const entry = yield* newAccount(`a-${uuidv7()}`)
        yield* Effect.gen(function* () {
          const recording = yield* recorded(maker)
          const elsewhere = yield* Effect.flip(other.recordings.find(recording.id))
          assert.strictEqual(elsewhere._tag, "RecordingElsewhere")
          const local = yield* maker.recordings.find(recording.id)

          yield* maker.uploads.offer(entry, recording.id)
          yield* untilGone(recording)
          assert.deepStrictEqual(store.names(), [`calls/${entry.id}/${recording.id}.wav`])
          const put = store.puts.find(({ path }) => path.endsWith(".wav"))
          assert.strictEqual(put?.headers["x-amz-server-side-encryption"], "AES256")
          assert.isString(put?.headers["content-md5"])

          for (const { recordings } of [maker, other]) {
            const found = yield* recordings.find(recording.id)
            assert.strictEqual(found.bytes, 44 + sound.length)
            assert.deepStrictEqual((yield* bytesOf(found.read(0, found.bytes - 1))).subarray(44), Buffer.from(sound))
            assert.deepStrictEqual(yield* bytesOf(found.read(54, 63)), Buffer.from(sound.subarray(10, 20)))
          }
          // Found on the disk, and brought to the bucket before it was read.
          assert.deepStrictEqual(yield* bytesOf(local.read(54, 63)), Buffer.from(sound.subarray(10, 20)))
        }).pipe(within(entry))
      }).pipe(Effect.scoped),
    )

    it.effect("takes what a killed process left, with its header mended, and nothing of a call in progress", () =>
      Effect.gen(function* () {
        const store = yield* objectServer
        const entry = yield* newAccount(`a-${uuidv7()}`)
        const disk = yield* machine({})
        yield* Effect.gen(function* () {
          const [left, live, detached] = [yield* recorded(disk), yield* recorded(disk, false), yield* recorded(disk)]
          // Killed in the middle of a part, and before it wrote the length.
          truncateSync(left.path, 44 + 30_001)
          const sql = yield* SqlClient.SqlClient
          yield* sql`delete from calls where id = ${detached.id}`
          for (const { path } of [left, live, detached]) asIfQuiet(path)
          const { recordings } = yield* machine(store.settings, disk.folder)
          yield* untilGone(left)
          const { bytes, read } = yield* recordings.find(left.id)
          const file = yield* bytesOf(read(0, bytes - 1))
          assert.strictEqual(file.readUInt32LE(40), 30_000)
          assert.deepStrictEqual(store.names(), [`${entry.id}/${left.id}.wav`])
          assert.isTrue(live.isThere() && detached.isThere())
          yield* sql`update calls set status = 'completed', outcome = 'answered', ended_at = now() where id = ${live.id}`
          yield* untilGone(live)
        }).pipe(within(entry))
      }).pipe(Effect.scoped),
    )

    it.effect("that cannot be reached lets recordings wait up to a bound, and gets them when it is back", () =>
      Effect.gen(function* () {
        const store = yield* objectServer
        const entry = yield* newAccount(`a-${uuidv7()}`)
        const one = yield* machine({ ...store.settings, PARLEY_RECORDINGS_SPOOL_MB: "1" })
        yield* Effect.gen(function* () {
          const stored = yield* recorded(one)
          yield* one.uploads.offer(entry, stored.id)
          yield* untilGone(stored)
          store.stop()
          const unreachable = yield* Effect.flip(one.recordings.find(stored.id))
          assert.strictEqual(unreachable._tag, "RecordingUnavailable")

          const waiting: Array<Effect.Success<ReturnType<typeof recorded>>> = []
          // 25 of them are more than a megabyte.
          for (let count = 0; count < 25; count++) {
            yield* one.uploads.admit
            const next = yield* recorded(one)
            yield* one.uploads.offer(entry, next.id)
            waiting.push(next)
          }
          assert.include((yield* Effect.flip(one.uploads.admit)).message, "25 recordings of 1 MB wait")
          // What waits is served from the disk.
          const [first] = waiting
          assert.strictEqual((yield* one.recordings.find(first?.id ?? stored.id)).bytes, 44 + sound.length)

          store.begin()
          for (const each of waiting) yield* untilGone(each)
          yield* Effect.promise(() => until(() => store.names().length === 26))
          yield* one.uploads.admit
        }).pipe(within(entry))
      }).pipe(Effect.scoped),
    )

    it.effect("forgets what is erased, also while it is being uploaded, and what an account or a period ends", () =>
      Effect.gen(function* () {
        const store = yield* objectServer
        const [entry, dropped] = [yield* newAccount(`a-${uuidv7()}`), yield* newAccount(`a-${uuidv7()}`)]
        const [one, other] = [yield* machine(store.settings), yield* machine(store.settings)]
        const gone = yield* recorded(one).pipe(within(dropped))
        yield* one.uploads.offer(dropped, gone.id)
        yield* untilGone(gone)
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const [erased, old, racing, kept] = [
            yield* recorded(one),
            yield* recorded(one),
            yield* recorded(one),
            yield* recorded(one),
          ]
          for (const { id } of [erased, old, kept]) yield* one.uploads.offer(entry, id)
          for (const each of [erased, old, kept]) yield* untilGone(each)
          // Another machine than the one that recorded it: the request reaches any.
          yield* sql`delete from calls where id = ${erased.id}`
          assert.strictEqual(yield* other.sweep.deleteSound(entry, [erased.id]), 1)
          yield* sql`update recordings set started_at = now() - interval '31 days' where id = ${old.id}`
          assert.strictEqual(yield* other.sweep.sweep(entry), 1)

          const isUploading = Promise.withResolvers<void>()
          const isErased = Promise.withResolvers<void>()
          store.beforePut = () => {
            isUploading.resolve()
            return isErased.promise
          }
          yield* one.uploads.offer(entry, racing.id)
          yield* Effect.promise(() => isUploading.promise)
          yield* sql`delete from calls where id = ${racing.id}`
          yield* one.sweep.deleteSound(entry, [racing.id])
          yield* sql`delete from recordings where id = ${racing.id}`
          isErased.resolve()
          yield* Effect.promise(() => until(() => store.puts.some(({ path }) => path.includes(racing.id))))
          yield* Effect.promise(() => until(() => !store.names().some((name) => name.includes(racing.id))))
          assert.deepStrictEqual(store.names().toSorted(), [
            ...[`${dropped.id}/${gone.id}.wav`, `${entry.id}/${kept.id}.wav`].toSorted(),
          ])
          yield* (yield* Provisioning).drop(dropped.account.slug)
          yield* other.sweep.sweepDeleted
          assert.deepStrictEqual(store.names(), [`${entry.id}/${kept.id}.wav`])

          // A server that is down, or a bucket that is not configured any more, keeps the rows for the next sweep.
          yield* sql`delete from calls where id = ${kept.id}`
          const withoutBucket = yield* machine({})
          assert.strictEqual(yield* withoutBucket.sweep.sweep(entry), 0)
          store.stop()
          assert.strictEqual(yield* one.sweep.sweep(entry), 0)
          store.begin()
          assert.strictEqual(yield* one.sweep.sweep(entry), 1)
          assert.deepStrictEqual(store.names(), [])
        }).pipe(within(entry))
      }).pipe(Effect.scoped),
    )

    it.effect("that refuses says why", () =>
      Effect.gen(function* () {
        const store = yield* objectServer
        const faultWith = (changes: Record<string, string>) =>
          Effect.gen(function* () {
            const { objects } = yield* machine({ ...store.settings, ...changes })
            return (yield* Effect.flip(objects?.check ?? Effect.fail(new Error("no store")))).message
          })
        const { objects } = yield* machine(store.settings)
        yield* objects?.check ?? Effect.die("no store")
        // The test server answers a deletion a moment before the file is gone.
        yield* Effect.promise(() => until(() => store.names().length === 0))
        const setting = (name: string) => `PARLEY_RECORDINGS_S3_${name}`
        assert.include(yield* faultWith({ [setting("SECRET_KEY")]: "x" }), "The secret key is wrong")
        assert.include(yield* faultWith({ [setting("ACCESS_KEY")]: "x" }), "does not know the access key")
        assert.include(yield* faultWith({ [setting("BUCKET")]: "other" }), "no such bucket")
        store.stop()
        assert.include(yield* faultWith({}), "cannot be reached")
        for (const settings of [
          { [setting("ACCESS_KEY")]: "x" },
          { [setting("BUCKET")]: "b", [setting("ACCESS_KEY")]: "x" },
          { [setting("BUCKET")]: "b", [setting("ENDPOINT")]: "s3.example.com" },
          { [setting("BUCKET")]: "b", [setting("KMS_KEY")]: "x" },
        ]) {
          assert.propertyVal(yield* Effect.flip(machine(settings)), "_tag", "StoreSettingsRefused")
        }
      }).pipe(Effect.scoped),
    )
  },
)
