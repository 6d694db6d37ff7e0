/** The conductor in virtual time: what a caller is told before anything else on a call that is recorded. */
import { assert, describe, it } from "@effect/vitest"
import type { Setup } from "../../src/conversation/Talk.ts"
import { TestTalk } from "../support/Talks.ts"

const notice = "This call is recorded."
const greeting = "Hello, this is Rosa."

const talkOf = (change: Partial<Setup> = {}) => new TestTalk({ notice, meets_machines: false, ...change })
const isAnnounced = (talk: TestTalk) => talk.last("NoteAnnounced") !== undefined

describe("the notice of a recording", () => {
  it("is said before the first message, and both sides are recorded when it was heard", () => {
    const talk = talkOf().wait(300).says("Hello?").wait(1_500)
    assert.deepStrictEqual([talk.said, isAnnounced(talk)], [[], false])
    talk.wait(200)
    assert.deepStrictEqual([talk.said, isAnnounced(talk)], [[notice], true])
    assert.deepStrictEqual(talk.wait(2_000).said, [notice, greeting])
    assert.strictEqual(talk.all("NoteAnnounced").length, 1)
  })

  it("cannot be interrupted, also where the agent can; the first message follows what is said meanwhile", () => {
    for (const words of ["Hello?", "I want to book a table."]) {
      const talk = talkOf().wait(1_300).says(words)
      assert.isUndefined(talk.last("Cut"))
      assert.deepStrictEqual(talk.wait(3_000).said, [notice, greeting])
    }
  })

  it("is said once more if a sound came before any of it was heard", () => {
    const talk = talkOf({ manners: { first_word_ms: 100, endpoint_ms: () => 600 } })
    talk.wait(100).happens({ _tag: "SpeechStarted", at: talk.now }).wait(700)
    talk.happens({ _tag: "Utterance", text: "Hello?", started_ms: 100, ended_ms: talk.now })
    assert.deepStrictEqual(talk.wait(6_000).said, [notice, greeting])
  })

  it("is followed by the answer to the caller's words, if the agent has no first message", () => {
    const talk = talkOf({ greeting: "" }).wait(300).says("What are your hours?").wait(3_000)
    assert.deepStrictEqual(talk.said, [notice])
    assert.strictEqual(talk.last("Think")?.history.at(-1)?.text, notice)
    assert.strictEqual(talk.last("Think")?.history[0]?.text, "What are your hours?")
  })

  it("gives way to a wish not to be called, which is not greeted", () => {
    const talk = talkOf().wait(1_300).says("Never call me again.").wait(2_000)
    assert.isDefined(talk.last("OptOut"))
    assert.deepStrictEqual(talk.said, [notice])
  })

  it("is not told to a machine, which is not recorded either", () => {
    const talk = talkOf({ meets_machines: true, leaves_message: true }).wait(300)
    talk.says("You have reached the voicemail of Ada. Please leave a message after the tone.")
    talk.happens({ _tag: "Beep" }).wait(4_000)
    assert.deepStrictEqual([talk.said, isAnnounced(talk)], [[greeting], false])
  })
})
