/** What holds in every talk, whatever happens in it and when: a thousand talks of chance. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import type { Command } from "../../src/conversation/Command.ts"
import type { Order, TalkEvent } from "../../src/conversation/TalkEvent.ts"
import { setup, TestTalk } from "../support/Talks.ts"

const texts = [
  "One is here.",
  "Two small dogs were seen, and nobody knew whose they were.",
  "Well.",
  "Thank you for calling us today. Goodbye.",
]
const utterances = [
  "Mm-hm.",
  "Wait, what?",
  "What are your hours?",
  "Goodbye.",
  "Please never call me again.",
  "You have reached my voicemail. Please leave a message after the tone.",
]
const orders: ReadonlyArray<Order> = [
  { _tag: "End" },
  { _tag: "Transfer", target: "+14155550111", warm: null },
  { _tag: "Transfer", target: "+14155550111", warm: { reason: "A booking.", music: true } },
  { _tag: "Message", text: "Call us back." },
  { _tag: "Language", language: "de" },
  { _tag: "Collect", min: 2, max: 4, finish_on_key: "#", timeout_ms: 3_000 },
]

/** One thing that happens: its kind, and what it takes of what there is to choose from. */
const action = fc.record({
  kind: fc.constantFrom(
    ...([
      "asks",
      "asks",
      "asks",
      "called",
      "called",
      "resulted",
      "wait",
      "wait",
      "says",
      "sound",
      "words",
      "pause",
      "said",
      "said",
      "called",
      "ended",
      "ended",
    ] as const),
    ...(["failed", "farewell", "resulted", "ordered", "optedOut", "transferred", "beep", "stale", "gone"] as const),
    ...(["peerHeld", "peerBack", "key"] as const),
  ),
  pick: fc.nat(1_000),
  ms: fc.oneof(fc.nat(400), fc.nat(15_000)),
})

const anySetup = fc.record({
  greeting: fc.constantFrom("", "Hello, this is Rosa."),
  interruptible: fc.boolean(),
  language: fc.constantFrom("en", "de-AT"),
  leaves_message: fc.boolean(),
  has_voicemail_tool: fc.boolean(),
  has_tools: fc.boolean(),
  speed: fc.constantFrom(1, 60),
})

/** What holds after every step. */
class Watcher {
  readonly #owner = new Map<number, { readonly reply: number; readonly text: string }>()
  readonly #over = new Set<number>()
  #played: Array<string> = []
  #noted: Array<string> = []
  #ends = 0
  #seen = 0

