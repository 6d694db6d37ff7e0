import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { type Client, TestServer } from "../support/TestServer.ts"
import { bubblewrapFault, pythonIsReady, sandboxesHere } from "../support/PythonSandbox.ts"

const define = async (owner: Client, implementation_code: string) => {
  const { body, status } = await owner.post("/api/tools", {
    name: `python_${crypto.randomUUID().slice(0, 8)}`,
    description: "Adds.",
    schema: { type: "object", properties: { a: { type: "integer" }, b: { type: "integer" } }, required: ["a", "b"] },
    implementation_type: "python",
    implementation_code,
  })
  assert.strictEqual(status, 201, JSON.stringify(body))
  return body
}

const options = { timeout: "120 seconds", excludeTestServices: true } as const
const test = (body: (server: TestServer["Service"]) => Promise<void>) =>
  Effect.flatMap(TestServer, (server) => Effect.promise(() => body(server)))

const adds = "def add(arguments, context):\n    print('adding')\n    return {'sum': arguments['a'] + arguments['b']}\n"

const readyz = async (url: string) =>
  (await (await fetch(`${url}/readyz`)).json()) as { readonly python_sandbox: string }

it.layer(Layer.fresh(TestServer.layer), options)("/readyz", (it) => {
  it.effect("says whether python tools can run, and in which sandbox", () =>
    test(async ({ url }) => {
      await pythonIsReady(url)
      assert.deepStrictEqual<unknown>(await readyz(url), {
        status: "ready",
        checks: {
          database: "ok",
          migrations: "ok",
          dialling: "ok",
          servers: "ok",
          python_sandbox: "ok",
          voice: "no speech provider",
        },
        python_sandbox: bubblewrapFault === undefined ? "bubblewrap" : "webassembly",
      })
    }),
  )
})

const noPython = { PARLEY_PYTHON: "/nowhere/python3" }
it.layer(Layer.fresh(TestServer.layerWith(noPython)), options)("a machine without bubblewrap or Python", (it) => {
  it.effect("runs python tools on WebAssembly in development", () =>
    test(async ({ url }) => {
      await pythonIsReady(url)
      assert.strictEqual((await readyz(url)).python_sandbox, "webassembly")
    }),
  )
})

const noBubblewrap = { ...noPython, PARLEY_PYTHON_SANDBOX: "bubblewrap" }
it.layer(Layer.fresh(TestServer.layerWith(noBubblewrap)), options)("a python tool without a sandbox", (it) => {
  it.effect("is refused with sandbox_unavailable", () =>
    test(async (server) => {
      const owner = await server.ownerOf("demo")
      const { id } = await define(owner, adds)
      const { body, status } = await owner.post(`/api/tools/${id}/invoke`, { arguments: { a: 1, b: 2 } })
      assert.strictEqual(status, 200)
      assert.strictEqual(body.error!.code, "sandbox_unavailable")
      assert.notProperty(body, "result")
      assert.strictEqual((await readyz(server.url)).python_sandbox, "none")
    }),
  )
})

describe.each(sandboxesHere)("over %s", (kind) => {
  const server = Layer.tap(TestServer.layerWith({ PARLEY_PYTHON_SANDBOX: kind }), (context) =>
    Effect.promise(() => pythonIsReady(Context.get(context, TestServer).url)),
  )
  it.layer(Layer.fresh(server), options)("a python tool (spec §2)", (it) => {
    it.effect("runs in a sandbox and answers with its result, its time and what it printed", () =>
      test(async (server) => {
        const owner = await server.ownerOf("demo")
        const { id } = await define(owner, adds)
        const { body, status } = await owner.post(`/api/tools/${id}/invoke`, { arguments: { a: 1, b: 2 } })
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(body.result, { sum: 3 })
        assert.deepStrictEqual(body.logs, ["adding"])
        assert.isNumber(body.duration_ms)
      }),
    )

    it.effect("is given the context and the config of the trial", () =>
      test(async (server) => {
        const owner = await server.ownerOf("demo")
        const { id } = await define(
          owner,
          "def tell(arguments, context):\n    return [context['campaign']['name'], context['config']['greeting']]\n",
        )
        const { body } = await owner.post(`/api/tools/${id}/invoke`, {
          arguments: { a: 1, b: 2 },
          context: { campaign: { name: "Spring" } },
          config: { greeting: "Hi" },
        })
        assert.deepStrictEqual(body.result, ["Spring", "Hi"])
      }),
    )

    it.effect("is not run at all with arguments that do not fit: a 400", () =>
      test(async (server) => {
        const owner = await server.ownerOf("demo")
        const { id } = await define(owner, adds)
        const { body, status } = await owner.post(`/api/tools/${id}/invoke`, { arguments: { a: 1 } })
        assert.strictEqual(status, 400)
        assert.strictEqual(body.code, "invalid_request")
      }),
    )

    it.effect("that fails is a 200 with its error, and with the trace that it printed", () =>
      test(async (server) => {
        const owner = await server.ownerOf("demo")
        const { id } = await define(owner, "def fail(arguments, context):\n    raise ValueError('no such order')\n")
        const { body, status } = await owner.post(`/api/tools/${id}/invoke`, { arguments: { a: 1, b: 2 } })
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(body.error, { code: "tool_error", message: "ValueError: no such order" })
        assert.include(body.logs!.join("\n"), "line 2, in fail")
      }),
    )
  })
})
