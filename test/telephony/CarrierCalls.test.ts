/** Reports of carriers as rows: whichever of two processes writes first, no report is lost. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { CarrierReport } from "../../src/domain/CarrierReport.ts"
import * as CarrierCalls from "../../src/telephony/CarrierCalls.ts"
import * as CallsRoom from "../support/CallsRoom.ts"
import { newAccount, within } from "../support/TestTenancy.ts"

const reported = (status: CarrierReport["status"], sequence: number): CarrierReport => ({
  status,
  sequence,
  answered_at: null,
  duration_seconds: null,
  sip_code: null,
})

it.layer(CallsRoom.layer(), { timeout: "120 seconds", excludeTestServices: true })(
  "the first reports of a call",
  (it) => {
    it.effect("that come at the same moment are joined", () =>
      Effect.gen(function* () {
        const account = yield* newAccount("reports", CallsRoom.wide)
        yield* Effect.gen(function* () {
          const { intentTo } = yield* CallsRoom.equip
          const numbers = Array.from({ length: 1_000 }, (_, at) => `+1415555${1_000 + at}`)
          const calls = yield* CallsRoom.intended(numbers.map(intentTo))
          const told = yield* Effect.forEach(
            calls.flatMap(({ id }) => [1, 2, 3, 4].map((sequence) => ({ id, sequence }))),
            ({ id, sequence }) =>
              CarrierCalls.tell(id, {
                sid: `CA${id}`,
                report: reported(sequence === 4 ? "ringing" : "initiated", sequence),
              }),
            { concurrency: "unbounded" },
          )
          assert.notInclude(told, null)
          const rows = yield* Effect.forEach(calls, ({ id }) => CarrierCalls.find(id))
          assert.deepStrictEqual([...new Set(rows.map((row) => row?.status))], ["ringing"])
        }).pipe(within(account))
      }),
    )
    it.effect("with a carrier's id that belongs to another call change nothing", () =>
      Effect.gen(function* () {
        const account = yield* newAccount("names", CallsRoom.wide)
        yield* Effect.gen(function* () {
          const { intentTo } = yield* CallsRoom.equip
          const [one, other] = yield* CallsRoom.intended(["+14155554001", "+14155554002"].map(intentTo))
          if (one === undefined || other === undefined) return assert.fail("no calls")
          yield* CarrierCalls.tell(one.id, { sid: "CA1", report: reported("initiated", 1) })
          assert.isNull(yield* CarrierCalls.tell(other.id, { sid: "CA1", report: reported("ringing", 2) }))
          assert.isNull(yield* CarrierCalls.find(other.id))
          yield* CarrierCalls.tell(other.id, { sid: null, report: reported("queued", 0) })
          assert.isNull(yield* CarrierCalls.tell(other.id, { sid: "CA1", report: reported("ringing", 2) }))
          assert.strictEqual((yield* CarrierCalls.find(other.id))?.status, "queued")
        }).pipe(within(account))
      }),
    )
    it.effect("store no more words than a call can have", () =>
      Effect.gen(function* () {
        const account = yield* newAccount("words", CallsRoom.wide)
        yield* Effect.gen(function* () {
          const { intentTo } = yield* CallsRoom.equip
          const [call] = yield* CallsRoom.intended([intentTo("+14155555001")])
          if (call === undefined) return assert.fail("no call")
          const tell = (mark: string) =>
            CarrierCalls.tell(call.id, {
              sid: "CA9",
              report: reported("in-progress", 1),
              words: { mark, text: "x".repeat(10_000), at: 0 },
            })
          for (let at = 0; at < 25; at++) yield* tell(`t.${at}`)
          const kept = (yield* CarrierCalls.find(call.id))?.words ?? []
          assert.deepStrictEqual([kept[0]?.mark, kept.length], ["t.0", 19])
          assert.isNotNull(yield* tell("t.26"))
        }).pipe(within(account))
      }),
    )
  },
)
