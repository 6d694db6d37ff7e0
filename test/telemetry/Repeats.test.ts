import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { line } from "../../src/telemetry/Log.ts"
import * as Repeats from "../../src/telemetry/Repeats.ts"

/** Runs with a log of production that keeps its lines. */
const logged = Effect.fnUntraced(function* (work: Effect.Effect<unknown>) {
  const lines: Array<any> = []
  const kept = Logger.map(line, (text) => void lines.push(JSON.parse(text)))
  yield* Effect.scoped(Effect.flatMap(Repeats.count(kept), (logger) => Effect.provide(work, Logger.layer([logger]))))
  return lines
})

const warn = (account: string, reason: object = {}) =>
  Effect.annotateLogs(Effect.logWarning("the carrier is away"), { account, ...reason })

describe("a line of production", () => {
  it.effect("has the time, the level, the message and what a log store indexes beside it", () =>
    Effect.gen(function* () {
      const [said] = yield* logged(
        Effect.logError("the door is shut", new TypeError("no key"), { why: "rust", count: 3n }).pipe(
          Effect.annotateLogs({
            request_id: "r-1",
            account: "acme",
            call: "c-1",
            campaign: "k-1",
            "pii.to": "+1",
            n: 2,
          }),
        ),
      )
      const { cause, ...rest } = said
      assert.deepStrictEqual(rest, {
        time: "1970-01-01T00:00:00.000Z",
        level: "error",
        message: "the door is shut",
        request_id: "r-1",
        call: "c-1",
        account: "acme",
        campaign: "k-1",
        annotations: { n: 2, why: "rust", count: "3n" },
      })
      assert.match(cause, /^TypeError: no key/)
    }),
  )
})

describe("a repeated warning", () => {
  it.effect("is logged once a minute with its count, and again when the scope closes", () =>
    Effect.gen(function* () {
      const lines = yield* logged(
        Effect.gen(function* () {
          yield* Effect.repeat(warn("acme"), { times: 99 })
          yield* warn("other")
          yield* TestClock.adjust("70 seconds")
          yield* warn("acme")
        }),
      )
      assert.deepStrictEqual(
        lines.map(({ account, annotations }) => [account, annotations?.repeated]),
        [
          ["acme", undefined],
          ["other", undefined],
          ["acme", 99],
          ["acme", 1],
        ],
      )
    }),
  )
  it.effect("is another warning if it has another reason", () =>
    Effect.gen(function* () {
      const reasons = [{ why: "it is silent" }, { why: "it is silent" }, { why: "it refuses" }, { status: 503 }]
      const lines = yield* logged(Effect.forEach(reasons, (reason) => warn("acme", reason)))
      assert.deepStrictEqual(
        lines.map(({ annotations }) => [annotations.why ?? annotations.status, annotations.repeated]),
        [
          ["it is silent", undefined],
          ["it refuses", undefined],
          [503, undefined],
          ["it is silent", 1],
        ],
      )
    }),
  )
  it.effect("that ceased is logged at once when it comes again", () =>
    Effect.gen(function* () {
      const lines = yield* logged(
        Effect.andThen(Effect.andThen(warn("acme"), TestClock.adjust("65 seconds")), warn("acme")),
      )
      assert.deepStrictEqual(
        lines.map(({ annotations }) => annotations),
        [undefined, undefined],
      )
    }),
  )
  it.effect("holds back no error, because each has its own request id", () =>
    Effect.gen(function* () {
      const lines = yield* logged(Effect.repeat(Effect.logError("request failed"), { times: 4 }))
      assert.strictEqual(lines.length, 5)
    }),
  )
})
