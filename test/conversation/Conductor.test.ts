/** The conductor in virtual time: pure, no clock but the test's. */
import { assert, describe, it } from "@effect/vitest"
import type { ToolCall } from "../../src/brain/Brain.ts"
import { inWriting } from "../../src/telephony/Manners.ts"
import { asked, greeted, TestTalk } from "../support/Talks.ts"

const look: ToolCall = { name: "look", arguments: { at: "stars" } }
const story = "Once upon a time there was a very small dog that nobody knew."

describe("the opening", () => {
  it("greets when the caller's first utterance ends, or after 1.2 s of silence", () => {
    const first = new TestTalk().wait(300).says("Hello?")
    assert.strictEqual(first.last("Play")?.piece.text, "Hello, this is Rosa.")
    const silent = new TestTalk().wait(1_199)
    assert.isUndefined(silent.last("Play"))
    assert.isDefined(silent.wait(1).last("Play"))
  })

  it("in writing the agent begins at once, and answers a text as soon as it is there", () => {
    const talk = new TestTalk({ manners: inWriting }).wait(1)
    assert.strictEqual(talk.last("Play")?.piece.text, "Hello, this is Rosa.")
    const answered = new TestTalk({ manners: inWriting, greeting: "" }).says("Hello?").wait(1)
    assert.deepStrictEqual(answered.last("Think")?.history, [{ role: "caller", text: "Hello?" }])
  })

  it("greets again if it was talked over before a word of it was heard, and its words answer what was said", () => {
    const talk = new TestTalk().wait(1_200)
    const started_ms = talk.now
    talk.happens({ _tag: "SpeechStarted", at: started_ms }).wait(1_100)
    assert.isDefined(talk.last("Cut"))
    const ended_ms = talk.now - 240
    talk.happens({ _tag: "SpeechEnded", at: ended_ms }).wait(1_000)
    talk.happens({ _tag: "Utterance", text: "Hello?", started_ms, ended_ms }).wait(10_000)
    assert.strictEqual(talk.said[0], "Hello, this is Rosa.")
    assert.deepStrictEqual(talk.all("Think"), [])
  })

  it("goes on with the greeting when words of before it are recognised late", () => {
    const talk = new TestTalk().wait(300).happens({ _tag: "SpeechStarted", at: 300 }).wait(400)
    talk.happens({ _tag: "SpeechEnded", at: 700 }).wait(700)
    talk.happens({ _tag: "Utterance", text: "Hello?", started_ms: 300, ended_ms: 700 }).wait(10_000)
    assert.strictEqual(talk.said[0], "Hello, this is Rosa.")
    assert.isUndefined(talk.last("Cut"))
    assert.deepStrictEqual(talk.all("Think"), [])
  })

  it("without a greeting the caller's words are answered", () => {
    const talk = new TestTalk({ greeting: "" }).wait(300).says("Hello?").wait(300)
    assert.deepStrictEqual(talk.last("Think")?.history, [{ role: "caller", text: "Hello?" }])
  })
})

it("waits for the caller who speaks again before the words from before are recognised, and answers all of it", () => {
  const talk = greeted()
  const started_ms = talk.now
  talk.happens({ _tag: "SpeechStarted", at: started_ms }).wait(500)
  const ended_ms = talk.now
  talk.happens({ _tag: "SpeechEnded", at: ended_ms }).wait(300)
  const again_ms = talk.now
  talk.happens({ _tag: "SpeechStarted", at: again_ms }).wait(100)
  talk.happens({ _tag: "Utterance", text: "What is new", started_ms, ended_ms }).wait(3_000)
  assert.isUndefined(talk.last("Think"))
  const silent_ms = talk.now
  talk.happens({ _tag: "SpeechEnded", at: silent_ms })
  talk.happens({ _tag: "Utterance", text: "in town?", started_ms: again_ms, ended_ms: silent_ms }).wait(3_000)
  const history = talk.last("Think")?.history.slice(-2)
  assert.deepStrictEqual(
    history?.map(({ text }) => text),
    ["What is new", "in town?"],
  )
})

