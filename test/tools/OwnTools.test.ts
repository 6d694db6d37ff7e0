/** Tools of several accounts at the same moment: what one has running does not delay another's. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { ToolAddressGuard } from "../../src/tools/ToolAddressGuard.ts"
import * as Invocation from "../../src/tools/Invocation.ts"
import * as OwnTools from "../../src/tools/OwnTools.ts"
import { kit, outsideCalls, tool } from "../support/Kit.ts"
import { sandboxesHere, sandboxLayer } from "../support/PythonSandbox.ts"
import { tenantWithoutDatabase } from "../support/TenantWithoutDatabase.ts"

const options = { timeout: "120 seconds", excludeTestServices: true } as const

const invoke = (account: string, implementation_code: string) =>
  Invocation.invoke(
    kit({}, { tools: [tool("mine", { is_default: false, implementation_code })] }),
    "mine",
    {},
    outsideCalls,
  ).pipe(Effect.provide(tenantWithoutDatabase(account)))

// In the one sandbox whose processes start fastest here: what is shared stands before both.
describe.each(sandboxesHere.slice(0, 1))("python tools over %s", (kind) => {
  const layer = OwnTools.layer.pipe(Layer.provide(Layer.merge(ToolAddressGuard.layer, sandboxLayer(kind))))
  const sleeps = "import time\n\ndef tool(a, c):\n    time.sleep(9)\n"
  const adds = "def tool(a, c):\n    return 1 + 1\n"
  /** Tools of the account `flooding` that have not ended. */
  const floodWith = (count: number) =>
    Effect.replicateEffect(Effect.forkChild(invoke("flooding", sleeps), { startImmediately: true }), count)

  it.layer(layer, options)("of two accounts", (it) => {
    it.effect("do not wait for each other: 48 of one sleep while another's runs", () =>
      Effect.gen(function* () {
        const flood = yield* floodWith(48)
        const { error, result } = yield* invoke("other", adds)
        assert.deepStrictEqual([result, error], [2, undefined])
        assert.isTrue(flood.every((fiber) => fiber.pollUnsafe() === undefined))
        yield* Fiber.interruptAll(flood)
      }),
    )

    it.effect("beyond the queue of their account fail at once, and another account's do not", () =>
      Effect.gen(function* () {
        const flood = yield* floodWith(8 + 256)
        const { error } = yield* invoke("flooding", adds)
        assert.deepStrictEqual(error, {
          code: "too_many_waiting",
          message: "256 python tools of this account are waiting already. Try again when some of them have ended.",
        })
        assert.strictEqual((yield* invoke("other", adds)).result, 2)
        yield* Fiber.interruptAll(flood)
      }),
    )
  })
})
