/** The conductor in virtual time: digits that a tool collects, and keys that are a turn. */
import { assert, describe, it } from "@effect/vitest"
import type { ToolCall } from "../../src/brain/Brain.ts"
import type { DigitsWanted } from "../../src/tools/CallControls.ts"
import { asked, greeted, type TestTalk } from "../support/Talks.ts"

const card: ToolCall = { name: "collect_digits", arguments: { name: "card" } }
const wanted: DigitsWanted = { min: 4, max: 8, finish_on_key: "#", timeout_ms: 5_000 }
const question = "Please press your card number, then hash."

const press = (talk: TestTalk, keys: string, everyMs = 300): TestTalk =>
  Array.from(keys).reduce((talk, digit) => talk.wait(everyMs).happens({ _tag: "Key", digit }), talk)

/** The agent has asked, and the tool waits. */
const collecting = (change: Partial<DigitsWanted> = {}): TestTalk => {
  const talk = asked({ tool_ms: () => 180_000 }).thinks(question, card)
  return talk.happens({ _tag: "Ordered", call: talk.ran[0] ?? "", order: { _tag: "Collect", ...wanted, ...change } })
}

const endOf = (talk: TestTalk) => {
  const { digits, ended_by } = talk.last("Collected") ?? {}
  return [digits, ended_by]
}

describe("digits that a tool collects", () => {
  it("end with the key, with the last digit, or after a pause", () => {
    assert.deepStrictEqual(endOf(press(collecting().wait(4_000), "123456#")), ["123456", "key"])
    assert.deepStrictEqual(endOf(press(collecting().wait(4_000), "12345678")), ["12345678", "length"])
    const slow = press(collecting().wait(4_000), "12345").wait(4_999)
    assert.isUndefined(slow.last("Collected"))
    assert.deepStrictEqual(endOf(slow.wait(1)), ["12345", "timeout"])
  })

  it("that are too few are not kept, and nothing is waited for for ever", () => {
    assert.deepStrictEqual(endOf(press(collecting().wait(4_000), "123#")), [null, "key"])
    assert.deepStrictEqual(endOf(collecting().wait(60_000)), [null, "timeout"])
  })

  it("start over with the star; other keys are no digits", () => {
    assert.deepStrictEqual(endOf(press(collecting().wait(4_000), "99*12AB34#")), ["1234", "key"])
    assert.deepStrictEqual(endOf(press(collecting({ finish_on_key: "*" }).wait(4_000), "12#345*")), ["12345", "key"])
    const unending = collecting({ finish_on_key: null }).wait(4_000)
    assert.deepStrictEqual(endOf(press(unending, "1234#").wait(5_000)), ["1234", "timeout"])
  })

  it("are in no word, and in no history; the agent answers their count", () => {
    const talk = press(collecting().wait(4_000), "4929113#")
    const count = { status: "collected", digits: 7, ended_by: "key", reference: "{{digits.card}}" }
    talk.happens({ _tag: "Resulted", call: talk.ran[0] ?? "", answer: { result: count } }).wait(500)
    const { history = [] } = talk.last("Think") ?? {}
    assert.deepStrictEqual(
      history.slice(-2).map(({ role, text }) => [role, text]),
      [
        ["agent", question],
        ["tool", JSON.stringify(count)],
      ],
    )
    talk.thinks("Thank you.").wait(3_000)
    assert.strictEqual(talk.said.at(-1), "Thank you.")
    const others = talk.commands.filter(({ _tag }) => _tag !== "Collected")
    assert.notInclude(JSON.stringify([others, talk.talk]), "4929")
  })

  it("end the agent's question with the first key, and its heard part is kept", () => {
    const talk = press(collecting().wait(1_200), "1")
    assert.isDefined(talk.last("Cut"))
    assert.isNull(talk.talk.reply)
    assert.strictEqual(talk.last("Note")?.spoken.interrupted, true)
    assert.deepStrictEqual(endOf(press(talk, "234#")), ["1234", "key"])
  })

  it("are waited for in silence: neither a filler nor a question whether the caller is there", () => {
    const talk = collecting({ timeout_ms: 60_000 }).wait(50_000)
    assert.deepStrictEqual(talk.said, ["Hello, this is Rosa.", question])
    assert.isUndefined(talk.last("Collected"))
    assert.isNull(talk.talk.reply)
  })

  it("may be talked about before they are pressed", () => {
    const talk = collecting().wait(4_000).says("Which number do you mean?").wait(300)
    assert.include(talk.last("Think")?.history.find(({ role }) => role === "tool")?.text, "still running")
    talk.thinks("The one on the front.").wait(4_000)
    assert.strictEqual(talk.said.at(-1), "The one on the front.")
    assert.deepStrictEqual(endOf(press(talk, "1234#")), ["1234", "key"])
    talk.results("collected").wait(100)
    assert.strictEqual(talk.last("Think")?.history.at(-1)?.text, '"collected"')
  })

  it("keep the sound private from the end of the question, or the first key, to their own end", () => {
    const privacy = (talk: TestTalk) => talk.all("SetPrivate").map(({ is_private }) => is_private)
    const talk = collecting()
    assert.deepStrictEqual(privacy(talk.wait(1_000)), [])
    assert.deepStrictEqual(privacy(talk.wait(3_000)), [true])
    assert.deepStrictEqual(privacy(press(talk, "1234#")), [true, false])
    assert.deepStrictEqual(privacy(press(collecting().wait(1_000), "1")), [true])
    const stopped = collecting().wait(4_000)
    stopped.happens({ _tag: "Resulted", call: stopped.ran[0] ?? "", answer: { result: null } })
    assert.deepStrictEqual(privacy(stopped), [true, false])
  })

  it("end when the caller hangs up, and when the agent asks for others", () => {
    const gone = press(collecting().wait(4_000), "12345").happens({ _tag: "Gone", how: "hung_up" })
    assert.deepStrictEqual(endOf(gone), ["12345", "hung_up"])
    const talk = press(collecting().wait(4_000), "99").says("Sorry, what else?").wait(300)
    talk.thinks("Your PIN, please.", { ...card, arguments: { name: "pin" } })
    talk.happens({ _tag: "Ordered", call: talk.ran[1] ?? "", order: { _tag: "Collect", ...wanted } })
    assert.deepStrictEqual(endOf(talk), [null, "replaced"])
    assert.deepStrictEqual(endOf(press(talk.wait(3_000), "1234#")), ["1234", "key"])
  })

  it("may be pressed while the tool is about to begin, and are a turn if it fails", () => {
    const talk = press(asked().thinks(question, card), "12", 1_500)
    assert.isUndefined(talk.last("Hold"))
    talk.happens({ _tag: "Ordered", call: talk.ran[0] ?? "", order: { _tag: "Collect", ...wanted } })
    assert.deepStrictEqual(endOf(press(talk, "34#")), ["1234", "key"])
    const failed = press(asked().thinks(question, card), "12", 1_500).results("no keys").wait(1_000)
    assert.strictEqual(failed.last("Note")?.spoken.text, "[keys: 12]")
  })

  it("are over with the last digit: the key that follows is no turn, and keys soon after it are not shown", () => {
    const talk = press(collecting().wait(4_000), "12345678#").results("collected").wait(300)
    talk.thinks("Thank you.").wait(3_000)
    assert.strictEqual(talk.all("Note").filter(({ spoken }) => spoken.text.includes("keys")).length, 0)
    press(talk, "9").wait(1_000)
    assert.include(talk.last("Note")?.spoken.text, "[keys: 1 pressed, not shown]")
  })
})

