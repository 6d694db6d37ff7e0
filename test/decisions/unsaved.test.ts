import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { pythonIsReady } from "../support/PythonSandbox.ts"
import { headersOf, single } from "../support/RpcClient.ts"
import { TestServer } from "../support/TestServer.ts"

const test = (body: (server: TestServer["Service"]) => Promise<void>) =>
  Effect.flatMap(TestServer, (server) => Effect.promise(() => body(server)))

const code = (result: string) => `def double(arguments, context):\n    return ${result}\n`
const options = { timeout: "120 seconds", excludeTestServices: true } as const

it.layer(TestServer.layer, options)("an unsaved draft", (it) => {
  it.effect("an agent is tried with it, and stays as it was", () =>
    test(async (server) => {
      const owner = await server.ownerOf("unsaved")
      await owner.post("/api/agents", { name: "Rosa", system_prompt: "You are Rosa.", first_message: "Hello." })
      const tried = await owner.post("/api/agents/Rosa/preview", {
        variables: { first_name: "Ada" },
        agent: { first_message: "Good day {{first_name}}.", system_prompt: "You are somebody else." },
      })
      assert.strictEqual(tried.body.reply, "Good day Ada.")
      assert.include(tried.body.prompt, "You are somebody else.")
      const { body } = await owner.get("/api/agents/Rosa")
      assert.deepStrictEqual([body.first_message, body.version], ["Hello.", 1])
    }),
  )
  it.effect("an agent's template that does not parse is reported at its place", () =>
    test(async (server) => {
      const owner = await server.ownerOf("unsaved-template")
      await owner.post("/api/agents", { name: "Rosa", system_prompt: "You are Rosa." })
      const refused = await owner.post("/api/agents/Rosa/preview", { agent: { system_prompt: "{{ name" } })
      assert.strictEqual(refused.status, 400)
      assert.strictEqual(refused.body.errors![0]!.pointer, "/agent/system_prompt")
    }),
  )
  it.effect("a tool is run with it, its code judged as a change would be, and stays as it was", () =>
    test(async (server) => {
      const owner = await server.ownerOf("unsaved-tool")
      const tool = { name: "double", description: "Doubles.", implementation_type: "python" }
      await owner.post("/api/tools", { ...tool, implementation_code: code("1") })
      const broken = await owner.post("/api/tools/double/invoke", { tool: { implementation_code: "def double(:" } })
      assert.strictEqual(broken.status, 400)
      assert.strictEqual(broken.body.errors![0]!.pointer, "/tool/implementation_code")
      await pythonIsReady(server.url)
      const tried = await owner.post("/api/tools/double/invoke", { tool: { implementation_code: code("2") } })
      assert.strictEqual(tried.status, 200)
      assert.strictEqual(tried.body.result, 2)
      assert.strictEqual((await owner.get("/api/tools/double")).body.implementation_code, code("1"))
    }),
  )
  it.effect("a built-in tool is run with no code but its own", () =>
    test(async (server) => {
      const owner = await server.ownerOf("unsaved-built-in")
      const refused = await owner.post("/api/tools/get_current_time/invoke", {
        tool: { implementation_code: code("1") },
      })
      assert.strictEqual(refused.status, 409)
      assert.strictEqual(refused.body.code, "invalid_state")
    }),
  )
})

it.layer(TestServer.layer, options)("the agents that have something", (it) => {
  it.effect("are told of a tool, a playbook and an FAQ", () =>
    test(async (server) => {
      const owner = await server.ownerOf("users")
      const rpc = single(server.url, headersOf(owner))
      const { id } = await rpc.agents.create.mutate({ name: "Rosa", system_prompt: "You are Rosa." })
      await rpc.agents.create.mutate({ name: "Sam", system_prompt: "You are Sam." })
      await rpc.agents.tools.enable.mutate({ agent_id: id, tool_name: "end_call", enabled: false })
      await rpc.playbooks.create.mutate({ name: "greeting", prompt: "Greet." })
      await rpc.agents.playbooks.attach.mutate({ agent_id: id, playbook_id: "greeting" })
      const faq = await rpc.faqs.create.mutate({ question: "Where?", answer: "Here." })
      await rpc.agents.faqs.attach.mutate({ agent_id: id, faq_id: faq.id })
      assert.deepStrictEqual(await rpc.tools.users.query({ id: "end_call" }), [{ id, name: "Rosa", enabled: false }])
      assert.deepStrictEqual(await rpc.playbooks.users.query({ id: "greeting" }), [{ id, name: "Rosa", enabled: true }])
      assert.deepStrictEqual(await rpc.faqs.users.query({ id: faq.id }), [{ id, name: "Rosa", enabled: true }])
      assert.deepStrictEqual(await rpc.tools.users.query({ id: "transfer_call" }), [])
    }),
  )
})
