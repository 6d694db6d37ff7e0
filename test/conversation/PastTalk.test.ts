/** What a talk that goes on in another process knows of its past, and what it does first. */
import { assert, describe, it } from "@effect/vitest"
import * as Conductor from "../../src/conversation/Conductor.ts"
import * as PastTalk from "../../src/conversation/PastTalk.ts"
import * as Timers from "../../src/conversation/Timers.ts"
import type { ToolInvocation, TranscriptEntry, Turn } from "../../src/domain/Call.ts"
import { inWriting } from "../../src/telephony/Manners.ts"
import { setup } from "../support/Talks.ts"

const entry = (role: TranscriptEntry["role"], text: string, ms: number, more: Partial<TranscriptEntry> = {}) =>
  ({ role, text, at: new Date(0), started_ms: ms, ended_ms: ms, ...more }) satisfies TranscriptEntry

/** A reply to words that ended at this moment. */
const answered = (caller_ended_ms: number | null): Turn => ({
  turn: 1,
  started_by: caller_ended_ms === null ? "agent" : "caller",
  caller_ended_ms,
  endpoint_ms: 0,
  brain_ms: 0,
  tools_ms: 0,
  first_word_ms: null,
  drained_ms: null,
  response_ms: null,
  interrupted: false,
})

const lookUp: ToolInvocation = {
  id: "t1",
  tool_name: "look_up",
  arguments: { order: 17 },
  result: { state: "sent" },
  started_at: new Date(0),
  duration_ms: 1,
}
const result = entry("tool", '{"state":"sent"}', 300, { tool_invocation_id: "t1", tool_name: "look_up" })

const begin = (transcript: ReadonlyArray<TranscriptEntry>, turns: ReadonlyArray<Turn>) => {
  const past = PastTalk.from({ disclosure: null, transcript, turns, tool_invocations: [lookUp] })
  const talk = Conductor.begin({ ...setup, meets_machines: false, manners: inWriting }, past)
  const { at, timer } = Timers.next(talk)
  const [after, commands] = Conductor.step(talk, { _tag: "Due", timer }, { at: Math.max(500, at), playing: null })
  return { past, timer, after, commands: commands.map(({ _tag }) => _tag) }
}

const greeted = entry("agent", "Good day.", 0)

describe("a talk that goes on", () => {
  it("does not greet, and is silent if the last words were answered", () => {
    const { past, timer } = begin(
      [greeted, entry("caller", "Hello?", 100), entry("agent", "Yes?", 200)],
      [answered(null), answered(100)],
    )
    assert.isNull(past.owed)
    assert.strictEqual(past.turns, 2)
    assert.strictEqual(timer, "silence")
  })
  it("answers the other side's last words, all that came since the last answer", () => {
    const { after, commands, past, timer } = begin(
      [greeted, entry("caller", "Where is it?", 100), entry("caller", "My order.", 200)],
      [answered(null)],
    )
    assert.deepStrictEqual(past.owed, { text: "Where is it? My order.", ended_ms: 200 })
    assert.strictEqual(timer, "endpoint")
    assert.deepStrictEqual(commands, ["Think"])
    assert.strictEqual(after.reply?.started_by, "caller")
  })
  it("knows what tools found before it, and does not forget the question", () => {
    const { commands, past } = begin([greeted, entry("caller", "Where is it?", 100), result], [answered(null)])
    assert.strictEqual(past.owed?.text, "Where is it?")
    assert.deepStrictEqual(past.history.at(-1), {
      role: "tool",
      text: '{"state":"sent"}',
      tool_name: "look_up",
      arguments: { order: 17 },
      call: "t1",
    })
    assert.deepStrictEqual(commands, ["Think"])
  })
  it("puts the question behind the half of an answer that was said", () => {
    const { past } = begin(
      [greeted, entry("caller", "Where is it?", 100), entry("agent", "One moment, please.", 200)],
      [answered(null)],
    )
    assert.deepStrictEqual(
      past.history.map(({ role, text }) => `${role}: ${text}`),
      ["agent: Good day.", "agent: One moment, please.", "caller: Where is it?"],
    )
  })
  it("confirms a wish not to be contacted that was not confirmed before", () => {
    const { commands } = begin([greeted, entry("caller", "Never call me again.", 100)], [answered(null)])
    assert.deepStrictEqual(commands, ["OptOut"])
  })
  it("ends at the limit of the call, counted from its answer", () => {
    const { timer } = begin([greeted, entry("caller", "Hello?", 100)], [answered(100)])
    assert.notStrictEqual(timer, "hard_end")
    const past = PastTalk.from({ disclosure: null, transcript: [greeted], turns: [], tool_invocations: [] })
    const talk = Conductor.begin({ ...setup, max_ms: 1_000, manners: inWriting }, past)
    assert.deepStrictEqual(Conductor.step(talk, { _tag: "Due", timer: "hard_end" }, { at: 9_000, playing: null })[1], [
      { _tag: "End", reason: "max_duration" },
    ])
  })
})
