import { assert, describe, it } from "@effect/vitest"
import { greeted, TestTalk } from "../support/Talks.ts"

const model = { has_voice_model: true, meets_machines: false }
const ended = { _tag: "StepEnded", thought_ms: 0 } as const
const greeting = { ...model, greeting: "Hello. This is Rosa of the clinic. Do you have a moment?" }
const callers = (talk: TestTalk) =>
  talk.all("Note").flatMap(({ spoken }) => (spoken.role === "caller" ? [spoken.text] : []))

describe("a talk of an agent with a voice model", () => {
  it("answers the caller's sound before its words are known, which take their place when they are", () => {
    const talk = greeted(model).isHeard(1).wait(700)
    assert.deepStrictEqual(talk.last("Think")?.history.at(-1), { role: "caller", text: "", utterance: 1 })
    talk.speaks("item", "At nine").understood(1, "When do you open?")
    talk.happens({ _tag: "Worded", of: { sound: "item" }, text: "At nine o'clock." })
    talk.happens({ ...talk.asked, ...ended }).wait(3_000)
    assert.deepStrictEqual(talk.talk.history.slice(-2), [
      { role: "caller", text: "When do you open?", utterance: 1 },
      { role: "agent", text: "At nine o'clock.", sound: "item" },
    ])
    assert.deepStrictEqual(callers(talk).at(-1), "When do you open?")
    assert.deepStrictEqual(talk.said.at(-1), "At nine o'clock.")
    assert.lengthOf(talk.all("Think"), 1)
  })

  it("answers nothing that had no words, if they are known in time", () => {
    const talk = greeted(model).isHeard(1, 300).understood(1, "").wait(2_000)
    assert.lengthOf(talk.all("Think"), 0)
    assert.isUndefined(talk.talk.history.find(({ utterance }) => utterance === 1))
  })

  it("waits longer for the rest of a sentence whose words are known to be unfinished", () => {
    const talk = greeted({
      ...model,
      manners: { first_word_ms: 1_200, endpoint_ms: (text) => (text.endsWith("is") ? 1_500 : 600) },
    })
    talk.isHeard(1).understood(1, "My name is").wait(1_000)
    assert.lengthOf(talk.all("Think"), 0)
    talk.isHeard(2).understood(2, "Ada.").wait(700)
    assert.deepStrictEqual(
      talk
        .last("Think")
        ?.history.slice(-2)
        .map(({ text }) => text),
      ["My name is", "Ada."],
    )
  })

  it("hears a wish not to be called in words that come only when the answer is being said", () => {
    const talk = greeted(model).isHeard(1).wait(700).speaks("item", "I would like to tell you about it.").wait(500)
    assert.isUndefined(talk.last("OptOut"))
    talk.understood(1, "Please stop calling me.").wait(100)
    assert.isDefined(talk.last("OptOut"))
    assert.isDefined(talk.last("Cut"))
    talk.happens({ _tag: "OptedOut" }).wait(20_000)
    assert.strictEqual(talk.talk.ended, "opted_out")
  })

  it("hears that wish in words that come after the caller has hung up", () => {
    const talk = greeted({ ...model, has_tools: false })
      .isHeard(1)
      .happens({ _tag: "Gone", how: "hung_up" })
    assert.isNull(talk.talk.ended)
    talk.understood(1, "Please stop calling me.").happens({ _tag: "OptedOut" })
    assert.strictEqual(talk.talk.ended, "opted_out")
  })

  it("waits for the words over its own voice: an acknowledgement does not interrupt it", () => {
    const talk = new TestTalk(greeting).wait(1_500)
    talk.isHeard(1, 300)
    assert.isDefined(talk.last("Hold"))
    talk.understood(1, "Mm-hm.").wait(100)
    assert.isUndefined(talk.last("Cut"))
    assert.isDefined(talk.last("Resume"))
    talk.isHeard(2, 300).understood(2, "Not now, please.").wait(10)
    assert.isDefined(talk.last("Cut"))
    assert.deepStrictEqual(talk.talk.history.at(-1), { role: "caller", text: "Not now, please.", utterance: 2 })
  })

  it("does not greet a machine, whose words it waits for", () => {
    const talk = new TestTalk({ ...model, meets_machines: true }).wait(200).isHeard(1, 2_500).wait(1_000)
    assert.deepStrictEqual(talk.all("Play"), [])
    talk.understood(1, "Please leave a message after the tone.")
    assert.strictEqual(talk.talk.ended, "voicemail")
  })

  it("has not said what the line never got", () => {
    const talk = greeted(model).isHeard(1).wait(700)
    for (const sound of ["one", "two", "three"]) talk.speaks(sound, "A sentence of several words.")
    talk.wait(300).isHeard(2, 1_100)
    assert.deepStrictEqual(talk.last("Forget")?.sounds, ["three"])
  })

  it("has in its record what was said in place of a fixed sentence", () => {
    const talk = new TestTalk(greeting).wait(1_500)
    const piece = talk.last("Play")?.piece.id ?? 0
    talk.happens({ _tag: "Worded", of: { piece }, text: "Hi, this is Rosa." }).wait(9_000)
    assert.deepStrictEqual(talk.said[0], "Hi, this is Rosa.")
    assert.lengthOf(
      talk.all("Play").filter(({ piece }) => piece.text.startsWith("Hello")),
      1,
    )
  })
})

describe("a talk whose voice model is lost", () => {
  it("ends as the agent's error if nothing can take its place", () => {
    assert.strictEqual(greeted(model).happens({ _tag: "ModelLost", isReplaced: false }).talk.ended, "agent_error")
  })

  it("asks again what was not answered", () => {
    const talk = greeted(model).isHeard(1).understood(1, "When do you open?").wait(700)
    talk.happens({ _tag: "ModelLost", isReplaced: true })
    assert.deepStrictEqual(talk.last("Think")?.history.at(-1)?.text, "When do you open?")
    assert.lengthOf(talk.all("Think"), 2)
    talk.thinks("At nine. We close at five.").wait(5_000)
    assert.strictEqual(talk.said.at(-1), "At nine. We close at five.")
  })

  it("hears again what was not understood, and answers that once", () => {
    const talk = greeted(model).isHeard(1).wait(700)
    talk.happens({ _tag: "ModelLost", isReplaced: true })
    assert.lengthOf(talk.all("Think"), 1)
    talk.happens({
      _tag: "Utterance",
      text: "When do you open?",
      started_ms: talk.now - 2_000,
      ended_ms: talk.now - 800,
    })
    talk.wait(700)
    assert.lengthOf(talk.all("Think"), 2)
    assert.lengthOf(talk.last("Think")?.history.filter(({ text }) => text === "When do you open?") ?? [], 1)
  })

  it("apologises for a sentence that broke off", () => {
    const talk = greeted(model).isHeard(1).understood(1, "When do you open?").wait(700).speaks("item", "We are open")
    talk.happens({ _tag: "ModelLost", isReplaced: true }).wait(5_000)
    assert.match(talk.said.at(-1) ?? "", /We are open/)
    assert.isNull(talk.talk.ended)
  })
})
