import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as WideAnswer from "../../src/offload/WideAnswer.ts"

const Item = Schema.Struct({ at: Schema.Int, day: Schema.DateFromString, note: Schema.optionalKey(Schema.String) })
const List = Schema.Struct({ items: Schema.Array(Item), total: Schema.Int })

const list = (count: number, note: string): typeof List.Type => ({
  items: Array.from({ length: count }, (_, at) => ({ at, day: new Date(at), note })),
  total: count,
})

describe("a wide answer", () => {
  it.effect.each([
    ["nothing", list(0, "")],
    ["a few items", list(3, 'a "quote", ü and \u0001')],
    ["6 MB of them", list(60, "ü".repeat(50_000))],
  ] as const)("is encoded and written as at once: %s", ([, value]) =>
    Effect.gen(function* () {
      const atOnce = JSON.stringify({ result: { data: yield* Schema.encodeEffect(List)(value) } })
      const data = yield* WideAnswer.encoderOf(List)(value)
      for (const levels of [0, 2, 4, 9]) {
        const bytes = yield* WideAnswer.jsonBytes({ result: { data, left_out: undefined } }, levels)
        assert.strictEqual(new TextDecoder().decode(bytes), atOnce)
      }
    }),
  )
})
