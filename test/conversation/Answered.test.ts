/** Who answered, as the call has it: a verdict, and what was heard that led to it. */
import { assert, describe, it } from "@effect/vitest"
import { CallRecord } from "../../src/conversation/CallRecord.ts"
import { TestTalk } from "../support/Talks.ts"

/** What the record of the call has of the talk. */
const answeredBy = (talk: TestTalk) => {
  const record = new CallRecord()
  for (const { evidence, verdict } of talk.all("NoteAnsweredBy")) record.answeredBy(verdict, evidence)
  return record.answered_by
}
const outcomeOf = (talk: TestTalk) => [talk.talk.ended, talk.last("NoteUnreached")?.outcome ?? null]
const sales = "Thank you for calling. For sales, press 1. For support, press 2."

describe("what answered a call", () => {
  it("is a person, by the first words", () => {
    const talk = new TestTalk().wait(300).says("Hello?")
    const [words] = talk.all("Note")
    assert.deepStrictEqual(answeredBy(talk), {
      verdict: "person",
      evidence: [{ kind: "words", at_ms: talk.now, started_ms: words?.spoken.started_ms ?? -1 }],
    })
    talk.wait(5_000).says("Please leave a message for me with my assistant, I am not available.").wait(8_000)
    assert.strictEqual(answeredBy(talk)?.evidence[0]?.at_ms, words?.spoken.ended_ms)
  })
  it("is a voicemail, by its words and then its tone", () => {
    const talk = new TestTalk({ leaves_message: true }).wait(300)
    talk.says("Hi, this is Bob.").says("I can't come to the phone, leave a message.").wait(1_000)
    talk.happens({ _tag: "Beep" })
    assert.strictEqual(answeredBy(talk)?.verdict, "voicemail")
    assert.deepStrictEqual(
      answeredBy(talk)?.evidence.map(({ kind }) => kind),
      ["words", "words", "beep"],
    )
  })
  it("is a voicemail by its tone alone, after a greeting that could be a person's", () => {
    const talk = new TestTalk().wait(300).says("This is Bob, catch me some other time.").wait(800)
    assert.strictEqual(answeredBy(talk)?.verdict, "person")
    talk.happens({ _tag: "Beep" })
    assert.deepStrictEqual([answeredBy(talk)?.verdict, answeredBy(talk)?.evidence.at(-1)?.kind], ["voicemail", "beep"])
  })
  it("is a person, though something beeps in the room", () => {
    const soon = new TestTalk().wait(300).says("Hello, who is this?").wait(500).happens({ _tag: "Beep" })
    assert.strictEqual(answeredBy(soon)?.verdict, "person")
    const late = new TestTalk({ greeting: "" }).wait(300).says("This is Bob, what can I do?")
    assert.strictEqual(answeredBy(late.wait(8_000).happens({ _tag: "Beep" }))?.verdict, "person")
  })
  it("is a voicemail by the carrier's word", () => {
    const talk = new TestTalk().wait(3_000).happens({ _tag: "Beep", said: "machine_end_beep" })
    assert.deepStrictEqual(answeredBy(talk), {
      verdict: "voicemail",
      evidence: [{ kind: "carrier", said: "machine_end_beep", at_ms: 3_000 }],
    })
  })
  it("is a voicemail that is full", () => {
    const talk = new TestTalk({ leaves_message: true }).wait(300).says("The mailbox of this person is full. Goodbye.")
    assert.strictEqual(answeredBy(talk)?.verdict, "mailbox_full")
  })
  it("is a person after an assistant that screened the call", () => {
    const talk = new TestTalk().wait(300).says("Please state your name and why you are calling, and I will ask.")
    assert.strictEqual(answeredBy(talk)?.verdict, "screening")
    talk.wait(4_000).says("Hello, Rosa?")
    assert.strictEqual(answeredBy(talk)?.verdict, "person")
  })
  it("is unknown where nothing was heard", () => {
    assert.isNull(answeredBy(new TestTalk().wait(3_000)))
  })
  it("is not asked where no phone was called", () => {
    assert.isNull(answeredBy(new TestTalk({ meets_machines: false }).wait(300).says("Hello?")))
  })
})

