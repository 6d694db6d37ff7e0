import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import { CallId } from "../../src/domain/Call.ts"
import * as RecordingRows from "../../src/recording/RecordingRows.ts"
import * as CallsRoom from "../support/CallsRoom.ts"
import { newAccount, within } from "../support/TestTenancy.ts"

it.layer(CallsRoom.tenancy, { timeout: "120 seconds", excludeTestServices: true })("a request to pause", (it) => {
  it.effect("waits for its own answer: pauses for another reason, or of an earlier request, are not it", () =>
    Effect.gen(function* () {
      const account = yield* newAccount(`a-${uuidv7()}`)
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const id = CallId.make(uuidv7())
        const call = { id, direction: "web", agent_id: uuidv7(), agent_name: "Rosa", node_id: uuidv7() }
        yield* sql`insert into calls ${sql.insert({ ...call, status: "in_progress", started_at: new Date() })}`
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
