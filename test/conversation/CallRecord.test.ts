/** What the record of a call keeps of the time in which its recording was paused. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { CallRecord } from "../../src/conversation/CallRecord.ts"
import { PauseMarks } from "../../src/recording/PauseMarks.ts"

const at = new Date(0)
const notKept = "[not kept: the recording was paused]"

/** The record of a call whose recording was paused from its second to its fourth second. */
const recordWithPause = () => {
  const record = new CallRecord()
  const marks = new PauseMarks()
  marks.set(true, 2_000)
  marks.set(false, 4_000)
  record.recording = {
    isPaused: false,
    wasPaused: (started_ms, ended_ms) => marks.overlaps(started_ms, ended_ms),
    setPaused: () => Effect.void,
    setPrivate: () => Effect.void,
    recordBoth: () => {},
    stop: Effect.void,
  }
  const say = (text: string, started_ms: number, ended_ms: number) =>
    record.spoke("caller", { text, at, started_ms, ended_ms })
  const textOf = (text: string, started_ms: number, ended_ms: number) => {
    say(text, started_ms, ended_ms)
    return record.transcript.at(-1)?.text
  }
  return { record, textOf }
}

describe("the transcript of a call whose recording is paused", () => {
  it("keeps what was said before the pause and after it", () => {
    const { textOf } = recordWithPause()
    assert.strictEqual(textOf("before", 500, 1_999), "before")
    assert.strictEqual(textOf("after", 4_000, 5_000), "after")
  })

  it("keeps nothing that was said in the pause, or in a part of it", () => {
    const { textOf } = recordWithPause()
    for (const [from, to] of [
      [2_500, 3_000],
      [1_000, 2_000],
      [3_999, 6_000],
      [1_000, 6_000],
    ] as const) {
      assert.strictEqual(textOf("4111 1111 1111 1111", from, to), notKept)
    }
  })

  it("keeps the name of a tool that was invoked in the pause, and nothing that it was told or returned", () => {
    const { record } = recordWithPause()
    const invocation = { id: "1", tool_name: "pay", arguments: { card: "4111" }, started_at: at, duration_ms: 300 }
    record.invoked({ ...invocation, result: { card: "4111" } }, 3_000)
    record.invoked({ ...invocation, error: { code: "tool_error", message: "4111 was refused" } }, 4_100)
    assert.notInclude(JSON.stringify([record.tool_invocations, record.transcript]), "4111")
    assert.deepStrictEqual(
      record.tool_invocations.map(({ error, tool_name }) => [tool_name, error?.code]),
      [
        ["pay", undefined],
        ["pay", "tool_error"],
      ],
    )
    record.invoked({ ...invocation, result: { ok: true } }, 4_400)
    assert.deepStrictEqual(record.tool_invocations[2]?.result, { ok: true })
  })
})

it("the evidence of who answered ends with the sign on which the verdict rests, however many came before", () => {
  const record = new CallRecord()
  for (let at_ms = 0; at_ms < 30; at_ms++) record.answeredBy("ivr", { kind: "beep", at_ms })
  record.answeredBy("person", { kind: "beep", at_ms: 30 })
  const { evidence, verdict } = record.answered_by ?? { evidence: [], verdict: null }
  assert.strictEqual(verdict, "person")
  assert.deepStrictEqual([evidence.length, evidence[0]?.at_ms, evidence.at(-1)?.at_ms], [10, 0, 30])
})
