/** The conductor in virtual time: the disclosure, what is known of how much of it was heard, and the key against calls. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { CallRecord } from "../../src/conversation/CallRecord.ts"
import * as Opening from "../../src/conversation/Opening.ts"
import type { Setup } from "../../src/conversation/Talk.ts"
import { languages } from "../../src/languages/Languages.ts"
import { greeted, TestTalk } from "../support/Talks.ts"

// Two pieces of 6 and 5 words, so 2,400 and 2,000 ms.
const disclosure = "This is an automated call from Trattoria Roma. It is about your table."
const greeting = "Hello, this is Rosa."
const talkOf = (change: Partial<Setup> = {}) => new TestTalk({ disclosure, ...change })
const heardOf = (talk: TestTalk) =>
  talk.all("NoteDisclosure").map(({ heard_ms, heard_ratio }) => [heard_ms, heard_ratio])
const press = (talk: TestTalk, digit: string) => talk.happens({ _tag: "Key", digit })

describe("a disclosure", () => {
  it("comes before the first message and the notice of a recording, and is noted when its last sound ended", () => {
    const notice = "This call is recorded."
    const talk = talkOf({ notice }).wait(300).says("Hello?").wait(12_000)
    assert.deepStrictEqual(talk.said, [`${disclosure} ${notice}`, greeting])
    const [first] = talk.all("Note").flatMap(({ spoken }) => (spoken.role === "agent" ? [spoken] : []))
    assert.deepStrictEqual(heardOf(talk), [[(first?.ended_ms ?? 0) - 4 * 400, 1]])
  })

  it("cannot be interrupted by words, by noise that is not understood, or by keys; they are answered after it", () => {
    for (const meddle of [
      (talk: TestTalk) => talk.says("Who is that and what do you want?"),
      (talk: TestTalk) => talk.happens({ _tag: "Misheard" }),
      (talk: TestTalk) => press(talk, "5"),
    ]) {
      const talk = talkOf({ greeting: "" }).wait(300).says("Hello?").wait(1_000)
      meddle(talk).wait(15_000)
      assert.strictEqual(talk.said[0], disclosure)
      assert.deepStrictEqual(
        heardOf(talk).map(([, ratio]) => ratio),
        [1],
      )
      assert.isDefined(talk.last("Think"))
    }
  })

  it("of which a part was heard before the person hung up counts as that part", () => {
    const talk = talkOf().wait(300).says("Hello?").wait(1_800).happens({ _tag: "Gone", how: "hung_up" })
    const [[heard_ms, ratio] = []] = heardOf(talk)
    assert.isNull(heard_ms)
    assert.isAbove(ratio ?? 0, 0.1)
    assert.isBelow(ratio ?? 1, 0.5)
  })

  it("is cut by a wish not to be called, which is written at once", () => {
    const talk = talkOf().wait(300).says("Hello?").wait(500).says("Take me off your list.")
    assert.deepInclude(talk.last("OptOut"), { by: "words", at_ms: talk.now })
    talk.happens({ _tag: "OptedOut" }).wait(9_000)
    assert.strictEqual(talk.talk.ended, "opted_out")
    assert.isBelow(heardOf(talk)[0]?.[1] ?? 1, 1)
  })

  it("that an assistant heard is said again to the person who takes the call", () => {
    const talk = talkOf().wait(2_500)
    talk.says("Hi. If you record your name and reason for calling, I'll see if this person is available.").wait(9_000)
    talk.says("Hello?").wait(12_000)
    assert.deepStrictEqual(talk.said.slice(-2), [disclosure, greeting])
    assert.strictEqual(heardOf(talk).at(-1)?.[1], 1)
  })

  it("is a part of the message that a voicemail records, of which no person has heard it", () => {
    const talk = talkOf({ leaves_message: true }).wait(300)
    talk.says("You have reached the voicemail of Ada. Please leave a message after the tone.")
    talk.happens({ _tag: "Beep" }).wait(12_000)
    assert.deepStrictEqual(talk.said, [`${disclosure} ${greeting}`])
    assert.deepStrictEqual(heardOf(talk), [])
  })

  it("is said before a supervisor talks, who took the call over during it", () => {
    const talk = talkOf({ meets_machines: false }).wait(2_000).happens({ _tag: "TakenOver" }).wait(15_000)
    assert.isDefined(talk.last("ConnectPerson"))
    assert.strictEqual(heardOf(talk).at(-1)?.[1], 1)
  })

  it("is not a word of a call without one", () => {
    const talk = greeted()
    assert.deepStrictEqual([talk.said, heardOf(talk)], [[greeting], []])
  })
})

describe("the record of a call", () => {
  it("counts nothing as heard of what a machine heard, also if it is known for a machine only then", () => {
    const heard = { heard_at: new Date(6_000), heard_ms: 6_000, heard_ratio: 1 }
    const sign = { kind: "beep", at_ms: 1 } as const
    const unheard = { heard_at: null, heard_ms: null, heard_ratio: 0 }
    const [before, after, person] = [new CallRecord(), new CallRecord(), new CallRecord()]
    before.answeredBy("voicemail", sign)
    before.disclosed(heard)
    after.disclosed(heard)
    after.answeredBy("voicemail", sign)
    person.answeredBy("screening", sign)
    person.answeredBy("person", sign)
    person.disclosed(heard)
    assert.deepStrictEqual([before.disclosure, after.disclosure, person.disclosure], [unheard, unheard, heard])
  })

  it.effect("has the first sign of a wish not to be called, not the tool that writes it", () =>
    Effect.gen(function* () {
      const at = new Date(yield* Clock.currentTimeMillis)
      const record = new CallRecord()
      record.wantsNoCalls({ by: "key", at, at_ms: 10 })
      record.wantsNoCalls({ by: "tool", at, at_ms: 20 })
      assert.deepStrictEqual([record.opted_out, record.opt_out], [true, { by: "key", at, at_ms: 10 }])
    }),
  )
})

describe("the key against further calls", () => {
  const opt_out_key = "9"

  it("is written at once, confirmed, and ends the call, during the opening and after it", () => {
    for (const talk of [talkOf({ opt_out_key }).wait(2_500), greeted({ opt_out_key }).wait(2_000)]) {
      press(talk, "9")
      assert.deepStrictEqual(talk.last("OptOut"), { _tag: "OptOut", by: "key", at_ms: talk.now })
      talk.happens({ _tag: "OptedOut" }).wait(10_000)
      assert.include(talk.said.at(-1), "We will not call you again")
      assert.strictEqual(talk.talk.ended, "opted_out")
    }
  })

  it("is a digit where digits are asked for, and within a row of keys", () => {
    const row = greeted({ opt_out_key }).wait(2_000)
    press(press(row, "4").wait(200), "9").wait(3_000)
    assert.isUndefined(row.last("OptOut"))
    const talk = greeted({ opt_out_key, tool_ms: () => 180_000 })
      .says("My number.")
      .wait(300)
    talk.thinks("Press it.", { name: "collect_digits", arguments: { name: "number" } })
    press(talk, "9")
    const order = { _tag: "Collect", min: 2, max: 2, finish_on_key: null, timeout_ms: 5_000 } as const
    talk.happens({ _tag: "Ordered", call: talk.ran[0] ?? "", order })
    press(talk, "9")
    assert.strictEqual(talk.last("Collected")?.digits, "99")
    assert.isUndefined(talk.last("OptOut"))
  })

  it("is written, and not confirmed, while a person talks in the agent's place or the agent says goodbye", () => {
    const taken = greeted({ opt_out_key }).wait(2_000).happens({ _tag: "TakenOver" }).wait(9_000)
    const leaving = greeted({ opt_out_key }).says("Bye.").wait(300)
    leaving.thinks("Goodbye then.").happens({ _tag: "Ordered", call: "", order: { _tag: "End" } })
    for (const talk of [taken, leaving]) {
      press(talk, "9")
      assert.lengthOf(talk.all("OptOut"), 1)
    }
    assert.isNull(taken.talk.ended)
  })

  it("is an ordinary key where it is another, or where the agent has none", () => {
    for (const talk of [greeted({ opt_out_key }), greeted()]) {
      press(talk.wait(2_000), "8").wait(3_000)
      assert.isUndefined(talk.last("OptOut"))
    }
  })

  it.each(languages.map(({ tag }) => tag))("is named by a sentence in %s, also where it is no digit", (language) => {
    const [digit, star, hash] = ["9", "*", "#"].map((opt_out_key) => Opening.keySentenceOf({ language, opt_out_key }))
    assert.include(digit, "9")
    assert.strictEqual(new Set([digit, star, hash]).size, 3)
    for (const sentence of [star, hash]) assert.notMatch(sentence ?? "", /[*#{}]/u)
    assert.strictEqual(Opening.keySentenceOf({ language, opt_out_key: null }), "")
  })
})