  look(test: TestTalk): void {
    const fresh = test.commands.slice(this.#seen)
    this.#seen = test.commands.length
    for (const command of fresh) this.#see(command, test)
  }

  #see(command: Command, test: TestTalk): void {
    assert.strictEqual(this.#ends, 0, "nothing is done after the end")
    if (command._tag === "End") this.#ends++
    if (command._tag === "Play") {
      // What is asked for belongs to the reply that has the slot now, or has just had it.
      const reply = test.talk.reply?.pieces.some(({ id }) => id === command.piece.id) === true ? test.talk.reply.id : -1
      this.#owner.set(command.piece.id, { reply, text: command.piece.text })
      assert.notStrictEqual(command.piece.text, stalePiece, "no words of a cancelled step are said")
      assert.isFalse(this.#over.has(reply), "nothing of a reply is said after it was cut")
      this.#played.push(command.piece.text)
    }
    if (command._tag === "Note" && command.spoken.role === "agent") this.#noted.push(command.spoken.text)
    if (command._tag === "NoteTurn") {
      const said = this.#played.join(" ")
      assert.isTrue(said.startsWith(this.#noted.join(" ")), `heard ${this.#noted.join("|")} of ${said}`)
      assert.isAtMost(command.turn.heard_chars ?? 0, command.turn.said_chars ?? 0)
      assert.isAtLeast(command.turn.brain_ms, command.turn.tools_ms)
      for (const { reply } of this.#owner.values()) if (reply !== -1) this.#over.add(reply)
      this.#owner.clear()
      this.#played = []
      this.#noted = []
    }
    if (command._tag === "Think") {
      const calls = command.history.flatMap(({ call }) => call ?? [])
      assert.strictEqual(new Set(calls).size, calls.length, "one result a call")
      assert.isAtMost(command.step, 5)
    }
  }
}

const stalePiece = "Nobody hears this."
/** A question that has been followed by others. */
const stale = (test: TestTalk, pick: number) => {
  const before = test.all("Think").slice(0, -1)
  const { reply, step } = before[pick % Math.max(1, before.length)] ?? { reply: 0, step: 0 }
  return { reply, step }
}

const happens = (test: TestTalk, { kind, ms, pick }: { kind: string; ms: number; pick: number }) => {
  const from = <A>(list: ReadonlyArray<A>): A => list[pick % list.length] as A
  const tell = (event: TalkEvent) => test.happens(event)
  const running = test.talk.tools.filter(({ state }) => state === "running")
  switch (kind) {
    case "wait":
      return test.wait(ms)
    case "asks":
      return test.says("What are your hours?").wait(300)
    case "says":
      return test.says(from(utterances))
    case "sound":
      return tell({ _tag: "SpeechStarted", at: test.now })
    case "words":
      return tell({ _tag: "Words", text: from(utterances) })
    case "pause":
      return tell({ _tag: "SpeechEnded", at: test.now })
    case "said":
      return tell({ ...test.asked, _tag: "Said", text: from(texts), after_ms: 1 })
    case "called":
      return tell({
        ...test.asked,
        _tag: "Called",
        call: { name: "look", arguments: pick % 3 === 0 ? null : { pick: pick % 2 } },
      })
    case "ended":
      return tell({ ...test.asked, _tag: "StepEnded", thought_ms: 5 })
    case "failed":
      return tell({ ...test.asked, _tag: "StepFailed", thought_ms: 5 })
    case "farewell":
      return tell({ ...test.asked, _tag: "Farewell" })
    case "resulted":
      return tell({
        _tag: "Resulted",
        call: running.length === 0 ? "none" : from(running).id,
        answer: { result: pick },
      })
    case "ordered":
      return tell({ _tag: "Ordered", call: running.length === 0 ? "none" : from(running).id, order: from(orders) })
    case "optedOut":
      return tell({ _tag: "OptedOut" })
    case "transferred":
      return tell({ _tag: "Transferred", ok: pick % 2 === 0 })
    case "stale":
      return tell({ ...stale(test, pick), _tag: "Said", text: stalePiece, after_ms: 1 })
    case "peerHeld":
      return tell({ _tag: "PeerHeld" })
    case "peerBack":
      return tell({ _tag: "PeerBack" })
    case "key":
      return tell({ _tag: "Key", digit: String(pick % 10) })
    case "beep":
      return pick % 10 === 0 ? tell({ _tag: "Beep" }) : test
    default:
      return pick % 10 === 0 ? tell({ _tag: "Gone", how: "hung_up" }) : test
  }
}

describe("in every talk", () => {
  it("heard is a prefix of said, nothing of a reply comes after its cut, each call has one result, and it ends once", () => {
    const ends = new Map<string, number>()
    fc.assert(
      fc.property(anySetup, fc.array(action, { minLength: 5, maxLength: 80 }), (chosen, actions) => {
        const test = new TestTalk({ ...setup, ...chosen, max_ms: 120_000 })
        const watcher = new Watcher()
        test.watch = () => watcher.look(test)
        for (const action of actions) happens(test, action)
        test.wait(200_000)
        assert.isNotNull(test.talk.ended)
        assert.strictEqual(test.all("End").length, 1)
        assert.isTrue(test.now <= 200_000 || test.talk.at <= 120_000)
        const ran = test.ran.length
        assert.strictEqual(new Set(test.ran).size, ran)
        ends.set(test.talk.ended ?? "", (ends.get(test.talk.ended ?? "") ?? 0) + 1)
      }),
      { numRuns: 1_000 },
    )
    // Chance has come by most of the ways in which a talk may end.
    assert.isAtLeast(ends.size, 6, JSON.stringify([...ends]))
  })
})
