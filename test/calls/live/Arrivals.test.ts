/** Phone calls that come in: they take slots like every call, share one called number, and may hide their own. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import { Calls } from "../../../src/calls/Calls.ts"
import type { Arrival } from "../../../src/calls/live/Arrival.ts"
import * as PhoneNumbers from "../../../src/catalog/PhoneNumbers.ts"
import { E164 } from "../../../src/domain/E164.ts"
import { behaviourOf } from "../../../src/telephony/lab/Behaviours.ts"
import * as LabLine from "../../../src/telephony/lab/LabLine.ts"
import { Refused } from "../../../src/telephony/Telephony.ts"
import * as CallsRoom from "../../support/CallsRoom.ts"
import { newAccount, within } from "../../support/TestTenancy.ts"

const options = { timeout: "120 seconds", excludeTestServices: true } as const

/** A caller of the lab's kind by the last two digits, or one who has given up. */
const partyOf = (kind: string) => {
  const behaviour = behaviourOf(kind)
  if (behaviour._tag === "Refuses") throw new Error("That number takes no calls")
  return LabLine.make(behaviour.party, 60)
}
const givesUp = Effect.fail(new Refused({ outcome: "no_answer", detail: "the caller gave up" }))

const setUp = Effect.gen(function* () {
  const calls = yield* Calls
  const { agent_id, phone_number_id } = yield* CallsRoom.equip
  const number = yield* PhoneNumbers.findForCarrier(phone_number_id)
  const ring = (from: string | null, line: Arrival["line"]) =>
    Effect.gen(function* () {
      const ended = yield* Deferred.make<string>()
      const id = yield* calls.receive({
        agent_id,
        variables: {},
        greeting: null,
        written: null,
        line,
        phone: { number, from_number: from === null ? null : E164.make(from) },
        ended: (reason) => void Deferred.doneUnsafe(ended, Effect.succeed(reason)),
      })
      return { id, ended: Deferred.await(ended) }
    })
  return { ring, number }
})

const rows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<Record<string, unknown>>`
    select id, direction, status, outcome, end_reason, to_number, from_number, campaign_id, answered_at is not null as answered
    from calls order by started_at`
})

it.layer(CallsRoom.layer(), options)("a phone call that comes in", (it) => {
  it.effect("is answered and conducted, and its row has both numbers", () =>
    Effect.gen(function* () {
      const entry = yield* newAccount(`a-${uuidv7()}`, CallsRoom.wide)
      yield* Effect.gen(function* () {
        const { number, ring } = yield* setUp
        const gate = yield* Deferred.make<void>()
        const talk = Effect.andThen(Deferred.await(gate), partyOf("01"))
        // Two callers of one number at once, and one who hides his number.
        const rung = [
          yield* ring("+14155550001", () => talk),
          yield* ring("+14155550002", ({ ringing }) => Effect.andThen(ringing, talk)),
          yield* ring(null, () => talk),
        ]
        assert.strictEqual(yield* CallsRoom.inUse, 3)
        yield* Deferred.succeed(gate, undefined)
        for (const { ended } of rung) assert.strictEqual(yield* ended, "agent_hung_up")
        yield* CallsRoom.quiet
        assert.strictEqual(yield* CallsRoom.inUse, 0)
        const found = yield* rows
        assert.deepStrictEqual(
          found.map(({ from_number }) => from_number),
          ["+14155550001", "+14155550002", null],
        )
        for (const row of found) {
          assert.include(row, { direction: "inbound", status: "completed", outcome: "answered", answered: true })
          assert.include(row, { to_number: number.number, campaign_id: null })
        }
      }).pipe(within(entry))
    }),
  )

  it.effect("that its caller gives up counts as not answered, and frees its slot", () =>
    Effect.gen(function* () {
      const entry = yield* newAccount(`a-${uuidv7()}`, CallsRoom.wide)
      yield* Effect.gen(function* () {
        const { ring } = yield* setUp
        const { ended } = yield* ring("+14155550001", ({ ringing }) => Effect.andThen(ringing, givesUp))
        assert.strictEqual(yield* ended, "caller_hung_up")
        yield* CallsRoom.quiet
        const [row] = yield* rows
        assert.include(row, { status: "failed", outcome: "no_answer", answered: false })
        assert.strictEqual(yield* CallsRoom.inUse, 0)
      }).pipe(within(entry))
    }),
  )

  it.effect("writes the caller's number on the do-not-call list when the caller opts out", () =>
    Effect.gen(function* () {
      const entry = yield* newAccount(`a-${uuidv7()}`, CallsRoom.wide)
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { ring } = yield* setUp
        const known = yield* ring("+14155550001", () => partyOf("99"))
        const hidden = yield* ring(null, () => partyOf("99"))
        assert.deepStrictEqual([yield* known.ended, yield* hidden.ended], ["opted_out", "opted_out"])
        yield* CallsRoom.quiet
        const listed = yield* sql`select phone_number, source, call_id from suppressions`
        assert.deepStrictEqual(listed, [{ phone_number: "+14155550001", source: "call", call_id: known.id }])
      }).pipe(within(entry))
    }),
  )

  it.effect("cannot use all of the account's concurrent calls", () =>
    Effect.gen(function* () {
      const entry = yield* newAccount(`a-${uuidv7()}`, { ...CallsRoom.wide, concurrent_max: 5 })
      yield* Effect.gen(function* () {
        const { ring } = yield* setUp
        const calls = yield* Effect.all(Array.from({ length: 4 }, () => ring(null, () => Effect.never)))
        const refusal = yield* Effect.flip(ring(null, () => Effect.never))
        assert.include(refusal, { _tag: "CapReached", code: "concurrent_cap", limit: 4, used: 4, share_of: "inbound" })
        const room = yield* Calls
        for (const { id } of calls) yield* room.hangUp(id)
        assert.strictEqual(yield* CallsRoom.inUse, 0)
        for (const row of yield* rows) assert.include(row, { outcome: "no_answer", end_reason: "hung_up" })
      }).pipe(within(entry))
    }),
  )
})
