import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, type Schema, Semaphore } from "effect"
import { ToolAddressGuard } from "../../../src/tools/ToolAddressGuard.ts"
import * as Invocation from "../../../src/tools/Invocation.ts"
import * as OwnTools from "../../../src/tools/OwnTools.ts"
import { Sandbox } from "../../../src/tools/sandbox/Sandbox.ts"
import { oneIn } from "../../support/Dose.ts"
import { kit, outsideCalls, tool } from "../../support/Kit.ts"
import { sandboxesHere, sandboxLayer, type SandboxName, sandboxWith } from "../../support/PythonSandbox.ts"
import { tenantWithoutDatabase } from "../../support/TenantWithoutDatabase.ts"
import { type Ends, type Hostile, onWebAssembly, snippets } from "./hostile.ts"

const context: Invocation.InvocationContext = {
  ...outsideCalls,
  about: { agent: { id: "1", name: "Rosa" } },
  phone_number: "+14155550101",
}

const toolsWith = (sandbox: ReturnType<typeof sandboxWith>) =>
  OwnTools.layer.pipe(Layer.provide(Layer.merge(ToolAddressGuard.layer, sandbox)), Layer.merge(tenantWithoutDatabase()))

const indented = (code: string) => code.replace(/^/gmu, "  ")
const source = (code: string, imports = "") => `${imports}\ndef tool(arguments, context):\n${indented(code)}\n`

/** Again where a busy machine started no process within the ten seconds of an invocation. */
const invoke = (implementation_code: string, args: Schema.JsonObject = {}) =>
  Invocation.invoke(
    kit({}, { tools: [tool("mine", { is_default: false, implementation_code })] }),
    "mine",
    args,
    context,
  ).pipe(Effect.repeat({ times: 5, while: ({ error }) => error?.code === "tool_timeout" }))

const options = { timeout: "300 seconds", excludeTestServices: true } as const

/** Few, so that they start in good time beside the rest of the suite. */
const atOnce: Record<SandboxName, number> = { bubblewrap: 6, webassembly: 2 }

/** A tool that never ends still runs after this. */
const stillRunningAfter = "2 seconds"

type Outcome = Ends | { readonly code: string; readonly reason: string }

/** Without the limit of an invocation, which counts the wait for a process too. */
const outcomeOf = ({ code, ends, imports }: Hostile): Effect.Effect<Outcome, never, Sandbox> =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox
    const running = sandbox.run({ code: source(code, imports), arguments: {}, context: {} }).pipe(
      Effect.match({
        onFailure: ({ code, reason }): Outcome => ({ code, reason }),
        onSuccess: ({ result }): Outcome => ({ result }),
      }),
    )
    if (!("code" in ends && ends.code === "tool_timeout")) return yield* running
    return yield* Effect.timeoutOrElse(running, {
      duration: stillRunningAfter,
      orElse: () => Effect.succeed<Outcome>({ code: "tool_timeout" }),
    })
  })

/** Each takes a process of its own, which WebAssembly starts seven times more slowly than bubblewrap does. */
const attacksOn: Record<SandboxName, ReadonlyArray<Hostile>> = {
  bubblewrap: snippets,
  webassembly: oneIn(6, snippets, 3),
}

class Attacks extends Context.Service<Attacks, { readonly outcomeOf: (name: string) => Effect.Effect<Outcome> }>()(
  "test/Attacks",
) {
  static readonly layer = (kind: SandboxName) =>
    Layer.effect(
      this,
      Effect.gen(function* () {
        const places = yield* Semaphore.make(atOnce[kind])
        const fibers = new Map<string, Fiber.Fiber<Outcome>>()
        for (const snippet of attacksOn[kind]) {
          fibers.set(snippet.name, yield* outcomeOf(snippet).pipe(places.withPermits(1), Effect.forkScoped))
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

describe.each(sandboxesHere)("a python tool in the sandbox of %s", (kind) => {
  it.layer(toolsWith(sandboxLayer(kind)), options)("at work", (it) => {
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

    it.effect("runs many times at once: each has its own result, or was not reached in its time", () =>
      Effect.gen(function* () {
        const code = source("return arguments['n']")
        const numbers = Array.from({ length: kind === "bubblewrap" ? 50 : 10 }, (_, n) => n)
        const all = yield* Effect.forEach(numbers, (n) => invoke(code, { n }), { concurrency: "unbounded" })
        const wrong = all.filter(({ error, result }, n) => result !== n && error?.code !== "tool_timeout")
        assert.deepStrictEqual(wrong, [])
        assert.isAbove(all.filter(({ error }) => error === undefined).length, 0)
      }),
    )
  })

  // All begun together: one after another they would take the time of all.
  it.layer(Attacks.layer(kind).pipe(Layer.provide(sandboxLayer(kind))), options)("is contained when it", (it) => {
    for (const { ends, name } of attacksOn[kind]) {
      const expected = (kind === "webassembly" ? onWebAssembly.get(name) : undefined) ?? ends
      it.effect(name, () =>
        Effect.gen(function* () {
          const outcome = yield* Attacks.use((attacks) => attacks.outcomeOf(name))
          if (!("code" in expected)) assert.deepStrictEqual(outcome, expected)
          else assert.strictEqual("code" in outcome && outcome.code, expected.code, JSON.stringify(outcome))
        }),
      )
    }
  })
})

describe("a python tool is refused, never run bare,", () => {
  const refusal = (env: Record<string, string>) =>
    Effect.gen(function* () {
      const { error } = yield* invoke(source("return 1"))
      assert.strictEqual(error?.code, "sandbox_unavailable")
      return error?.message ?? ""
    }).pipe(Effect.provide(toolsWith(sandboxWith(env))))

  it.live("in production without bubblewrap, with the name of the setting", () =>
    Effect.gen(function* () {
      const message = yield* refusal({ PATH: "/nowhere", PARLEY_ENV: "production" })
      assert.include(message, "bubblewrap (bwrap) is not installed")
      assert.include(message, "PARLEY_PYTHON_SANDBOX=webassembly")
    }),
  )
  it.live("where bubblewrap is asked for by name and is not there", () =>
    refusal({ PATH: "/nowhere", PARLEY_PYTHON_SANDBOX: "bubblewrap" }),
  )
})
