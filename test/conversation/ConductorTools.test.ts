/** The conductor in virtual time: what it does with tools, and with a brain that fails. */
import { assert, describe, it } from "@effect/vitest"
import type { ToolCall } from "../../src/brain/Brain.ts"
import { asked, greeted, type TestTalk } from "../support/Talks.ts"

const look: ToolCall = { name: "look", arguments: { at: "stars" } }

describe("tools", () => {
  it("run at once and in parallel, text before them is spoken at once, and their results come in the order of the calls", () => {
    const talk = asked().thinks("Let me look.", look, { ...look, arguments: {} })
    assert.strictEqual(talk.last("Play")?.piece.text, "Let me look.")
    assert.strictEqual(talk.ran.length, 2)
    talk.results("second").results("first", 0)
    const history = talk.last("Think")?.history ?? []
    assert.deepStrictEqual(
      history.slice(-3).map(({ text }) => text),
      ["Let me look.", '"first"', '"second"'],
    )
  })

  it("take the time that they take once, also while the brain goes on and where one follows another", () => {
    const talk = asked()
    const step = talk.asked
    const call = (at: string) => talk.happens({ ...step, _tag: "Called", call: { name: "look", arguments: { at } } })
    call("stars").wait(300).results("first").wait(100)
    call("moon")
      .wait(200)
      .happens({ ...step, _tag: "StepEnded", thought_ms: 600 })
    talk.wait(400).results("second").thinks("There you are.").wait(3_000)
    assert.deepInclude(talk.last("NoteTurn")?.turn, { tools_ms: 300 + 200 + 400, brain_ms: 600 + 400 })
  })

  it("slow tool keeps thinking after filler: two at most, never the same, and the brain never hears of them", () => {
    const talk = asked().thinks(look).wait(1_199)
    assert.strictEqual(talk.all("Play").length, 1)
    talk.wait(9_700)
    const fillers = talk
      .all("Play")
      .slice(1)
      .map(({ piece }) => piece.text)
    assert.strictEqual(fillers.length, 2)
    assert.notStrictEqual(fillers[0], fillers[1])
    assert.isFalse(talk.talk.reply === null)
    assert.include(talk.last("StopTool")?.answer.error?.code ?? "", "tool_timeout")
    const { history = [] } = talk.last("Think") ?? {}
    assert.isFalse(history.some(({ text }) => fillers.includes(text)))
  })

  it("interrupt during tool: it goes on, the brain is told so, and its result is answered when the floor is free", () => {
    const talk = asked().thinks(look).wait(500).says("Sorry, one thing more.").wait(300)
    assert.isUndefined(talk.last("StopTool"))
    assert.include(talk.last("Think")?.history.find(({ role }) => role === "tool")?.text, "still running")
    talk.thinks("Yes?").results("found")
    assert.strictEqual(talk.all("Think").length, 2)
    talk.wait(400)
    assert.strictEqual(talk.last("Think")?.history.at(-1)?.text, '"found"')
    talk.thinks("It was found.").wait(3_000)
    assert.strictEqual(talk.last("NoteTurn")?.turn.started_by, "tool")
  })

  it("that were not begun when the caller took the floor are dropped, each with one result", () => {
    const talk = asked()
    talk.happens({ _tag: "SpeechStarted", at: talk.now })
    talk.happens({ ...talk.asked, _tag: "Called", call: look })
    assert.deepStrictEqual(talk.ran, [])
    talk
      .wait(700)
      .happens({ _tag: "Utterance", text: "Never mind that.", started_ms: talk.now, ended_ms: talk.now })
      .wait(300)
    assert.deepStrictEqual(talk.ran, [])
    const results = talk.last("Think")?.history.filter(({ role }) => role === "tool") ?? []
    assert.strictEqual(results.length, 1)
    assert.include(results[0]?.text, "cancelled")
  })

  it("tool without a reply returns to listening", () => {
    const talk = asked().thinks(look).results("done").thinks()
    assert.isNull(talk.talk.reply)
    assert.strictEqual(talk.says("And now?").wait(300).all("Think").length, 3)
  })

  it("invalid arguments that are no object never run, and the brain is told", () => {
    const talk = asked().thinks({ name: "look", arguments: "stars" })
    assert.deepStrictEqual(talk.ran, [])
    assert.include(talk.last("Think")?.history.at(-1)?.text, "invalid_arguments")
  })

  it("asked for the third time in a turn with the same arguments is an error, the sixth time in a call its end", () => {
    const talk = asked().thinks(look).results("1").thinks(look).results("2").thinks(look)
    assert.strictEqual(talk.ran.length, 2)
    assert.include(talk.last("Think")?.history.at(-1)?.text, "repeated")
    talk.thinks("Well.").wait(2_000).says("Go on please.").wait(300)
    talk.thinks(look).results("3").thinks(look).results("4").thinks("Well.").wait(2_000)
    talk.says("And on.").wait(300).thinks(look).wait(20_000)
    assert.strictEqual(talk.talk.ended, "agent_error")
    assert.strictEqual(talk.ran.length, 4)
  })

  it("eight in a step and five steps in a turn at most; in the last the brain has to speak", () => {
    const many = Array.from({ length: 12 }, (_, at) => ({ name: "look", arguments: { at } }))
    const talk = asked().thinks(...many)
    assert.strictEqual(talk.ran.length, 8)
    talk.ran.forEach((_, at) => talk.results("x", at))
    for (let step = 2; step < 5; step++) talk.thinks({ name: "look", arguments: { step } }).results("x")
    assert.isTrue(talk.last("Think")?.must_speak)
    talk.thinks(look).wait(4_000)
    assert.strictEqual(talk.all("Think").length, 5)
    assert.include(talk.said.at(-1), "could you say that again?")
  })

  it("switch the language of the fixed sentences, also after the reply that asked for it", () => {
    const talk = asked().thinks(look)
    talk.happens({ _tag: "Ordered", call: talk.ran[0] ?? "", order: { _tag: "Language", language: "de" } })
    talk.results("switched").thinks("Gern.").wait(12_000)
    assert.include(talk.said, "Gern.")
    assert.include(talk.said, "Sind Sie noch da?")
  })

  it("of a reply that was cut short cannot hang up, nor transfer", () => {
    const talk = asked().thinks(look).wait(100).says("No, stay with me.")
    talk.happens({ _tag: "Ordered", call: talk.ran[0] ?? "", order: { _tag: "End" } }).wait(300)
    talk.thinks("I stay.").wait(5_000)
    assert.isNull(talk.talk.ended)
  })
})

