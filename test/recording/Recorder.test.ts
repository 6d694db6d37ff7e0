import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, References } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { v7 as uuidv7 } from "uuid"
import { CallId } from "../../src/domain/Call.ts"
import { Recorder } from "../../src/recording/Recorder.ts"
import * as Recording from "../../src/recording/Room.ts"
import type { SoundTap } from "../../src/telephony/SoundTap.ts"
import { CurrentTenant } from "../../src/tenancy/CurrentTenant.ts"
import * as CallsRoom from "../support/CallsRoom.ts"
import { newAccount, within } from "../support/TestTenancy.ts"
import { testConfig } from "../support/TestConfig.ts"

const folder = mkdtempSync(join(tmpdir(), "parley-recordings-"))
const room = Recording.layer.pipe(
  Layer.provide(ConfigProvider.layer(testConfig({ PARLEY_RECORDINGS_DIR: folder }))),
  Layer.provideMerge(CallsRoom.tenancy),
)

it.layer(room, { timeout: "120 seconds", excludeTestServices: true })("a recorder", (it) => {
  it.effect("writes a pause that began before the recording had a row", () =>
    Effect.gen(function* () {
      const account = yield* newAccount("paused")
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const id = CallId.make(uuidv7())
        const taps: Array<SoundTap> = []
        const sound = { rates: { heard: 8_000, spoken: 8_000 }, tap: (tap: SoundTap) => (taps.push(tap), () => {}) }
        const recording = yield* (yield* Recorder).start(yield* CurrentTenant, id, sound, false)
        for (const tap of taps) for (const at of [0, 20, 40]) tap.tick(at)
        yield* recording.setPaused(true)
        // The recorder cannot write its row before that of the call.
        const call = { id, direction: "web", agent_id: uuidv7(), agent_name: "Rosa", node_id: uuidv7() }
        yield* sql`insert into calls ${sql.insert({ ...call, status: "in_progress", started_at: new Date() })}`
        const rows = sql<{ pauses: unknown }>`select pauses from recordings`
        yield* Effect.repeat(rows, { until: (rows) => rows.length > 0 })
        yield* recording.stop
        assert.deepStrictEqual(yield* rows, [{ pauses: [{ started_ms: 40, ended_ms: null }] }])
      }).pipe(within(account), Effect.provideService(References.MinimumLogLevel, "Fatal"))
    }),
  )
})
