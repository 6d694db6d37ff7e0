/** How the conductor ends calls, in virtual time. */
import { assert, describe, it } from "@effect/vitest"
import * as Conductor from "../../src/conversation/Conductor.ts"
import type { Setup } from "../../src/conversation/Talk.ts"
import { asked, greeted, TestTalk } from "../support/Talks.ts"

const story = "Once upon a time there was a very small dog that nobody knew."

describe("an end", () => {
  const leaving = (talk: TestTalk) =>
    talk.happens({ ...talk.asked, _tag: "Farewell" }).thinks("Thank you for your time today. Goodbye.")

  it("comes 400 ms after the goodbye was heard", () => {
    const talk = leaving(asked())
    const length = talk.playing?.length_ms ?? 0
    assert.isNull(talk.wait(length + 399).talk.ended)
    assert.strictEqual(talk.wait(1).talk.ended, "agent_hung_up")
  })

  it("comes in bounded time if the end of the goodbye is never reported", () => {
    const talk = leaving(asked()).wait(1_500)
    talk.happens({ _tag: "SpeechStarted", at: talk.now })
    assert.isNotNull(talk.wait(20_000).talk.ended)
  })

  it("waits once for a caller who speaks during the goodbye; the caller's own goodbye ends the call", () => {
    const talk = leaving(asked()).wait(1_500).says("One more question about Monday.").wait(300)
    assert.strictEqual(talk.all("Think").length, 2)
    const again = leaving(talk).wait(1_500).says("And another one about it.").wait(10_000)
    assert.strictEqual(again.talk.ended, "agent_hung_up")
    const polite = leaving(asked()).wait(2_900).says("Goodbye.").wait(1_000)
    assert.strictEqual(polite.talk.ended, "agent_hung_up")
    assert.strictEqual(polite.all("Think").length, 1)
  })

  it("after a tool's order to hang up comes when the reply was heard", () => {
    const talk = asked().thinks("I will end the call now. Goodbye.", { name: "end_call", arguments: {} })
    talk.happens({ _tag: "Ordered", call: talk.ran[0] ?? "", order: { _tag: "End" } }).results("ending")
    assert.strictEqual(talk.all("Think").length, 1)
    assert.strictEqual(talk.wait(10_000).talk.ended, "agent_hung_up")
  })

  it("at max_call_seconds is never later, and the agent says so before", () => {
    const talk = greeted({ max_ms: 60_000, silence_ms: 600_000 }).wait(60_000)
    assert.strictEqual(talk.talk.ended, "max_duration")
    assert.isAtMost(talk.talk.at, 60_000)
    assert.include(talk.said.at(-1), "have to end the call")
  })

  it("close commits the open turn: what was heard until then is kept", () => {
    const talk = asked().thinks(story).wait(2_000)
    const notes = Conductor.close(talk.talk, { at: talk.now, playing: talk.playing })
    assert.deepInclude(notes[0], {
      spoken: {
        role: "agent",
        text: "Once upon a time there",
        interrupted: true,
        started_ms: talk.now - 2_000,
        ended_ms: talk.now,
      },
    })
  })

  it("after a caller hangs up, the last words are still acted on: an opt-out is written, and tools run", () => {
    const opted = greeted().says("Stop calling me.").happens({ _tag: "Gone", how: "hung_up" })
    assert.isDefined(opted.last("OptOut"))
    assert.strictEqual(opted.happens({ _tag: "OptedOut" }).talk.ended, "opted_out")
    const done = greeted().says("That's all, bye.").happens({ _tag: "Gone", how: "hung_up" })
    done.thinks({ name: "record_outcome", arguments: {} }).results("recorded").thinks("Goodbye.")
    assert.strictEqual(done.talk.ended, "caller_hung_up")
    assert.strictEqual(done.all("Play").length, 1)
    const slow = greeted().says("That's all, bye.").happens({ _tag: "Gone", how: "lost" }).wait(2_000)
    assert.strictEqual(slow.talk.ended, "line_lost")
  })
})