describe("a call that the other side has put on hold", () => {
  const held = (talk: TestTalk) => talk.happens({ _tag: "PeerHeld" })
  const back = (talk: TestTalk) => talk.happens({ _tag: "PeerBack" })

  it("is silent until the other side is back, and goes on where it stopped", () => {
    const talk = held(asked().thinks(story).wait(1_000))
    assert.isDefined(talk.last("Hold"))
    const { playing } = talk
    talk.wait(60_000)
    assert.deepStrictEqual(talk.playing, playing)
    assert.isUndefined(talk.last("Resume"))
    back(talk).wait(60_000)
    assert.include(talk.said, story)
    assert.isFalse(talk.last("NoteTurn")?.turn.interrupted)
  })
  it("is not asked 'Are you still there?' while it is held, and has all its time when it is back", () => {
    const talk = held(greeted()).wait(120_000)
    const before = talk.said.length
    back(talk).wait(7_900)
    assert.strictEqual(talk.said.length, before)
    assert.match(talk.wait(3_000).said.at(-1) ?? "", /still there/)
  })
  it("hears no words in the music, and answers what was said before it", () => {
    const talk = greeted()
    const started_ms = talk.now
    held(talk.happens({ _tag: "SpeechStarted", at: started_ms }).wait(800))
    const ended_ms = talk.now
    talk.wait(200).happens({ _tag: "Utterance", text: "What is new?", started_ms, ended_ms })
    talk.wait(5_000).says("I was made for loving you").happens({ _tag: "Misheard" }).wait(5_000)
    assert.isUndefined(talk.last("Think"))
    back(talk).wait(10)
    const history = talk.last("Think")?.history ?? []
    assert.deepStrictEqual(history.at(-1), { role: "caller", text: "What is new?" })
    assert.notInclude(JSON.stringify(talk.all("Note")), "loving")
  })
  it("gets words that are ready meanwhile only when it is back", () => {
    const talk = held(asked()).thinks("Nothing is new.").wait(20_000)
    assert.notInclude(talk.said, "Nothing is new.")
    assert.include(back(talk).wait(5_000).said, "Nothing is new.")
  })
  it("ends with the longest time of a call, or when the other side hangs up", () => {
    assert.strictEqual(held(greeted({ max_ms: 60_000 })).wait(60_000).talk.ended, "max_duration")
    const gone = held(greeted()).wait(5_000).happens({ _tag: "Gone", how: "hung_up" })
    assert.strictEqual(gone.talk.ended, "caller_hung_up")
  })
})

it("a key that is pressed is in no history and no record", () => {
  const talk = greeted().happens({ _tag: "Key", digit: "7" }).says("What is new?").wait(300)
  assert.notInclude(JSON.stringify(talk.commands), '7"')
})

