import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { endOf, type HandoverEvent, type HandoverState, isOver, move } from "../../src/domain/Handover.ts"

const events: ReadonlyArray<HandoverEvent> = [
  ...(["refused", "answered", "taken", "declined"] as const),
  ...(["timed_out", "machine", "target_gone", "caller_gone"] as const),
]

describe("the life of a warm transfer", () => {
  it.each([
    ["dialling", "refused", "not_answered"],
    ["dialling", "answered", "announcing"],
    ["dialling", "caller_gone", "abandoned"],
    ["announcing", "taken", "bridged"],
    ["announcing", "declined", "not_taken"],
    ["announcing", "timed_out", "not_taken"],
    ["announcing", "target_gone", "not_taken"],
    ["announcing", "machine", "machine"],
    ["announcing", "caller_gone", "abandoned"],
    ["bridged", "target_gone", "completed"],
    ["bridged", "caller_gone", "completed"],
  ] as const)("%s + %s → %s", (from, event, to) => assert.strictEqual(move(from, event), to))

  it("takes no event twice, and connects only a person who answered and pressed the key", () => {
    const walk = (state: HandoverState, told: ReadonlyArray<HandoverEvent>): void => {
      const isBridged = told.includes("answered") && told.at(-1) === "taken"
      if (state === "bridged") assert.isTrue(isBridged, told.join())
      for (const event of events) {
        const next = move(state, event)
        if (isOver(state)) assert.strictEqual(next, state)
        if (next !== state) walk(next, [...told, event])
      }
    }
    walk("dialling", [])
  })

  it.prop(
    "comes to one end, whatever happens in whatever order, and a bridge ends as transferred",
    { told: Schema.Array(Schema.Literals(events)) },
    ({ told }) => {
      const states = told.reduce<ReadonlyArray<HandoverState>>(
        (states, event) => [...states, move(states.at(-1) ?? "dialling", event)],
        ["dialling"],
      )
      const last = move(states.at(-1) ?? "dialling", "caller_gone")
      assert.isTrue(isOver(last))
      assert.strictEqual(endOf(last).end_reason === "transferred", states.includes("bridged"))
    },
  )
})
