/** Words of live calls: whose are gathered, and how they come into rows. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { v7 as uuidv7 } from "uuid"
import * as CallWords from "../../../src/calls/ledger/CallWords.ts"
import * as LiveCall from "../../../src/calls/live/LiveCall.ts"
import * as LiveWords from "../../../src/calls/live/LiveWords.ts"
import { CallRecord } from "../../../src/conversation/CallRecord.ts"
import { AccountSlug } from "../../../src/domain/Account.ts"
import { CallId, type Turn } from "../../../src/domain/Call.ts"
import type { AccountEntry } from "../../../src/tenancy/AccountDirectory.ts"
import * as CallsRoom from "../../support/CallsRoom.ts"
import { newAccount, within } from "../../support/TestTenancy.ts"

const says = (record: CallRecord, text: string) =>
  record.spoke("caller", { text, at: new Date(0), started_ms: 0, ended_ms: 1 })

const turn: Turn = {
  turn: 1,
  started_by: "caller",
  caller_ended_ms: null,
  endpoint_ms: 0,
  brain_ms: 0,
  tools_ms: 0,
  first_word_ms: null,
  drained_ms: null,
  response_ms: null,
  interrupted: false,
}

const talking = (slug: string, answered_at: Date | null = new Date(0)) => {
  const call = LiveCall.make(CallId.make(uuidv7()), { account: { slug: AccountSlug.make(slug) } } as AccountEntry, 0)
  const record = new CallRecord()
  record.answered_at = answered_at
  call.record = record
  return { id: call.id, call, record }
}

describe("what is gathered each second", () => {
  const gathered = (calls: ReadonlyArray<ReturnType<typeof talking>>) =>
    Effect.gen(function* () {
      const told: Array<readonly [string, ReadonlyArray<CallId>]> = []
      const live = new Map(calls.map(({ call, id }) => [id, call]))
      const fiber = yield* LiveWords.gather({
        live,
        write: (account, news) => Effect.sync(() => void told.push([account, [...news.keys()]])),
      }).pipe(Effect.forkChild({ startImmediately: true }))
      /** Waits until the clock says this many milliseconds. */
      const at = (ms: number) => Effect.as(TestClock.setTime(ms), told.splice(0))
      return { at, stop: Fiber.interrupt(fiber) }
    })

  it.effect("the new words of an account's calls are written together", () =>
    Effect.gen(function* () {
      const [one, two, other] = [talking("a"), talking("a"), talking("b")]
      for (const { record } of [one, two, other]) says(record, "Hello?")
      const { at, stop } = yield* gathered([one, two, other])
      yield* at(2_000)
      assert.deepStrictEqual(yield* at(2_000), [
        ["a", [one.id, two.id]],
        ["b", [other.id]],
      ])
      yield* stop
    }),
  )

  it.effect("a call that ends within two seconds, or is not answered, is written only at its end", () =>
    Effect.gen(function* () {
      const [young, unanswered] = [talking("a", new Date(1_500)), talking("a", null)]
      for (const { record } of [young, unanswered]) says(record, "Hello?")
      const { at, stop } = yield* gathered([young, unanswered])
      yield* at(3_000)
      assert.deepStrictEqual(yield* at(3_000), [])
      yield* at(4_000)
      assert.deepStrictEqual(yield* at(4_000), [["a", [young.id]]])
      yield* stop
    }),
  )

  it.effect("nothing is gathered of a call without new words, or of another process's call", () =>
    Effect.gen(function* () {
      const [silent, lost] = [talking("a"), talking("a")]
      says(lost.record, "Hello?")
      LiveCall.lose(lost.call)
      says(silent.record, "Hello?")
      silent.record.keep(silent.record.news.to)
      const { at, stop } = yield* gathered([silent, lost])
      yield* at(5_000)
      assert.deepStrictEqual(yield* at(5_000), [])
      silent.record.turns.push(turn)
      yield* at(6_000)
      assert.deepStrictEqual(yield* at(6_000), [["a", [silent.id]]])
      yield* stop
    }),
  )
})

it.layer(CallsRoom.layer(), { timeout: "120 seconds", excludeTestServices: true })("words in rows", (it) => {
  const rowOf = Effect.fnUntraced(function* (id: string) {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ transcript: ReadonlyArray<{ text: string }>; turns: ReadonlyArray<Turn> }>`
      select transcript, turns from calls where id = ${id}`
    return { texts: row?.transcript.map(({ text }) => text), turns: row?.turns.length }
  })
  const nodeOf = Effect.fnUntraced(function* (id: string) {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ node_id: string }>`select node_id from calls where id = ${id}`
    return row?.node_id ?? ""
  })
  const begun = Effect.gen(function* () {
    const { intentTo } = yield* CallsRoom.equip
    const [call] = yield* CallsRoom.intended([intentTo("+14155550101")])
    const id = call?.id ?? CallId.make(uuidv7())
    return { id, node: yield* nodeOf(id), record: new CallRecord() }
  })

  it.effect("follow the earlier ones, once, also if the answer to their commit was lost", () =>
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        const { id, node, record } = yield* begun
        says(record, "one")
        record.turns.push(turn)
        const first = CallWords.add(node, new Map([[id, record]]))
        says(record, "two")
        yield* first.statement
        yield* first.statement
        first.added()
        assert.deepStrictEqual(yield* rowOf(id), { texts: ["one"], turns: 1 })
        const second = CallWords.add(node, new Map([[id, record]]))
        yield* second.statement
        second.added()
        assert.deepStrictEqual(yield* rowOf(id), { texts: ["one", "two"], turns: 1 })
        assert.isFalse(record.hasNews)
      }).pipe(within(yield* newAccount(`a-${uuidv7()}`, CallsRoom.wide)))
    }),
  )

  it.effect("are not written on a call that has ended, or that another process conducts", () =>
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { id, node, record } = yield* begun
        says(record, "too late")
        yield* CallWords.add(uuidv7(), new Map([[id, record]])).statement
        yield* sql`update calls set status = 'failed', outcome = 'unknown', ended_at = started_at where id = ${id}`
        yield* CallWords.add(node, new Map([[id, record]])).statement
        assert.deepStrictEqual(yield* rowOf(id), { texts: [], turns: 0 })
      }).pipe(within(yield* newAccount(`a-${uuidv7()}`, CallsRoom.wide)))
    }),
  )
})