describe("barge-in", () => {
  it("holds at the first sound, and cuts after 1.1 s of it: what was heard stays, the rest is in the record alone", () => {
    const talk = asked().thinks(story).wait(2_000)
    talk.happens({ _tag: "SpeechStarted", at: talk.now })
    assert.isDefined(talk.last("Hold"))
    talk.wait(1_000)
    assert.isUndefined(talk.last("Cut"))
    talk.wait(100)
    assert.isDefined(talk.last("Cut"))
    assert.strictEqual(talk.said.at(-1), "Once upon a time there")
    assert.isTrue(talk.last("Note")?.spoken.interrupted)
    const turn = talk.last("NoteTurn")?.turn
    assert.strictEqual(turn?.unheard, "was a very small dog that nobody knew.")
    talk.happens({ _tag: "Utterance", text: "Wait, who?", started_ms: talk.now, ended_ms: talk.now }).wait(300)
    const history = talk.last("Think")?.history ?? []
    assert.deepStrictEqual(history.at(-2), { role: "agent", text: "Once upon a time there", interrupted: true })
    assert.notInclude(JSON.stringify(history), "small dog")
  })

  it("at the first two words, and at one that wants silence", () => {
    for (const [words, cuts] of [
      ["uh-huh", false],
      ["yes okay", false],
      ["dog", false],
      ["stop", true],
      ["which dog", true],
    ] as const) {
      const talk = asked().thinks(story).wait(1_000)
      talk.happens({ _tag: "SpeechStarted", at: talk.now }).happens({ _tag: "Words", text: words })
      assert.strictEqual(talk.last("Cut") !== undefined, cuts, words)
    }
  })

  it("a back-channel is heard, and the agent goes on with the same word", () => {
    const talk = asked().thinks(story).wait(1_000)
    const before = talk.playing?.played_ms
    talk.says("Mm-hm.")
    assert.isUndefined(talk.last("Cut"))
    assert.strictEqual(talk.playing?.played_ms, before)
    talk.wait(10_000)
    assert.strictEqual(talk.said.at(-1), story)
    assert.strictEqual(talk.all("Think").length, 1)
  })

  it("a back-channel of 700 ms, whose end is known 360 ms later, does not cut: the whole story is said, once", () => {
    const talk = asked().thinks(story).wait(1_000)
    const started_ms = talk.now
    talk.happens({ _tag: "SpeechStarted", at: started_ms }).wait(700 + 360)
    const ended_ms = started_ms + 700
    talk.happens({ _tag: "SpeechEnded", at: ended_ms }).wait(250)
    talk.happens({ _tag: "Utterance", text: "Okay, thank you.", started_ms, ended_ms }).wait(10_000)
    assert.isUndefined(talk.last("Cut"))
    assert.strictEqual(talk.said.at(-1), story)
    assert.strictEqual(talk.all("Think").length, 1)
  })

  it("false interruption: a noise without words, and the agent goes on after 1.2 s at the latest", () => {
    const talk = asked().thinks(story).wait(1_000)
    talk.happens({ _tag: "SpeechStarted", at: talk.now }).wait(300)
    talk.happens({ _tag: "SpeechEnded", at: talk.now }).wait(899)
    assert.isUndefined(talk.last("Resume"))
    assert.isDefined(talk.wait(1).last("Resume"))
    talk.wait(10_000)
    assert.strictEqual(talk.said.at(-1), story)
  })

  it("interruption before speaking: the reply is dropped unheard, and both utterances are answered as one turn", () => {
    const talk = asked().says("I mean on Monday.")
    assert.isDefined(talk.last("StopThinking"))
    talk.happens({ ...talk.asked, _tag: "Said", text: "Too late.", after_ms: 0 })
    assert.strictEqual(talk.all("Play").length, 1)
    talk.wait(300)
    assert.deepStrictEqual(
      talk
        .last("Think")
        ?.history.slice(-2)
        .map(({ text }) => text),
      ["What is new?", "I mean on Monday."],
    )
  })

  it("false interruption before speaking resumes: what came meanwhile is said", () => {
    const talk = asked()
    talk.happens({ _tag: "SpeechStarted", at: talk.now }).thinks("Nothing is new.")
    assert.strictEqual(talk.all("Play").length, 1)
    talk.wait(200).happens({ _tag: "SpeechEnded", at: talk.now }).wait(1_000)
    assert.strictEqual(talk.last("Play")?.piece.text, "Nothing is new.")
    assert.strictEqual(talk.wait(5_000).said.at(-1), "Nothing is new.")
  })

  it("late end of speech after the turn was committed changes nothing", () => {
    const talk = asked()
    const before = talk.talk.reply
    talk.happens({ _tag: "SpeechEnded", at: talk.now })
    assert.strictEqual(talk.talk.reply?.id, before?.id)
    assert.isTrue(talk.talk.reply?.thinking)
    assert.strictEqual(talk.thinks("Nothing.").wait(3_000).said.at(-1), "Nothing.")
  })

  it("of an agent that may not be interrupted is ignored until it has spoken; then it answers what was said meanwhile", () => {
    const talk = asked({ interruptible: false }).thinks(story).wait(1_000).says("What about Monday?")
    assert.isUndefined(talk.last("Hold"))
    talk.wait(10_000)
    assert.strictEqual(talk.said.at(-1), story)
    assert.deepStrictEqual(
      talk
        .last("Think")
        ?.history.slice(-2)
        .map(({ text }) => text),
      [story, "What about Monday?"],
    )
  })
})

describe("speech", () => {
  it("is handed to the line two pieces ahead of the ear, and the brain's next words wait for room", () => {
    const talk = asked()
    assert.strictEqual(talk.last("Think")?.room, 2)
    talk.thinks("One is here.", "Two is here.", "Three is here.")
    assert.strictEqual(talk.all("Play").length, 3)
    talk.wait(1_200)
    assert.strictEqual(talk.all("Play").length, 4)
    assert.strictEqual(talk.all("MakeRoom").length, 1)
    assert.strictEqual(talk.wait(5_000).said.at(-1), "One is here. Two is here. Three is here.")
  })

  it("of an earlier step is dropped", () => {
    const talk = asked()
    const old = talk.asked
    talk.says("No, wait.").wait(300)
    talk
      .happens({ ...old, _tag: "Said", text: "Old.", after_ms: 0 })
      .happens({ ...old, _tag: "StepEnded", thought_ms: 0 })
    assert.strictEqual(talk.thinks("New.").wait(3_000).said.at(-1), "New.")
  })
})

describe("silence", () => {
  it("is counted from the last sound that was heard to its end: 8 s, 8 s, 6 s, goodbye", () => {
    const talk = greeted()
    const times = [8_000, 8_000, 6_000].map((ms) => {
      const before = talk.all("Play").length
      talk.wait(ms - 1)
      assert.strictEqual(talk.all("Play").length, before)
      talk.wait(1)
      assert.isAbove(talk.all("Play").length, before)
      return talk.wait(talk.playing?.length_ms ?? 0)
    })
    assert.strictEqual(times.length, 3)
    talk.wait(8_000)
    assert.strictEqual(talk.talk.ended, "silence")
  })

  it("is not counted while a tool runs or the brain thinks", () => {
    const talk = asked({ silence_ms: 4_400 }).thinks(look).wait(9_000)
    assert.isFalse(talk.said.some((text) => text.includes("still there")))
  })
})
