import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Brain, type Message, type TurnInput, type Word } from "../../src/brain/Brain.ts"
import * as Brains from "../../src/brain/Brains.ts"
import * as Prompt from "../../src/brain/Prompt.ts"
import { cuesOf } from "../../src/brain/scripted/Cues.ts"
import * as Wishes from "../../src/brain/scripted/Wishes.ts"
import type { AgentKit } from "../../src/catalog/AgentKit.ts"
import { kit as kitOf, playbook, tool } from "../support/Kit.ts"
import { longestTick, mostMs } from "../support/LongestTick.ts"

const turnOf = (kit: AgentKit, prompt: Prompt.Prompt, history: ReadonlyArray<Message>): TurnInput => ({
  briefing: { kit, prompt, time_zone: "Europe/Berlin" },
  history,
  must_speak: false,
  model: null,
  wrap_up: false,
})

/** Talks with an agent: each caller's line gets the agent's; tools answer what `results` says. */
const talk = (kit: AgentKit, lines: ReadonlyArray<string>, results: Record<string, Schema.Json> = {}) =>
  Effect.gen(function* () {
    const prompt = yield* Prompt.render(kit, {})
    const brain = yield* Brain
    const history: Array<Message> = []
    const invoked: Array<readonly [string, Schema.Json]> = []
    const replies: Array<string> = []
    let ended = false
    for (const text of lines) {
      history.push({ role: "caller", text })
      let words: ReadonlyArray<Word> = []
      do {
        words = yield* Stream.runCollect(brain.reply(turnOf(kit, prompt, history)))
        for (const word of words) {
          if (word._tag !== "ToolCall") continue
          const { arguments: args, name } = word.call
          invoked.push([name, args])
          history.push({ role: "tool", text: JSON.stringify(results[name] ?? {}), tool_name: name })
        }
      } while (words.some(({ _tag }) => _tag === "ToolCall"))
      const reply = words.flatMap((word) => (word._tag === "Say" ? [word.text] : [])).join(" ")
      history.push({ role: "agent", text: reply })
      replies.push(reply)
      ended = words.some(({ _tag }) => _tag === "Farewell")
    }
    return { replies, invoked, ended }
  }).pipe(Effect.provide(Brains.layer))

describe("the scripted brain", () => {
  it.effect("greets, follows its playbook's cues in order, and ends the call", () =>
    Effect.gen(function* () {
      const kit = kitOf(
        {},
        { playbooks: [playbook("Be kind.\nSay: We have moved.\nAsk: Does Monday suit you?\nAsk: At what time?")] },
      )
      const { ended, replies } = yield* talk(kit, ["Hello?", "Yes?", "Yes.", "At three.", "No."])
      assert.deepStrictEqual(replies, [
        "Hello, this is Rosa.",
        "I am sorry, I do not know that. A colleague will get back to you about it. We have moved. Does Monday suit you?",
        "At what time?",
        "Is there anything else I can help you with?",
        "Thank you for your time. Goodbye.",
      ])
      assert.isTrue(ended)
    }),
  )

  it.live("holds the event loop for no longer than any input may, however many fields and utterances there are", () =>
    Effect.gen(function* () {
      const properties = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`day${at}`, { format: "date" }]))
      const kit = kitOf({ outcome_schema: { type: "object", properties } }, { tools: [tool("record_outcome")] })
      const prompt = yield* Prompt.render(kit, {})
      const said = ["Hello?", ...Array<string>(2_000).fill("I'd look."), "On the 14th of March.", "Goodbye."]
      const history = said.flatMap((text): ReadonlyArray<Message> => [
        { role: "caller", text },
        { role: "agent", text: "I see." },
      ])
      const brain = yield* Effect.provide(Brain, Brains.layer)
      const reply = Stream.runCollect(brain.reply(turnOf(kit, prompt, history.slice(0, -1))))
      const words = yield* reply
      assert.deepInclude(words[0], { _tag: "ToolCall" })
      assert.isBelow(yield* Effect.promise(() => longestTick(() => Effect.runPromise(reply))), mostMs)
    }),
  )

  it.effect("says again what was cut short before it was heard", () =>
    Effect.gen(function* () {
      const kit = kitOf({ first_message: "" }, { playbooks: [playbook("Say: We have moved to the other side.")] })
      const brain = yield* Brain
      const prompt = yield* Prompt.render(kit, {})
      const history: ReadonlyArray<Message> = [
        { role: "agent", text: "We have" },
        { role: "caller", text: "Sorry, go on." },
      ]
      const words = yield* Stream.runCollect(brain.reply(turnOf(kit, prompt, history)))
      assert.include(JSON.stringify(words), "We have moved to the other side.")
    }).pipe(Effect.provide(Brains.layer)),
  )

  it.effect("records the answers under the fields that the playbook names, as the schema wants them", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-11-21T10:00:00Z"))
      const outcome_schema = {
        type: "object",
        properties: {
          suits: { type: "boolean" },
          day: { type: "string", format: "date" },
          guests: { type: "integer" },
          mood: { enum: ["happy", "angry"] },
        },
      }
      const script =
        "Ask: Does it suit you?\nRecord: suits\nAsk: Which day?\nRecord: day\nAsk: How many?\nRecord: guests"
      const kit = kitOf({ outcome_schema }, { playbooks: [playbook(script)], tools: [tool("record_outcome")] })
      const lines = ["Hello?", "Hm.", "Yes, I am happy.", "The 3rd of December.", "We are 4.", "That's all."]
      const { invoked } = yield* talk(kit, lines)
      assert.deepStrictEqual(invoked, [
        ["record_outcome", { outcome: { suits: true, day: "2026-12-03", guests: 4, mood: "happy" } }],
      ])
    }),
  )

  it.effect("calls only tools that the agent has, and says so when one is missing", () =>
    Effect.gen(function* () {
      const lines = ["Hello?", "What time is it?", "I want to speak to a person.", "Call me back tomorrow.", "Bye."]
      const { invoked, replies } = yield* talk(kitOf(), lines)
      assert.deepStrictEqual(invoked, [])
      assert.include(replies[1], "no clock")
      assert.include(replies[2], "nobody is free")
    }),
  )

  it.effect("notes a callback in the caller's local time, which it leaves to the tool", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-11-21T10:00:00Z"))
      const kit = kitOf({}, { tools: [tool("schedule_callback")] })
      const { invoked } = yield* talk(kit, ["Hello?", "Can you call me back tomorrow at 3 pm?"])
      assert.deepStrictEqual(invoked, [["schedule_callback", { at: "2026-11-22T15:00:00" }]])
    }),
  )
})