describe("a wish not to be called", () => {
  it.each([
    "Please never call me again.",
    "I will record your name and why you called, never call me again.",
    "Stop leaving messages on my voicemail, and never call me again.",
    "Listen carefully to me, never call me again please.",
  ])("in the first words is written, whatever they resemble: %s", (text) => {
    const talk = new TestTalk().wait(300).says(text).wait(1_600)
    assert.lengthOf(talk.all("OptOut"), 1)
    assert.deepStrictEqual(talk.said, [])
    talk.happens({ _tag: "OptedOut" }).wait(10_000)
    assert.strictEqual(talk.talk.ended, "opted_out")
  })
  it("is written though its words arrive when the greeting has begun", () => {
    const talk = new TestTalk().wait(1_300)
    talk.happens({ _tag: "Utterance", text: "Never call me again.", started_ms: 200, ended_ms: 1_100 }).wait(5_000)
    assert.lengthOf(talk.all("OptOut"), 1)
  })
  it("is written when it is said to an agent that was asked for its name", () => {
    const talk = new TestTalk().wait(300).says("Please state your name and why you are calling, and I will ask.")
    talk.wait(4_000).says("Never call this number again.").wait(3_000)
    assert.lengthOf(talk.all("OptOut"), 1)
  })
})

describe("a menu", () => {
  it("is a machine that takes no message, for an agent that cannot press keys", () => {
    const talk = new TestTalk({ leaves_message: true }).wait(300).says(sales)
    assert.strictEqual(answeredBy(talk)?.verdict, "ivr")
    assert.deepStrictEqual(outcomeOf(talk), ["voicemail", null])
    assert.isDefined(talk.last("NoteMachine"))
  })
  it("is answered by an agent that can, which does not greet it", () => {
    const talk = new TestTalk({ has_keys: true }).wait(300).says(sales).wait(2_000)
    assert.isNull(talk.talk.ended)
    assert.deepStrictEqual(talk.said, [])
    assert.deepStrictEqual(talk.last("Think")?.history, [{ role: "caller", text: sales }])
  })
  it("that is read for the third time ends the call", () => {
    const talk = new TestTalk({ has_keys: true })
    for (const words of [sales, "Sorry, I did not get that.", sales]) talk.wait(300).says(words).wait(2_000).thinks("")
    assert.isNull(talk.talk.ended)
    talk.wait(300).says(sales)
    assert.deepStrictEqual(outcomeOf(talk), ["voicemail", null])
  })
})

describe("a fax machine", () => {
  it("is hung up on, and gets no message", () => {
    const talk = new TestTalk({ leaves_message: true }).wait(800).happens({ _tag: "Tone", tone: "fax" })
    assert.deepStrictEqual(answeredBy(talk), {
      verdict: "fax",
      evidence: [{ kind: "tone", tone: "fax", at_ms: 800 }],
    })
    assert.deepStrictEqual(outcomeOf(talk), ["voicemail", null])
    assert.deepStrictEqual(talk.said, [])
  })
  it("is not looked for in the middle of a talk", () => {
    const talk = new TestTalk().wait(300)
    for (const words of ["Hello?", "Yes, speaking.", "Tell me more."]) talk.says(words).wait(6_000)
    assert.isNull(talk.happens({ _tag: "Tone", tone: "fax" }).talk.ended)
  })
})

describe("an announcement of the network", () => {
  const dialled = () => new TestTalk().wait(600).happens({ _tag: "Tone", tone: "sit" })
  it("that the number is not in service makes it invalid", () => {
    const talk = dialled().wait(200).says("We're sorry. The number you have dialed is not in service.")
    assert.deepStrictEqual(outcomeOf(talk), ["not_answered", "invalid_number"])
    assert.deepStrictEqual(
      answeredBy(talk)?.evidence.map(({ kind }) => kind),
      ["tone", "words"],
    )
    assert.deepStrictEqual(talk.said, [])
  })
  it("is known by its words alone", () => {
    const talk = new TestTalk().wait(300).says("The number you have dialed is not in service.")
    assert.deepStrictEqual(outcomeOf(talk), ["not_answered", "invalid_number"])
  })
  it("of anything else is no answer, after 15 s without a word of the agent", () => {
    const talk = dialled().wait(200).says("All circuits are busy now. Please try again later.")
    assert.isNull(talk.talk.ended)
    talk.wait(20_000)
    assert.deepStrictEqual(outcomeOf(talk), ["not_answered", "no_answer"])
    assert.deepStrictEqual(talk.said, [])
    assert.strictEqual(answeredBy(talk)?.verdict, "announcement")
  })
  it("ends with the network's hang-up", () => {
    assert.deepStrictEqual(outcomeOf(dialled().wait(2_000).happens({ _tag: "Gone", how: "hung_up" })), [
      "not_answered",
      "no_answer",
    ])
  })
})
