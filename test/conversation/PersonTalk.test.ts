/** The conductor in virtual time: a supervisor takes the call over, and the agent is silent until it has the call again. */
import { assert, describe, it } from "@effect/vitest"
import type { Setup } from "../../src/conversation/Talk.ts"
import { TestTalk } from "../support/Talks.ts"

const taken = "One moment, please. I am connecting you with a colleague."
const back = "I am back with you. Shall we go on?"

/** A talk whose agent has greeted. */
const talkOf = (change: Partial<Setup> = {}) =>
  new TestTalk({ meets_machines: false, ...change }).wait(300).says("Hello?").wait(3_000)

const isConnected = (talk: TestTalk) => talk.last("ConnectPerson") !== undefined
const person = (talk: TestTalk, text: string) =>
  talk.happens({ _tag: "PersonSaid", text, started_ms: talk.now, ended_ms: talk.now })

describe("a call that is taken over", () => {
  it("tells the other side first, and connects the person when that was heard", () => {
    const talk = talkOf().happens({ _tag: "TakenOver" }).wait(3_000)
    assert.isFalse(isConnected(talk))
    talk.wait(2_000)
    assert.isTrue(isConnected(talk))
    assert.strictEqual(talk.said.at(-1), taken)
  })

  it("cuts the agent's reply, whose thinking stops, and is not stopped by the caller's voice", () => {
    const talk = talkOf().says("What are your hours?").wait(400)
    assert.isDefined(talk.last("Think"))
    talk.happens({ _tag: "TakenOver" })
    assert.isDefined(talk.last("StopThinking"))
    talk.says("Are you there? I have been waiting for a long time.").wait(3_000)
    assert.strictEqual(talk.said.at(-1), taken)
    assert.isTrue(isConnected(talk))
  })

  it("connects the person after ten seconds although the line reports nothing", () => {
    const talk = talkOf().happens({ _tag: "PeerHeld" }).happens({ _tag: "TakenOver" }).wait(9_900)
    assert.isFalse(isConnected(talk))
    assert.isTrue(isConnected(talk.wait(200)))
  })

  it("keeps what both say, asks no brain, and is not disturbed by silence, keys or noise", () => {
    const talk = talkOf().happens({ _tag: "TakenOver" }).wait(5_000)
    const asked = talk.all("Think").length
    person(talk, "This is Ada.").says("What are your hours?").wait(60_000)
    talk.happens({ _tag: "Key", digit: "1" }).happens({ _tag: "Misheard" }).happens({ _tag: "Beep" }).wait(60_000)
    assert.lengthOf(talk.all("Think"), asked)
    assert.strictEqual(talk.said.at(-1), taken)
    const roles = talk.all("Note").map(({ spoken }) => `${spoken.role}: ${spoken.text}`)
    assert.deepStrictEqual(roles.slice(-2), ["person: This is Ada.", "caller: What are your hours?"])
    assert.isNull(talk.talk.ended)
  })

  it("is handed back: the agent says so, and its brain then knows what was said", () => {
    const talk = talkOf().happens({ _tag: "TakenOver" }).wait(5_000)
    person(talk, "You get ten percent off.").happens({ _tag: "PersonLeft", how: "handed_back" }).wait(4_000)
    assert.isDefined(talk.last("ReleasePerson"))
    assert.strictEqual(talk.said.at(-1), back)
    talk.says("Thank you.").wait(1_000)
    const history = talk.last("Think")?.history ?? []
    assert.deepInclude(history, { role: "person", text: "You get ten percent off." })
    assert.include(history.find(({ role }) => role === "operator")?.text, "handed it back")
  })

  it("does not answer words to the person that are understood after the call was handed back", () => {
    const talk = talkOf().happens({ _tag: "TakenOver" }).wait(5_000)
    const asked = talk.all("Think").length
    const said = { started_ms: talk.now - 1_500, ended_ms: talk.now - 500 }
    talk.happens({ _tag: "PersonLeft", how: "handed_back" }).wait(400)
    talk.happens({ _tag: "Utterance", text: "What are your hours?", ...said }).wait(4_000)
    assert.strictEqual(talk.said.at(-1), back)
    assert.lengthOf(talk.all("Think"), asked)
    assert.include(
      talk.all("Note").map(({ spoken }) => spoken.text),
      "What are your hours?",
    )
  })

  it("apologises for a person who was lost, also while the other side is being told", () => {
    const talk = talkOf().happens({ _tag: "TakenOver" }).wait(500).happens({ _tag: "PersonLeft", how: "lost" })
    assert.match(talk.wait(6_000).said.at(-1) ?? "", /^I am sorry, the connection to my colleague was lost/)
    assert.isFalse(isConnected(talk))
  })

  it("ends with the caller's hang-up, and at the agent's limit without a goodbye over the person", () => {
    const gone = talkOf().happens({ _tag: "TakenOver" }).wait(5_000).happens({ _tag: "Gone", how: "hung_up" })
    assert.strictEqual(gone.talk.ended, "caller_hung_up")
    const long = talkOf({ max_ms: 60_000 }).happens({ _tag: "TakenOver" }).wait(60_000)
    assert.strictEqual(long.talk.ended, "max_duration")
    assert.strictEqual(long.said.at(-1), taken)
  })

  it("counts a wish not to be called that the person hears", () => {
    const talk = talkOf().happens({ _tag: "TakenOver" }).wait(5_000).says("Never call me again.").wait(3_000)
    assert.isDefined(talk.last("OptOut"))
    talk.happens({ _tag: "OptedOut" }).wait(3_000)
    assert.strictEqual(talk.said.at(-1), taken)
  })

  it("keeps what a voice model has heard, and the wish not to be called in it", () => {
    const talk = talkOf().happens({ _tag: "TakenOver" }).wait(5_000)
    const asked = talk.all("Think").length
    const speech = { utterance: 1, started_ms: talk.now - 900, ended_ms: talk.now }
    talk.happens({ _tag: "Heard", ...speech }).wait(1_000)
    talk.happens({ _tag: "Understood", text: "Never call me again.", ...speech }).wait(3_000)
    assert.include(talk.last("Note")?.spoken, { role: "caller", text: "Never call me again." })
    assert.isDefined(talk.last("OptOut"))
    assert.lengthOf(talk.all("Think"), asked)
  })

  it("announces a recording that was not announced yet", () => {
    const notice = "This call is recorded."
    const talk = new TestTalk({ notice, meets_machines: false }).wait(100).happens({ _tag: "TakenOver" })
    assert.isUndefined(talk.last("NoteAnnounced"))
    talk.wait(8_000)
    assert.deepStrictEqual(talk.said, [`${notice} ${taken}`])
    assert.isDefined(talk.last("NoteAnnounced"))
  })

  it("is refused while digits are collected, and when the talk is ending", () => {
    const talk = talkOf().says("I want to pay.").wait(1_000)
    talk.thinks("Press it.", { name: "collect_digits", arguments: { name: "card" } })
    const wanted = { min: 1, max: 16, finish_on_key: "#", timeout_ms: 8_000 }
    talk.happens({ _tag: "Ordered", call: talk.ran.at(-1) ?? "", order: { _tag: "Collect", ...wanted } })
    assert.strictEqual(talk.happens({ _tag: "TakenOver" }).last("RefusePerson")?.why, "digits")
    const unwanted = talkOf().says("Never call me again.")
    assert.strictEqual(unwanted.happens({ _tag: "TakenOver" }).last("RefusePerson")?.why, "ending")
    const over = talkOf().says("Never call me again.").wait(500).happens({ _tag: "TakenOver" })
    assert.strictEqual(over.last("RefusePerson")?.why, "ending")
  })
})
