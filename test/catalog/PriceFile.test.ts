/** The price list of an installation: what a start refuses, and says. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { InstallationPrices, layer } from "../../src/catalog/PriceFile.ts"

const folder = mkdtempSync(join(tmpdir(), "parley-test-prices-"))
const file = join(folder, "prices.json")

const pricesWith = (env: Record<string, string>) =>
  InstallationPrices.pipe(
    Effect.provide(layer),
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))),
  )

const refusal = (text: string) =>
  Effect.gen(function* () {
    writeFileSync(file, text)
    const error = yield* Effect.flip(pricesWith({ PARLEY_PRICES_FILE: file }))
    return error.message
  })

const price = { carrier: "sip", prefix: "+", from: "2026-01-01", per_minute: "0.01", increment_seconds: 60 }
const withPrice = (change: object) => JSON.stringify({ currency: "USD", carriers: [{ ...price, ...change }] })

describe("a price list", () => {
  it.effect("is none if no file is named, and the example of this repository is one", () =>
    Effect.gen(function* () {
      assert.isNull(yield* pricesWith({}))
      assert.isNotNull(yield* pricesWith({ PARLEY_PRICES_FILE: "examples/prices.json" }))
    }),
  )

  it.effect.each([
    ["that is no JSON", "{", /JSON/],
    ["with an amount as a number", withPrice({ per_minute: 0.01 }), /carriers\/0\/per_minute/],
    ["with a day that no calendar has", withPrice({ from: "2026-13-01" }), /carriers\/0\/from must be a date/],
    ["with a field that there is not", withPrice({ per_hour: "1" }), /carriers\/0\/per_hour/],
    ["in another currency", JSON.stringify({ currency: "EUR", carriers: [] }), /currency/],
    ["without a price for all other numbers", withPrice({ prefix: "+1" }), /no price for the prefix \+/],
  ] as const)("%s stops the start, with the file and the field", ([, text, says]) =>
    Effect.gen(function* () {
      const message = yield* refusal(text)
      assert.match(message, says)
      assert.include(message, `The price list ${file} (PARLEY_PRICES_FILE) cannot be used`)
    }),
  )

  it.effect("that is not there stops the start", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(pricesWith({ PARLEY_PRICES_FILE: join(folder, "none.json") }))
      assert.include(error.message, "no such file")
    }),
  )
})