describe("an opt-out", () => {
  it("counts although the caller hangs up before its words are final", () => {
    const talk = greeted()
    talk.happens({ _tag: "SpeechStarted", at: talk.now }).wait(900).happens({ _tag: "Words", text: "Stop calling me" })
    talk.happens({ _tag: "Gone", how: "hung_up" })
    assert.isDefined(talk.last("OptOut"))
    assert.strictEqual(talk.last("Note")?.spoken.text, "Stop calling me")
    assert.strictEqual(talk.happens({ _tag: "OptedOut" }).talk.ended, "opted_out")
  })

  it("counts although the caller hangs up while a recogniser without interim results works on its words", () => {
    const gone = () => {
      const talk = greeted()
      talk.happens({ _tag: "SpeechStarted", at: talk.now }).wait(900).happens({ _tag: "SpeechEnded", at: talk.now })
      return talk.happens({ _tag: "Gone", how: "hung_up", hears: true }).wait(1_500)
    }
    const utterance = { _tag: "Utterance", text: "Stop calling me.", started_ms: 0, ended_ms: 900 } as const
    const talk = gone().happens(utterance).happens({ _tag: "HeardOut" })
    assert.strictEqual(talk.last("Note")?.spoken.text, "Stop calling me.")
    assert.isDefined(talk.last("OptOut"))
    assert.strictEqual(talk.happens({ _tag: "OptedOut" }).talk.ended, "opted_out")
    assert.strictEqual(gone().happens({ _tag: "HeardOut" }).talk.ended, "caller_hung_up")
    assert.strictEqual(gone().wait(500).talk.ended, "caller_hung_up")
  })

  it("that is final only after the hang-up is written once", () => {
    const talk = greeted()
    talk.happens({ _tag: "SpeechStarted", at: talk.now }).wait(900).happens({ _tag: "Words", text: "Stop calling me" })
    talk.happens({ _tag: "SpeechEnded", at: talk.now }).happens({ _tag: "Gone", how: "hung_up", hears: true })
    talk.happens({ _tag: "Utterance", text: "Stop calling me.", started_ms: 0, ended_ms: 900 })
    talk.happens({ _tag: "HeardOut" }).happens({ _tag: "OptedOut" })
    assert.lengthOf(talk.all("OptOut"), 1)
    assert.deepStrictEqual(
      talk.all("Note").flatMap(({ spoken }) => (spoken.role === "caller" ? [spoken.text] : [])),
      ["Hello?", "Stop calling me."],
    )
  })

  it.each(["is owed an answer", "is not final"])(
    "counts although the call is ended from outside while it %s",
    (how) => {
      const talk = greeted()
      if (how === "is owed an answer") talk.says("Don't call me.")
      else
        talk
          .happens({ _tag: "SpeechStarted", at: talk.now })
          .wait(900)
          .happens({ _tag: "Words", text: "Stop calling me" })
      const commands = Conductor.close(talk.talk, { at: talk.now, playing: talk.playing })
      assert.lengthOf(
        commands.filter(({ _tag }) => _tag === "NoteOptOut"),
        1,
      )
    },
  )

  it("is written before it is confirmed, and ends the call", () => {
    const talk = greeted().says("Please never call me again.").wait(300)
    assert.isDefined(talk.last("OptOut"))
    assert.strictEqual(talk.all("Play").length, 1)
    assert.deepStrictEqual(talk.all("Think"), [])
    talk.happens({ _tag: "OptedOut" })
    assert.include(talk.last("Play")?.piece.text, "We will not call you again")
    assert.strictEqual(talk.wait(10_000).talk.ended, "opted_out")
  })

  it("that is said under a goodbye which nothing interrupts is written all the same", () => {
    const talk = greeted({ max_ms: 60_000, silence_ms: 600_000 }).wait(51_900).says("Never call me again.").wait(20_000)
    assert.strictEqual(talk.talk.ended, "max_duration")
    assert.lengthOf(talk.all("OptOut"), 1)
  })

  it("that cannot be written within three seconds is confirmed all the same: the call's end writes it", () => {
    const talk = greeted().says("Please never call me again.").wait(3_300)
    assert.include(talk.last("Play")?.piece.text, "We will not call you again")
  })
})

describe("a transfer", () => {
  const transferring = () => {
    const talk = asked().thinks("I will put you through.", { name: "transfer_call", arguments: {} })
    const order = { _tag: "Transfer", target: "+14155550111", warm: null } as const
    return talk.happens({ _tag: "Ordered", call: talk.ran[0] ?? "", order }).results("transferring")
  }

  it("begins when the sentence was heard, and ends the call when it is done", () => {
    const talk = transferring()
    assert.isUndefined(talk.last("Transfer"))
    assert.strictEqual(talk.wait(2_000).last("Transfer")?.target, "+14155550111")
    assert.strictEqual(talk.happens({ _tag: "Transferred", ok: true }).talk.ended, "transferred")
  })

  it("ends the call with the caller's wish not to be called again, if that was said meanwhile", () => {
    const talk = transferring().wait(2_000).says("Never call me again.").happens({ _tag: "Transferred", ok: true })
    assert.strictEqual(talk.talk.ended, "transferred")
    assert.isDefined(talk.last("OptOut"))
  })

  it("that fails is said, and the call goes on", () => {
    const talk = transferring().wait(2_000).happens({ _tag: "Transferred", ok: false }).wait(5_000)
    assert.include(talk.said.at(-1), "could not put you through")
    assert.isNull(talk.talk.ended)
  })
})

