import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Logger, References } from "effect"
import { warnIfTooFew } from "../../src/tenancy/ConnectionBudget.ts"
import { layer } from "../support/TestTenancy.ts"

const warningsWith = (connections: string) =>
  Effect.gen(function* () {
    const logged: Array<Record<string, unknown>> = []
    const logger = Logger.make(({ fiber }) => void logged.push({ ...fiber.getRef(References.CurrentLogAnnotations) }))
    const config = ConfigProvider.layer(ConfigProvider.fromEnvRecord({ DATABASE_MAX_CONNECTIONS: connections }))
    yield* warnIfTooFew.pipe(Effect.provide([Logger.layer([logger]), config]))
    return logged
  })

it.layer(layer, { timeout: "120 seconds", excludeTestServices: true })("the connections of all processes", (it) => {
  it.effect("are compared at boot with those that the server has", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* warningsWith("80"), [])
      // The embedded server has 250, three of them for superusers.
      assert.deepStrictEqual(yield* warningsWith("240"), [{ available: 247, processes: 1, wanted: 260 }])
    }),
  )
})
