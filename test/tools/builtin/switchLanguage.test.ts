import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, type Schema } from "effect"
import * as CallControls from "../../../src/tools/CallControls.ts"
import * as Invocation from "../../../src/tools/Invocation.ts"
import { ToolRunner } from "../../../src/tools/ToolRunner.ts"
import { kit, outsideCalls, tool } from "../../support/Kit.ts"
import { tenantWithoutDatabase } from "../../support/TenantWithoutDatabase.ts"

const invoke = Effect.fnUntraced(function* (language: string, config: Schema.JsonObject) {
  const switched: Array<unknown> = []
  const controls = {
    ...CallControls.none,
    switchLanguage: (...to: ReadonlyArray<unknown>) => Effect.sync(() => void switched.push(to)),
  }
  const equipped = kit({}, { tools: [tool("switch_language", { config })] })
  const record = yield* Invocation.invoke(
    equipped,
    "switch_language",
    { language },
    { ...outsideCalls, controls },
  ).pipe(Effect.provide(Layer.merge(ToolRunner.layerUnavailable, tenantWithoutDatabase())))
  return { record, switched }
})

const languages = ["en-US", "de", "es"]

describe("switch_language", () => {
  it.effect.each([
    ["de", "de", "German"],
    ["DE", "de", "German"],
    ["de-AT", "de", "German"],
    ["en", "en-US", "English"],
  ] as const)("takes %s as one of the agent's languages", ([asked, language, speak]) =>
    Effect.gen(function* () {
      const { record, switched } = yield* invoke(asked, { languages })
      assert.deepStrictEqual(record.result, { status: "switched", language, speak })
      assert.deepStrictEqual(switched, [[language, {}]])
    }),
  )

  it.effect("has a voice for a language, where the settings name one that can be", () =>
    Effect.gen(function* () {
      const voices = { de: { id: "Helga", speed: 1.1 }, es: { speed: "fast" } }
      assert.deepStrictEqual((yield* invoke("de", { languages, voices })).switched, [["de", voices.de]])
      assert.deepStrictEqual((yield* invoke("es", { languages, voices })).switched, [["es", {}]])
    }),
  )

  it.effect.each([
    ["fr", { languages }, "language_not_available"],
    ["", { languages }, "language_not_available"],
    ["de", {}, "languages_not_configured"],
    ["de", { languages: ["de"] }, "languages_not_configured"],
    ["de", { languages: [1, "!", null] }, "languages_not_configured"],
  ] as const)("refuses %s with the settings %j", ([language, config, code]) =>
    Effect.gen(function* () {
      const { record, switched } = yield* invoke(language, config)
      assert.strictEqual(record.error?.code, code)
      assert.lengthOf(switched, 0)
    }),
  )
})