describe("a warm transfer", () => {
  const dialling = (change: Partial<Setup> = {}) => {
    const talk = asked({ hands_over: true, ...change })
    talk.thinks("I will connect you.", { name: "transfer_call", arguments: {} })
    const order = { _tag: "Transfer", target: "+14155550111", warm: { reason: "A booking", music: true } } as const
    return talk
      .happens({ _tag: "Ordered", call: talk.ran[0] ?? "", order })
      .results("transferring")
      .wait(2_000)
  }

  it("is blind on a line that cannot be connected with another one", () => {
    assert.isNull(dialling({ hands_over: false }).last("Transfer")?.warm)
    assert.deepStrictEqual(dialling().last("Transfer")?.warm, { reason: "A booking", music: true })
  })

  it("lets the caller hear now and then that it takes a moment, and never asks the brain meanwhile", () => {
    const talk = dialling()
    const before = talk.said.length
    const thoughts = talk.all("Think").length
    talk.wait(10_000).says("Are you there?").wait(12_000)
    assert.isAtLeast(talk.said.length - before, 2)
    assert.strictEqual(talk.all("Think").length, thoughts)
  })

  it("that is not taken is said, and the next question to the brain says why", () => {
    const talk = dialling().happens({ _tag: "Transferred", ok: false, why: "Busy." }).wait(5_000)
    assert.include(talk.said.at(-1), "could not put you through")
    talk.says("Then what?").wait(300)
    const { history = [] } = talk.last("Think") ?? {}
    assert.isTrue(history.some(({ role, text }) => role === "tool" && text.includes("Busy.")))
  })

  it("that is not taken while the caller asked not to be called again opts him out", () => {
    const talk = dialling()
      .says("Never call me again.")
      .wait(10_000)
      .happens({ _tag: "Transferred", ok: false, why: "Busy." })
    assert.isDefined(talk.last("OptOut"))
  })

  it("during which the caller asks not to be called again and hangs up opts him out", () => {
    const talk = dialling().says("Never call me again.").wait(1_000).happens({ _tag: "Gone", how: "hung_up" })
    assert.strictEqual(talk.talk.ended, "caller_hung_up")
    assert.isDefined(talk.last("OptOut"))
  })

  it("ends as the caller's hang-up before it is taken, and as transferred from then on, without the agent's limit", () => {
    const gone = { _tag: "Gone", how: "hung_up" } as const
    assert.strictEqual(dialling().happens(gone).talk.ended, "caller_hung_up")
    const talk = dialling({ max_ms: 60_000 }).wait(9_000).happens({ _tag: "Bridged" })
    const said = talk.said.length
    talk.wait(3_600_000)
    assert.isNull(talk.talk.ended)
    assert.strictEqual(talk.said.length, said)
    assert.strictEqual(talk.happens(gone).talk.ended, "transferred")
    assert.strictEqual(
      dialling().happens({ _tag: "Bridged" }).happens({ _tag: "Transferred", ok: true }).talk.ended,
      "transferred",
    )
  })
})

describe("a machine", () => {
  const machine = "You have reached my voicemail. Please leave a message after the tone."

  it("is hung up on, or left a message after its tone, whole and uninterrupted", () => {
    assert.strictEqual(new TestTalk().wait(300).says(machine).talk.ended, "voicemail")
    const talk = new TestTalk({ leaves_message: true }).wait(300).says(machine).wait(1_000)
    assert.deepStrictEqual(talk.all("Play"), [])
    talk.happens({ _tag: "Beep" }).wait(200).happens({ _tag: "SpeechStarted", at: talk.now }).wait(10_000)
    assert.isUndefined(talk.last("Hold"))
    assert.isDefined(talk.last("NoteMessageLeft"))
    assert.strictEqual(talk.talk.ended, "voicemail")
  })

  it("that hangs up just after the message's last word has the message", () => {
    const talk = new TestTalk({ leaves_message: true }).wait(300).says(machine).happens({ _tag: "Beep" }).wait(200)
    const cut = talk.playing?.length_ms ?? 0
    talk.wait(cut + 100).happens({ _tag: "Gone", how: "hung_up" })
    assert.isDefined(talk.last("NoteMessageLeft"))
    assert.strictEqual(talk.talk.ended, "voicemail")
  })

  it("whose tone never comes hears the message after thirty seconds", () => {
    const talk = new TestTalk({ leaves_message: true }).wait(300).says(machine).wait(29_999)
    assert.deepStrictEqual(talk.all("Play"), [])
    assert.isDefined(talk.wait(1).last("Play"))
  })

  it("that is heard late, by its tone, cuts the agent short and gets the message", () => {
    const talk = new TestTalk({ leaves_message: true, has_voicemail_tool: true }).wait(1_500).happens({ _tag: "Beep" })
    talk.happens({ _tag: "Ordered", call: talk.ran[0] ?? "", order: { _tag: "Message", text: "Call us back." } })
    assert.strictEqual(talk.results("leaving").last("Play")?.piece.text, "Call us back.")
  })
})