describe("cues", () => {
  it("are lines of their own, in any case, bulleted or not; all else is for models", () => {
    const cues = cuesOf([
      "You are Rosa. Say: nothing\n- SAY: Hello.\n* ask : Why?\n  Record: reason\nRecord: again\nAsk:\nRecord: x",
    ])
    assert.deepStrictEqual(cues, [
      { kind: "say", text: "Hello.", field: null },
      { kind: "ask", text: "Why?", field: "reason" },
    ])
  })
})

describe("what a caller's words ask for", () => {
  const today = DateTime.makeUnsafe("2026-11-21T10:00:00Z")
  it.each([
    ["The 14th of March would suit me.", "2027-03-14"],
    ["December 1st", "2026-12-01"],
    ["on 21 November", "2026-11-21"],
    ["2026-12-24 please", "2026-12-24"],
    ["tomorrow", "2026-11-22"],
    ["the 31st of February", undefined],
    ["some day", undefined],
  ])("%s is the date %s", (text, expected) => {
    assert.strictEqual(Wishes.dateOf(text, today), expected)
  })

  it.each([
    ["at 3 pm", "15:00"],
    ["at 12 am", "00:00"],
    ["at 9:30 a.m.", "09:30"],
    ["at 17:45", "17:45"],
    ["later", undefined],
  ])("%s is the time %s", (text, expected) => {
    assert.strictEqual(Wishes.timeOf(text), expected)
  })
})

describe("prompts", () => {
  it.effect("are filled from the call's variables; what is missing is left out", () =>
    Effect.gen(function* () {
      const kit = kitOf({
        first_message: 'Hi {{ first_name | default: "there" }}, {{ campaign.name }} {{ unknown.thing }}',
      })
      const variables = (custom: Schema.JsonObject) => Prompt.variables(custom, "+14155550101", new Date(0))
      assert.strictEqual((yield* Prompt.render(kit, variables({}))).first_message, "Hi there,")
      const filled = yield* Prompt.render(kit, variables({ first_name: "Ada", campaign: { name: "Spring" } }))
      assert.strictEqual(filled.first_message, "Hi Ada, Spring")
    }),
  )

  it.effect("see only own properties, and the call's own number whatever a column says", () =>
    Effect.gen(function* () {
      const kit = kitOf({ first_message: "{{ phone_number }}{{ constructor }}{{ first_name.constructor.name }}" })
      const variables = Prompt.variables({ phone_number: "x", first_name: "Ada" }, "+14155550101", new Date(0))
      assert.strictEqual((yield* Prompt.render(kit, variables)).first_message, "+14155550101")
    }),
  )

  it.effect("that are no template, or would take for ever, are spoken as they stand", () =>
    Effect.gen(function* () {
      const endless = "{% for i in (1..100000000) %}x{% endfor %}"
      for (const template of ["{{ unclosed", "{% nonsense %}", "{{ a | no_such_filter }}", endless]) {
        const prompt = yield* Prompt.render(kitOf({ first_message: template }), {})
        assert.strictEqual(prompt.first_message, template)
      }
    }),
  )

  it.prop("of any text never break the scripted brain's reading of them", { text: Schema.String }, ({ text }) => {
    assert.isAtMost(cuesOf([text]).length, 50)
  })
})
