/** References to digits in a tool's arguments: what the tool gets, and what a model and a record have of it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, type Schema } from "effect"
import type { EquippedTool } from "../../src/catalog/AgentKit.ts"
import { CollectedDigits } from "../../src/tools/CollectedDigits.ts"
import * as Invocation from "../../src/tools/Invocation.ts"
import { ToolFailed, type ToolOutput, ToolRunner } from "../../src/tools/ToolRunner.ts"
import { kit, outsideCalls, tool } from "../support/Kit.ts"
import { tenantWithoutDatabase } from "../support/TenantWithoutDatabase.ts"

const number = "4929113344556677"
const collected = new CollectedDigits()
collected.set("card", number)
collected.set("pin", "4711")
collected.set("choice", "1")

const own = (change: Partial<EquippedTool> = {}) =>
  tool("charge", {
    is_default: false,
    implementation_type: "http",
    implementation_config: { method: "POST" },
    config: { digits: ["card", "pin", "choice", "absent"] },
    schema: { type: "object", properties: { card: { type: "string", pattern: "^[0-9]+$" } } },
    ...change,
  })

/** Runs the tool, which answers so, and returns the record and the arguments that the tool was given. */
const charge = Effect.fnUntraced(function* (
  args: Schema.JsonObject,
  answer: Effect.Effect<ToolOutput, ToolFailed> = Effect.succeed({ result: "ok", logs: [] }),
  change: Partial<EquippedTool> = {},
) {
  const given: Array<Schema.JsonObject> = []
  const runner = Layer.succeed(ToolRunner, {
    run: (_, args) => {
      given.push(args)
      return answer
    },
  })
  const context = { ...outsideCalls, digits: collected }
  const record = yield* Invocation.invoke(kit({}, { tools: [own(change)] }), "charge", args, context).pipe(
    Effect.provide([runner, tenantWithoutDatabase()]),
  )
  return { record, given }
})

describe("a reference to digits", () => {
  it.effect("is replaced for the tool alone, wherever it is in the arguments", () =>
    Effect.gen(function* () {
      const args = { card: "{{digits.card}}", more: [{ note: "PIN {{ digits.pin }}." }] }
      const { given, record } = yield* charge(args)
      assert.deepStrictEqual(given, [{ card: number, more: [{ note: "PIN 4711." }] }])
      assert.deepStrictEqual(record.arguments, args)
      assert.strictEqual(record.result, "ok")
    }),
  )

  it.effect.each([
    ["settings that do not list it", "{{digits.card}}", { config: {} }, "digits_not_allowed"],
    ["settings that list others", "{{digits.card}}", { config: { digits: ["pin"] } }, "digits_not_allowed"],
    [
      "a request whose address would have it",
      "{{digits.card}}",
      { implementation_config: { method: "GET" } },
      "digits_not_allowed",
    ],
    ["a number that was not collected", "{{digits.absent}}", {}, "digits_missing"],
    ["digits that do not fit the schema", "No. {{digits.card}}", {}, "invalid_arguments"],
  ] as const)("is refused with %s, and nothing is run", ([, card, change, code]) =>
    Effect.gen(function* () {
      const { given, record } = yield* charge({ card }, undefined, change)
      assert.strictEqual(record.error?.code, code)
      assert.lengthOf(given, 0)
      assert.notInclude(JSON.stringify(record), number)
    }),
  )

  it.effect("never comes back: a server's echo is masked, grouped or as a number, and so is its error", () =>
    Effect.gen(function* () {
      const args = { card: "{{digits.card}}", pin: "{{digits.pin}}", choice: "{{digits.choice}}" }
      const result = {
        [number]: "key",
        text: `Card ${number}, 4929 1133 4455 6677 or 4929-1133-4455-6677, PIN 4711.`,
        pin: 4711,
        // Other numbers stay, and so does a digit that is no secret.
        other: [14711, "47110", 1],
      }
      const { record } = yield* charge(args, Effect.succeed({ result, logs: [number] }))
      assert.deepStrictEqual(record.result, {
        "********": "key",
        text: "Card ********, ******** or ********, PIN ********.",
        pin: "********",
        other: [14711, "47110", 1],
      })
      const failure = new ToolFailed({ code: "http_status", reason: `No card ${number}`, logs: [number] })
      const failed = yield* charge(args, failure)
      assert.strictEqual(failed.record.error?.message, "No card ********")
    }),
  )

  it("is in no text of where the digits are kept", () => {
    assert.strictEqual(JSON.stringify(collected), "{}")
  })
})
