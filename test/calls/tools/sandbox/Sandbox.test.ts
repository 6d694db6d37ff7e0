import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Context, Effect, Fiber, Layer, type Schema, Semaphore } from "effect"
import { AddressGuard } from "../../../../src/calls/tools/AddressGuard.ts"
import * as CallControls from "../../../../src/calls/tools/CallControls.ts"
import * as Invocation from "../../../../src/calls/tools/Invocation.ts"
import * as OwnTools from "../../../../src/calls/tools/OwnTools.ts"
import { Sandbox } from "../../../../src/calls/tools/sandbox/Sandbox.ts"
import type { ToolInvocation } from "../../../../src/domain/Call.ts"
import { kit, tool } from "../../../support/Kit.ts"
import { tenantWithoutDatabase } from "../../../support/TenantWithoutDatabase.ts"
import { sandboxFault } from "../../../support/PythonSandbox.ts"
import { snippets } from "./hostile.ts"

const context: Invocation.InvocationContext = {
  about: { agent: { id: "1", name: "Rosa" } },
  call_id: null,
  phone_number: "+14155550101",
  variables: {},
  time_zone: "Europe/Berlin",
  controls: CallControls.none,
  faq_ids: [],
  outcome_schema: null,
}

const environment = ConfigProvider.layer(
  ConfigProvider.fromEnvRecord({ PATH: process.env["PATH"] ?? "", SECRET: "s3cret" }),
)
const layer = OwnTools.layer.pipe(
  Layer.provide(Layer.merge(AddressGuard.layer, Sandbox.layer)),
  Layer.merge(tenantWithoutDatabase()),
  Layer.provide(environment),
)

const indented = (code: string) => code.replace(/^/gmu, "  ")
const source = (code: string, imports = "") => `${imports}\ndef tool(arguments, context):\n${indented(code)}\n`

const invoke = (implementation_code: string, args: Schema.JsonObject = {}) =>
  Invocation.invoke(
    kit({}, { tools: [tool("mine", { is_default: false, implementation_code })] }),
    "mine",
    args,
    context,
  )

const options = { timeout: "120 seconds", excludeTestServices: true } as const

/** Fewer than run at once in the sandbox, and few: none is to wait for a place or a core in its ten seconds. */
const atOnce = 6

class Attacks extends Context.Service<
  Attacks,
  { readonly outcomeOf: (name: string) => Effect.Effect<ToolInvocation> }
>()("test/Attacks") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const places = yield* Semaphore.make(atOnce)
      const fibers = new Map<string, Fiber.Fiber<ToolInvocation>>()
      for (const { code, imports, name } of snippets) {
        fibers.set(name, yield* invoke(source(code, imports)).pipe(places.withPermits(1), Effect.forkScoped))
      }
      const unknown = (name: string) => Effect.die(new Error(`no attack ${name}`))
      return {
        outcomeOf: (name) => {
          const fiber = fibers.get(name)
          return fiber === undefined ? unknown(name) : Fiber.join(fiber)
        },
      }
    }),
  )
}

// The system calls and programs under test are Linux's; CI installs them, so there nothing is skipped.
const there = sandboxFault === undefined
const name = there ? "a python tool" : `a python tool (skipped: ${sandboxFault})`

it("has its sandbox where the whole suite is run", ({ skip }) => {
  if (process.env["CI"] === undefined) skip()
  assert.isUndefined(sandboxFault)
})

describe.runIf(there)(`${name}`, () => {
  it.layer(layer, options)("in the sandbox", (it) => {
    it.effect("is given its arguments and its context, and gives a result", () =>
      Effect.gen(function* () {
        const { result } = yield* invoke(source("return {'sum': arguments['a'] + 1, 'of': context['agent']['name']}"), {
          a: 1,
        })
        assert.deepStrictEqual(result, { sum: 2, of: "Rosa" })
      }),
    )

    it.effect("may be a coroutine", () =>
      Effect.gen(function* () {
        const code = "import asyncio\nasync def tool(a, c):\n  await asyncio.sleep(0.01)\n  return 'late'\n"
        assert.strictEqual((yield* invoke(code)).result, "late")
      }),
    )

    it.effect("finds a fresh process each time: nothing is left of the call before", () =>
      Effect.gen(function* () {
        const code = source(
          "before = getattr(builtins, 'mark', 0)\nbuiltins.mark = 1\nreturn before",
          "import builtins",
        )
        for (let call = 0; call < 5; call++) assert.strictEqual((yield* invoke(code)).result, 0)
      }),
    )

    it.effect("says with what error it failed", () =>
      Effect.gen(function* () {
        const { error } = yield* invoke(source("return {}['missing']"))
        assert.deepStrictEqual(error, { code: "tool_error", message: "KeyError: 'missing'" })
      }),
    )

    it.effect("runs fifty times at once: each has its own result, or was not reached in its time", () =>
      Effect.gen(function* () {
        const code = source("return arguments['n']")
        const numbers = Array.from({ length: 50 }, (_, n) => n)
        const all = yield* Effect.forEach(numbers, (n) => invoke(code, { n }), { concurrency: "unbounded" })
        const wrong = all.filter(({ error, result }, n) => result !== n && error?.code !== "tool_timeout")
        assert.deepStrictEqual(wrong, [])
        assert.isAbove(all.filter(({ error }) => error === undefined).length, 0)
      }),
    )
  })

  // All at once, as they would come: those that never end would else take ten seconds each.
  it.layer(Layer.provideMerge(Attacks.layer, layer), options)("is contained when it", (it) => {
    for (const { ends, name } of snippets) {
      it.effect(name, () =>
        Effect.gen(function* () {
          const { error, result } = yield* Attacks.use((attacks) => attacks.outcomeOf(name))
          if ("code" in ends) assert.strictEqual(error?.code, ends.code, JSON.stringify({ error, result }))
          else assert.deepStrictEqual({ error, result }, { error: undefined, result: ends.result })
        }),
      )
    }
  })
})

it.effect("is refused where there is no bubblewrap, never run bare", () =>
  Effect.gen(function* () {
    const { error } = yield* invoke(source("return 1")).pipe(
      Effect.provide(
        OwnTools.layer.pipe(
          Layer.provide(Layer.merge(AddressGuard.layer, Sandbox.layer)),
          Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ PATH: "/nowhere" }))),
          Layer.merge(tenantWithoutDatabase()),
        ),
      ),
    )
    assert.strictEqual(error?.code, "sandbox_unavailable")
  }),
)
