import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Ending, withoutWords } from "../../../src/calls/ledger/EndQueue.ts"
import { CallRecord } from "../../../src/conversation/CallRecord.ts"
import { sessionTo } from "../../support/Sessions.ts"

it("an end without its words keeps everything that decides about the contact's next call and the account's counts", () => {
  const { call } = sessionTo("+14155550101")
  const record = new CallRecord()
  record.message_left = true
  record.is_transfer = true
  record.opted_out = true
  record.spoke("agent", { text: "Call us back.", at: new Date(0), started_ms: 0, ended_ms: 1_000 })
  const end = { outcome: "voicemail", end_reason: "voicemail" } as const
  const ending: Ending = { call, end, ended_at: new Date(0), record, written: Effect.void }
  const { record: rest } = withoutWords(ending)
  assert.deepStrictEqual([rest.message_left, rest.is_transfer, rest.opted_out], [true, true, true])
  assert.deepStrictEqual(rest.transcript, [])
})
