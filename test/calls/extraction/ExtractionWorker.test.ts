/** When the results that an account owes are read. */
import { assert, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import { Calls } from "../../../src/calls/Calls.ts"
import { AccountDirectory } from "../../../src/tenancy/AccountDirectory.ts"
import { json, orderedJson } from "../../../src/tenancy/Json.ts"
import { PlatformDatabase } from "../../../src/tenancy/PlatformDatabase.ts"
import * as CallsRoom from "../../support/CallsRoom.ts"
import { rosa } from "../../support/Kit.ts"
import * as TestTenancy from "../../support/TestTenancy.ts"

const outcome_schema = { type: "object", properties: { suits: { type: "boolean" } } }
const transcript = [
  { role: "caller", text: "Yes.", at: "2026-11-27T10:00:00.000Z", started_ms: 1_000, ended_ms: 2_000 },
]

/** An ended call that owes an extraction. */
const owed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [agent_id, id] = [uuidv7(), uuidv7()]
  const agent = { id: agent_id, name: `agent-${agent_id}`, ...rosa, voice: json(rosa.voice) }
  const model = json({ provider: "scripted", id: "scripted" })
  yield* sql`insert into agents ${sql.insert({ ...agent, model, outcome_schema: orderedJson(outcome_schema) })}`
  yield* sql`
    insert into calls (id, direction, status, outcome, agent_id, agent_name, agent_version, variables, node_id, started_at,
                       ended_at, transcript, cost)
    values (${id}, 'web', 'completed', 'answered', ${agent_id}, 'a', 1, '{}', ${uuidv7()}, now(), now(),
            ${json(transcript)}, '{}')`
  yield* sql`insert into extractions (call_id) values (${id})`
})

const schedule = Schedule.spaced("100 millis")

const state = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly state: string }>`select state from extractions`
  return row?.state
})

it.layer(CallsRoom.layer(), { timeout: "120 seconds", excludeTestServices: true })("an extraction", (it) => {
  it.effect("waits while its account is suspended, and runs when the account is active again", () =>
    Effect.gen(function* () {
      const slug = `x${uuidv7().slice(-8)}`
      const account = yield* TestTenancy.newAccount(slug)
      const directory = yield* AccountDirectory
      const platform = yield* PlatformDatabase
      const set = (status: string) =>
        Effect.andThen(platform`update accounts set status = ${status} where slug = ${slug}`, directory.forget(slug))
      yield* set("suspended")
      const calls = yield* Calls
      yield* Effect.andThen(owed, calls.recover).pipe(TestTenancy.within(account))
      // The worker has looked at it.
      const noted = platform`
        select from node_accounts n join accounts a on a.id = n.account_id where a.slug = ${slug}`
      yield* Effect.repeat(noted, { schedule, until: ({ length }) => length > 0 })
      assert.strictEqual(yield* state.pipe(TestTenancy.within(account)), "pending")
      yield* set("active")
      yield* state.pipe(TestTenancy.within(account), Effect.repeat({ schedule, until: (now) => now === "done" }))
    }),
  )
})
