import { assert, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Takeover, type TakenCall, hold } from "../../../src/calls/live/Takeover.ts"
import { CallRecord } from "../../../src/conversation/CallRecord.ts"
import { CallId } from "../../../src/domain/Call.ts"
import { Unauthenticated } from "../../../src/domain/Principal.ts"
import { byLevel } from "../../../src/speech/detection/VoiceDetection.ts"

const noWords = { push() {}, finalise() {}, discard() {}, results: Stream.never }
/** A frame of the page: 20 ms of silence. */
const frame = new Uint8Array(644)

const taken = Effect.gen(function* () {
  const record = new CallRecord()
  const left: Array<string> = []
  record.takeOver = () => ({ said: () => {}, leave: (how) => void left.push(how) })
  const tenant = { id: "", account: {} } as unknown as TakenCall["tenant"]
  const detector = yield* byLevel.open(16_000, "acme")
  const patch = { rates: { heard: 8_000, spoken: 8_000 }, divert() {}, inject() {}, sendDigits() {} }
  const line = {
    moment: Effect.succeed({ at: 0, playing: null }),
    patch,
    listen: () => Effect.succeed({ listening: noWords, detector }),
  }
  const by = { type: "person", subject: "s", email: null } as const
  return { takeover: new Takeover({ id: CallId.make(crypto.randomUUID()), tenant, record, line, by }), left }
})

const refusal = new Unauthenticated({ detail: "The token has expired." })
const lapsesAfter = (ms: number) => Effect.delay(Effect.fail(refusal), ms)

it.effect(
  "a take-over goes on after its first token has lapsed, if its page has got another one, until that lapses",
  () =>
    Effect.gen(function* () {
      const { left, takeover } = yield* taken
      takeover.issue(0, lapsesAfter(10_000))
      yield* Effect.forkScoped(hold(takeover), { startImmediately: true })
      const pass = Effect.fnUntraced(function* (seconds: number) {
        for (let tick = 0; tick < seconds; tick++) {
          takeover.sound.wire.hear(frame)
          yield* TestClock.adjust("1 second")
        }
      })
      yield* pass(5)
      takeover.issue(5_000, lapsesAfter(20_000))
      yield* pass(15)
      assert.deepStrictEqual(left, [])
      yield* pass(15)
      assert.deepStrictEqual(left, ["lost"])
    }),
)