describe("a brain", () => {
  it("that hangs for ten seconds is given up: a sentence once, an apology and the end the second time", () => {
    const talk = asked().wait(10_000)
    assert.isDefined(talk.last("StopThinking"))
    talk.wait(6_000)
    assert.include(talk.said.at(-1), "lost my thread")
    talk
      .says("What is new?")
      .wait(300)
      .happens({ ...talk.asked, _tag: "StepFailed", thought_ms: 5 })
      .wait(8_000)
    assert.include(talk.said.at(-1), "something went wrong")
    assert.strictEqual(talk.talk.ended, "agent_error")
  })

  it("that fails again after it has answered is forgiven again", () => {
    const fails = (talk: TestTalk) => talk.happens({ ...talk.asked, _tag: "StepFailed", thought_ms: 5 }).wait(6_000)
    const talk = fails(asked())
    talk.says("What is new?").wait(300).thinks("Nothing is new.").wait(5_000)
    fails(talk.says("And what is old?").wait(300))
    assert.include(talk.said.at(-1), "lost my thread")
    assert.isNull(talk.talk.ended)
  })

  it("without an answer is asked once more, then the caller is", () => {
    const talk = asked().thinks()
    assert.strictEqual(talk.all("Think").length, 2)
    assert.include(talk.thinks().wait(4_000).said.at(-1), "could you say that again?")
  })

  it("that never stops is stopped, and what it said is said", () => {
    const talk = asked()
    for (let at = 0; at < 200; at++) {
      talk.happens({ ...talk.asked, _tag: "Said", text: "And so on, and on, and on, for a while.", after_ms: 0 })
    }
    assert.isDefined(talk.last("StopThinking"))
    assert.isFalse(talk.talk.reply?.thinking)
    assert.isNull(talk.talk.ended)
  })

  it("is told when the call has less than twenty seconds left", () => {
    assert.isFalse(asked().last("Think")?.wrap_up)
    const late = greeted({ max_ms: 30_000 }).wait(8_500).says("Is that so?").wait(300)
    assert.isTrue(late.last("Think")?.wrap_up)
  })
})
