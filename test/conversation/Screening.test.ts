/** Calls that an assistant of the called person screens, in virtual time. */
import { assert, describe, it } from "@effect/vitest"
import { TestTalk } from "../support/Talks.ts"

const asksWho = "Hi. If you record your name and reason for calling, I'll see if this person is available."
const greeting = "Hello, this is Rosa."
const screened = () => new TestTalk({ leaves_message: true }).wait(300).says(asksWho).wait(5_000)

describe("a call that is screened", () => {
  it("tells the assistant who calls, and leaves no message", () => {
    const talk = screened()
    assert.deepStrictEqual(talk.said, [greeting])
    assert.isUndefined(talk.last("NoteMessageLeft"))
  })

  it("waits in silence while the assistant asks the called person", () => {
    const talk = screened().says("Okay, please stay on the line.").wait(30_000)
    assert.deepStrictEqual(talk.said, [greeting])
    assert.deepStrictEqual(talk.all("Think"), [])
    assert.isNull(talk.talk.ended)
  })

  it("greets the person that takes it, and goes on as any call", () => {
    const talk = screened().says("Please stay on the line.").wait(10_000).says("Hello?").wait(5_000)
    assert.deepStrictEqual(talk.said, [greeting, greeting])
    talk.says("What do you want?").wait(1_000)
    assert.isDefined(talk.last("Think"))
    assert.isUndefined(talk.last("NoteMachine"))
  })

  it("is recognised by its next sentence, when a recogniser lost the words that ask for a name", () => {
    const talk = new TestTalk().wait(300).says("Hi, please your name and why calling.")
    assert.deepStrictEqual(
      talk.all("NoteAnsweredBy").map(({ verdict }) => verdict),
      ["person"],
    )
    talk.wait(5_000).says("Please stay on the line.").wait(10_000)
    assert.deepStrictEqual(
      talk.all("NoteAnsweredBy").map(({ verdict }) => verdict),
      ["person", "screening"],
    )
    talk.says("Hello?").wait(5_000)
    assert.strictEqual(talk.said.at(-1), greeting)
    assert.strictEqual(talk.last("NoteAnsweredBy")?.verdict, "person")
  })

  it("becomes a voicemail when the assistant says so, and the message follows its tone", () => {
    const talk = screened().says("This person is not available. Please leave a message after the tone.").wait(500)
    talk.happens({ _tag: "Beep" }).wait(10_000)
    assert.isDefined(talk.last("NoteMessageLeft"))
    assert.strictEqual(talk.talk.ended, "voicemail")
  })

  it("ends as a machine's when it is hung up, or after 45 seconds without a word", () => {
    const refused = screened().happens({ _tag: "Gone", how: "hung_up" })
    assert.strictEqual(refused.talk.ended, "voicemail")
    assert.isDefined(refused.last("NoteMachine"))
    assert.strictEqual(screened().wait(46_000).talk.ended, "voicemail")
  })
})

describe("a machine", () => {
  it("is recognised in its second sentence too", () => {
    const talk = new TestTalk().wait(300).says("Hi, this is Bob.").says("I can't come to the phone, leave a message.")
    assert.strictEqual(talk.talk.ended, "voicemail")
  })
  it("with a full mailbox gets no message", () => {
    const talk = new TestTalk({ leaves_message: true }).wait(300).says("The mailbox of this person is full. Goodbye.")
    assert.strictEqual(talk.talk.ended, "voicemail")
    assert.isUndefined(talk.last("NoteMessageLeft"))
  })
  it("is not looked for where no phone was called: a visitor may write of voicemail", () => {
    const talk = new TestTalk({ meets_machines: false })
      .wait(1)
      .says("Please leave a message for my doctor on the voicemail.")
    assert.isNull(talk.wait(1_000).talk.ended)
  })
})

describe("a tone", () => {
  it("in the middle of a conversation is the caller's oven, not a machine", () => {
    const talk = new TestTalk().wait(300)
    for (const words of ["Hello?", "Yes, speaking.", "Tell me more."]) talk.says(words).wait(6_000)
    assert.isNull(talk.happens({ _tag: "Beep" }).wait(1_000).talk.ended)
  })
})

describe("the fixed sentences", () => {
  it("are in the language of the agent", () => {
    const talk = new TestTalk({ language: "de-AT" }).wait(2_000).wait(20_000)
    assert.include(talk.said.join(" "), "Sind Sie noch da?")
  })
})
