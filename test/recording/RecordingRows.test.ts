import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import { CallId } from "../../src/domain/Call.ts"
import * as RecordingRows from "../../src/recording/RecordingRows.ts"
import * as CallsRoom from "../support/CallsRoom.ts"
import { newAccount, within } from "../support/TestTenancy.ts"

const liveCall = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const id = CallId.make(uuidv7())
  const call = { id, direction: "web", agent_id: uuidv7(), agent_name: "Rosa", node_id: uuidv7() }
  yield* sql`insert into calls ${sql.insert({ ...call, status: "in_progress", started_at: new Date() })}`
  return id
})

it.layer(CallsRoom.tenancy, { timeout: "120 seconds", excludeTestServices: true })("the row of a recording", (it) => {
  it.effect("can be written again, as when the answer to the first time was lost", () =>
    Effect.gen(function* () {
      const account = yield* newAccount(`a-${uuidv7()}`)
      yield* Effect.gen(function* () {
        const id = yield* liveCall
        yield* RecordingRows.insert(id, "this machine")
        yield* RecordingRows.insert(id, "this machine")
        assert.strictEqual((yield* RecordingRows.find(id))?.host, "this machine")
      }).pipe(within(account))
    }),
  )

  it.effect("keeps a request to pause until that is answered, and no other pause is its answer", () =>
    Effect.gen(function* () {
      const account = yield* newAccount(`a-${uuidv7()}`)
      yield* Effect.gen(function* () {
        const id = yield* liveCall
        yield* RecordingRows.insert(id, "this machine")
        yield* RecordingRows.askToPause(id, true)
        for (const answered of [null, false]) {
          yield* RecordingRows.writePauses(id, [], answered)
          assert.isFalse(yield* RecordingRows.isAnswered(id))
        }
        yield* RecordingRows.writePauses(id, [], true)
        assert.isTrue(yield* RecordingRows.isAnswered(id))
      }).pipe(within(account))
    }),
  )
})