describe("keys for which no tool has asked", () => {
  const shown = (talk: TestTalk) =>
    talk.all("Note").flatMap(({ spoken }) => (spoken.role === "caller" ? [spoken.text] : []))

  it("are a turn of the caller, a second after the last one or with the hash", () => {
    const talk = press(greeted().wait(3_000), "1").wait(999)
    assert.deepStrictEqual(shown(talk).at(-1), "Hello?")
    assert.strictEqual(shown(talk.wait(1)).at(-1), "[keys: 1]")
    assert.strictEqual(talk.wait(300).last("Think")?.history.at(-1)?.text, "[keys: 1]")
    assert.strictEqual(shown(press(greeted().wait(3_000), "12#").wait(1)).at(-1), "[keys: 12]")
    assert.strictEqual(shown(press(greeted().wait(3_000), "#").wait(1)).at(-1), "[keys: #]")
  })

  it("are only counted if there are more than two: they may be a card's number", () => {
    const talk = press(greeted().wait(3_000), "4929#").wait(300)
    assert.strictEqual(shown(talk).at(-1), "[keys: 4 pressed, not shown]")
    assert.notInclude(JSON.stringify([talk.commands, talk.talk]), "4929")
  })

  it("interrupt the agent, and are heard to their end first", () => {
    const talk = press(asked().thinks("For sales press one, for service press two.").wait(500), "2")
    assert.isDefined(talk.last("Hold"))
    talk.wait(1_000)
    assert.isDefined(talk.last("Cut"))
    assert.strictEqual(talk.wait(300).last("Think")?.history.at(-1)?.text, "[keys: 2]")
  })

  it("are nothing to a machine", () => {
    const talk = press(greeted().happens({ _tag: "Beep", said: "machine_end_beep" }), "12").wait(2_000)
    assert.isNull(talk.talk.pressed)
  })
})
