/** What becomes of recordings with time, on real databases and a real disk. */
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { v7 as uuidv7 } from "uuid"
import { CallId } from "../../src/domain/Call.ts"
import { ObjectStore } from "../../src/recording/ObjectStore.ts"
import { RecordingFolder } from "../../src/recording/RecordingFolder.ts"
import * as RecordingRows from "../../src/recording/RecordingRows.ts"
import { RecordingSweep } from "../../src/recording/RecordingSweep.ts"
import { CurrentTenant } from "../../src/tenancy/CurrentTenant.ts"
import { newestOfTenant } from "../../src/tenancy/Migrations.ts"
import { Provisioning } from "../../src/tenancy/Provisioning.ts"
import * as CallsRoom from "../support/CallsRoom.ts"
import { newAccount, within } from "../support/TestTenancy.ts"
import { testConfig } from "../support/TestConfig.ts"

const folder = mkdtempSync(join(tmpdir(), "parley-recordings-"))
const layer = RecordingSweep.layer.pipe(
  Layer.provideMerge([RecordingFolder.layer, ObjectStore.layer]),
  Layer.provideMerge(CallsRoom.tenancy),
  Layer.provide(
    Layer.suspend(() =>
      ConfigProvider.layer(testConfig({ PARLEY_RECORDINGS_DIR: folder, PARLEY_RECORDING_RETENTION_DAYS: "30" })),
    ),
  ),
)

/** A call of this many days ago that was recorded on this machine or another, with its file. */
const recorded = Effect.fnUntraced(function* (days: number, host = hostname()) {
  const sql = yield* SqlClient.SqlClient
  const id = CallId.make(uuidv7())
  const file = (yield* RecordingFolder).fileOf(yield* CurrentTenant, id)
  const call = {
    id,
    direction: "web",
    status: "completed",
    outcome: "answered",
    agent_id: uuidv7(),
    agent_name: "Rosa",
  }
  yield* sql`insert into calls ${sql.insert({ ...call, node_id: uuidv7(), started_at: new Date(), ended_at: new Date() })}`
  yield* RecordingRows.insert(id, host)
  yield* sql`update recordings set started_at = now() - make_interval(days => ${days}) where id = ${id}`
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, "sound")
  return { id, file, isThere: () => existsSync(file) }
})

const ids = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql<{ id: string }>`select id from recordings`).map(({ id }) => id)
})

it.layer(layer, { timeout: "120 seconds", excludeTestServices: true })("the sound of a recording", (it) => {
  it.effect("is deleted when its time is over, and with its call", () =>
    Effect.gen(function* () {
      const entry = yield* newAccount(`a-${uuidv7()}`)
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { sweep } = yield* RecordingSweep
        const [old, young, deleted] = [yield* recorded(31), yield* recorded(29), yield* recorded(0)]
        yield* sql`delete from calls where id = ${deleted.id}`
        assert.strictEqual(yield* sweep(entry), 2)
        assert.deepStrictEqual([old.isThere(), young.isThere(), deleted.isThere()], [false, true, false])
        assert.deepStrictEqual(yield* ids, [young.id])
        assert.strictEqual(yield* sweep(entry), 0)
      }).pipe(within(entry))
    }),
  )
  it.effect("on another machine's disk is left to that machine for a week", () =>
    Effect.gen(function* () {
      const entry = yield* newAccount(`a-${uuidv7()}`)
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { sweep } = yield* RecordingSweep
        const { file, id } = yield* recorded(31, "elsewhere")
        const sharedFile = yield* recorded(31, "elsewhere")
        rmSync(file)
        assert.strictEqual(yield* sweep(entry), 1)
        assert.isFalse(sharedFile.isThere())
        assert.deepStrictEqual(yield* ids, [id])
        assert.isUndefined(yield* RecordingRows.find(id))
        yield* sql`update recordings set detached_at = now() - interval '8 days'`
        assert.strictEqual(yield* sweep(entry), 1)
        assert.deepStrictEqual(yield* ids, [])
      }).pipe(within(entry))
    }),
  )
  it.effect("that cannot be deleted keeps no other from being deleted, in its account or in another", () =>
    Effect.gen(function* () {
      const [entry, dropped, other] = [
        yield* newAccount(`a-${uuidv7()}`),
        yield* newAccount(`a-${uuidv7()}`),
        yield* newAccount(`a-${uuidv7()}`),
      ]
      const sweeps = yield* RecordingSweep
      yield* Effect.gen(function* () {
        const [first, second, third] = [yield* recorded(31), yield* recorded(31), yield* recorded(31)]
        for (const { file } of [first, second]) {
          // A folder in the file's place cannot be deleted as a file, as any user.
          rmSync(file)
          mkdirSync(file)
        }
        assert.strictEqual(yield* sweeps.sweep(entry), 1)
        assert.deepStrictEqual((yield* ids).toSorted(), [first.id, second.id].toSorted())
        assert.isFalse(third.isThere())
      }).pipe(within(entry))
      const folders = yield* RecordingFolder
      const gone = yield* recorded(0).pipe(within(other))
      yield* (yield* Provisioning).drop(dropped.account.slug)
      yield* (yield* Provisioning).drop(other.account.slug)
      const sweepDeleted = RecordingSweep.use((sweep) => sweep.sweepDeleted).pipe(
        Effect.provide(Layer.fresh(RecordingSweep.layer)),
        Effect.provideService(RecordingFolder, {
          ...folders,
          folderOf: (account) => (account.id === dropped.id ? join(folder, "\0") : folders.folderOf(account)),
        }),
        Effect.provide(ConfigProvider.layer(testConfig({}))),
      )
      yield* sweepDeleted
      assert.isFalse(gone.isThere())
    }),
  )
  it.effect("is deleted with its account, and that of other accounts is not", () =>
    Effect.gen(function* () {
      const [entry, other] = [yield* newAccount(`a-${uuidv7()}`), yield* newAccount(`a-${uuidv7()}`)]
      const gone = yield* recorded(0).pipe(within(entry))
      const kept = yield* recorded(0).pipe(within(other))
      yield* (yield* Provisioning).drop(entry.account.slug)
      yield* (yield* RecordingSweep).sweepDeleted
      assert.deepStrictEqual([gone.isThere(), kept.isThere()], [false, true])
    }),
  )
  it.effect("is not deleted with its account while that is imported again, and is once the import has failed", () =>
    Effect.gen(function* () {
      const { account, dataKey, id } = yield* newAccount(`a-${uuidv7()}`)
      const provisioning = yield* Provisioning
      yield* provisioning.drop(account.slug)
      const { sweepDeleted } = yield* RecordingSweep
      const file = (yield* RecordingFolder).fileOf({ id }, CallId.make(uuidv7()))
      const importWith = <E>(check: Effect.Effect<void, E>) =>
        provisioning.adopt(account, {
          id,
          dataKey,
          schemaVersion: newestOfTenant,
          fill: Effect.sync(() => {
            mkdirSync(dirname(file), { recursive: true })
            writeFileSync(file, "sound")
          }),
          check,
          join: Effect.void,
          abandon: Effect.void,
        })
      yield* Effect.flip(importWith(Effect.andThen(sweepDeleted, Effect.fail("the rows contradict each other"))))
      assert.isTrue(existsSync(file))
      yield* sweepDeleted
      assert.isFalse(existsSync(file))
      yield* importWith(sweepDeleted)
      yield* sweepDeleted
      assert.isTrue(existsSync(file))
    }),
  )
})
