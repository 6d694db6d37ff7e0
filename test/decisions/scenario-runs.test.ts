/** Scenarios: simulated callers, tools that answer as told, and what must hold (docs/scenarios.md). */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { parse } from "yaml"
import type { ScenarioCall } from "../../src/domain/Scenario.ts"
import { type InAccount, inAccountOfItsOwn } from "../support/Campaigner.ts"
import { http, refused, unknownId } from "../support/Catalog.ts"
import { made } from "../support/Fixtures.ts"
import { modelServer } from "../support/ModelServer.ts"
import { type Client, sideBySide, TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const name = "a scenario"
const hello = { says: ["Yes, that suits me.", "No, that's all."] }

/** The path of an agent. */
type Agent = `/api/agents/${string}`

/** The run once it has ended. */
const ended = async (owner: Client, path: Agent, request: object) => {
  const begun = await owner.post(`${path}/scenario-runs`, request)
  assert.strictEqual(begun.status, 202, JSON.stringify(begun.body))
  assert.strictEqual(begun.body.status, "running")
  return until(async () => {
    const run = made(await owner.get(begun.headers.get("location") as `${Agent}/scenario-runs/${string}`))
    return run.status !== "running" && run
  })
}
const oneOf = async (owner: Client, path: Agent, scenario: object) => {
  const run = await ended(owner, path, { scenarios: [{ name, ...scenario }] })
  return { run, result: run.results[0]!, call: run.results[0]!.calls[0]! }
}
type Call = typeof ScenarioCall.Encoded
const failing = (call: Call) => call.checks.filter(({ passed }) => !passed)
const said = (call: Call, role: string) =>
  call.transcript.filter((entry) => entry.role === role).map(({ text }) => text)

it.layer(TestServer.layer, sideBySide)("scenario runs", (it) => {
  const test = (
    sentence: string,
    body: (path: Agent, owner: Client, ...rest: Parameters<InAccount>) => Promise<void>,
  ) =>
    it.effect(sentence, () =>
      inAccountOfItsOwn((own, owner, where) => body(`/api/agents/${own.line.agent_id}`, owner, own, owner, where)),
    )

  test("a script talks with the agent, and what must hold is told check by check", async (path, owner) => {
    const { call, result, run } = await oneOf(owner, path, {
      caller: { says: ["What are your opening hours?", "Thank you, that was all."] },
      variables: { first_name: "Ada" },
      expect: {
        called: [
          { tool: "lookup_faq", arguments: { question: { $matches: "opening" } } },
          { tool: "end_call", times: 1 },
        ],
        not_called: ["transfer_call"],
        said: ["hello ada", "nine to five"],
        never_said: ["I do not know"],
        outcome: "answered",
        ended_by: "agent",
        turns_at_most: 6,
        seconds_at_most: 120,
        cost_at_most: 0.05,
      },
    })
    assert.deepStrictEqual(failing(call), [])
    assert.isTrue(result.passed && run.passed)
    assert.deepStrictEqual(run.counts, { scenarios: 1, passed: 1, failed: 0 })
    assert.strictEqual(run.agent_version, made(await owner.get(path)).version)
    assert.strictEqual(said(call, "caller")[1], "What are your opening hours?")
    assert.isTrue(call.tool_invocations.some(({ tool_name }) => tool_name === "lookup_faq"))
  })

  test("a script's steps are taken by what the agent says, in their order", async (path, owner) => {
    const { call } = await oneOf(owner, path, {
      caller: {
        says: [
          { when: "next week", say: "No, rather later." },
          "Yes, speaking.",
          { when: "never said", say: "Not this." },
        ],
      },
      expect: { said: ["still there"], ended_by: "agent" },
    })
    assert.deepStrictEqual(failing(call), [])
    assert.notInclude(said(call, "caller"), "Not this.")
    assert.include(said(call, "caller"), "No, rather later.")
  })

  test("a caller talks over the agent, hangs up, is silent, or is a machine", async (path, owner) => {
    made(await owner.put(path, { voicemail_action: "leave_message" }))
    const scenarios = [
      {
        name: "talks over",
        caller: { says: [{ barge_in: "Sorry, what are your opening hours?", after_ms: 500 }] },
        expect: { called: [{ tool: "lookup_faq" }] },
      },
      { name: "hangs up", caller: { says: [{ hang_up: true }] }, expect: { ended_by: "caller", turns_at_most: 1 } },
      {
        name: "is silent",
        caller: { opening: null, says: [{ when: "never", say: "x" }] },
        expect: { end_reason: "silence" },
      },
      {
        name: "a machine",
        caller: { voicemail: "Please leave a message after the tone." },
        expect: { outcome: "voicemail" },
      },
    ]
    const run = await ended(owner, path, { scenarios })
    for (const { calls, name } of run.results) assert.deepStrictEqual(failing(calls[0]!), [], name)
    assert.deepStrictEqual(run.counts, { scenarios: 4, passed: 4, failed: 0 })
    const [over] = run.results[0]!.calls
    assert.isTrue(over!.transcript.some(({ interrupted }) => interrupted === true))
  })

  test("what does not hold fails the scenario, and says what was found instead", async (path, owner) => {
    const { call, result, run } = await oneOf(owner, path, {
      caller: hello,
      expect: {
        called: [{ tool: "transfer_call" }, { tool: "record_outcome", arguments: { outcome: { suits: false } } }],
        not_called: ["end_call"],
        said: ["submarine"],
        never_said: ["Rosa"],
        outcome: "voicemail",
        end_reason: "transferred",
        ended_by: "caller",
        result: { suits: "no" },
        turns_at_most: 1,
        seconds_at_most: 1,
        cost_at_most: 0,
      },
    })
    assert.strictEqual(failing(call).length, call.checks.length)
    assert.isTrue(call.checks.every(({ detail }) => detail !== ""))
    assert.include(failing(call)[0]!.detail, "never called, only")
    assert.isFalse(result.passed || run.passed)
    assert.deepStrictEqual(run.counts, { scenarios: 1, passed: 0, failed: 1 })
  })

  test("tools answer as the scenario says; one that would ask the world outside fails it", async (path, owner) => {
    const { name: hook } = made(await owner.post("/api/tools", http()))
    made(await owner.post(`${path}/tools`, { tool_name: hook }))
    const scenario = { caller: { says: ["What are your opening hours?", "And what does it cost?"] } }
    const faq = (answer: string) => ({ found: true, answers: [{ answer }] })
    const { call } = await oneOf(owner, path, {
      ...scenario,
      tools: { lookup_faq: { results: [faq("From one to two."), faq("Three dollars.")] } },
      expect: { said: ["From one to two", "Three dollars"], called: [{ tool: "lookup_faq", times: 2 }] },
    })
    assert.deepStrictEqual(failing(call), [])
    const broken = await oneOf(owner, path, {
      ...scenario,
      tools: { lookup_faq: { error: { code: "down", message: "It is down." } } },
      expect: { said: ["I do not know"] },
    })
    assert.deepStrictEqual(failing(broken.call), [])
    assert.deepStrictEqual(broken.call.tool_invocations[0]!.error, { code: "down", message: "It is down." })
  })

  test("it is no phone call: no call, no cap, no entry of the do-not-call list stays", async (path, owner) => {
    const { call } = await oneOf(owner, path, {
      caller: { says: ["Please take me off your list and never call me again."] },
      expect: { called: [{ tool: "add_to_do_not_call" }], end_reason: "opted_out" },
    })
    assert.deepStrictEqual(failing(call), [])
    assert.notProperty(call.tool_invocations[0], "error")
    assert.strictEqual(made(await owner.get("/api/v1/calls")).total, 0)
    assert.strictEqual(made(await owner.get("/api/v1/suppressions")).total, 0)
    assert.strictEqual(made(await owner.get("/api/v1/events")).items.length, 0)
  })

  test("of several calls all must pass; another run has the scenarios of the last one, against any version", async (path, owner) => {
    const opening = { name, caller: hello, expect: { said: ["this is Rosa"] }, repeat: 2 }
    const first = await ended(owner, path, {
      scenarios: [opening, { ...opening, name: "other", repeat: 1 }],
      repeat: 3,
    })
    assert.deepStrictEqual(
      first.results.map(({ calls, calls_passed }) => [calls.length, calls_passed]),
      [
        [2, 2],
        [1, 1],
      ],
    )
    const before = first.agent_version
    made(await owner.put(path, { first_message: "Hello, this is Rita." }))
    const now = await ended(owner, path, {})
    assert.deepStrictEqual([now.passed, now.agent_version], [false, before + 1])
    const then = await ended(owner, path, { version: before })
    assert.deepStrictEqual([then.passed, then.agent_version], [true, before])
    const list = made(await owner.get(`${path}/scenario-runs`))
    assert.deepStrictEqual(
      list.items.map(({ id }) => id),
      [then.id, now.id, first.id],
    )
    assert.notProperty(list.items[0], "results")
    assert.propertyVal(list.items[0]!.created_by, "email", `owner@${owner.account}.example`)
  })

  test("faults are sentences with a pointer", async (path, owner) => {
    const expect = { outcome: "answered" }
    const faults: ReadonlyArray<readonly [string, object, string?]> = [
      ["/scenarios", { scenarios: [] }],
      [
        "/scenarios/0/caller",
        { scenarios: [{ name, caller: {}, expect }] },
        "must have one of says, voicemail and persona",
      ],
      ["/scenarios/0/caller/says/0", { scenarios: [{ name, caller: { says: [{}] }, expect }] }, "must have one of say"],
      ["/scenarios/0/caller/says/0", { scenarios: [{ name, caller: { says: [7] }, expect }] }, "must be a text, or"],
      [
        "/scenarios/0/caller/says/1/when",
        { scenarios: [{ name, caller: { says: ["a", { when: "(", say: "b" }] }, expect }] },
      ],
      ["/scenarios/0/expect", { scenarios: [{ name, caller: hello, expect: {} }] }, "must expect something"],
      [
        "/scenarios/0/expect/said/0",
        { scenarios: [{ name, caller: hello, expect: { said: ["[a-"] } }] },
        "not a valid regular expression",
      ],
      [
        "/scenarios/0/expect/heard",
        { scenarios: [{ name, caller: hello, expect: { heard: 1 } }] },
        "is not a known field",
      ],
      [
        "/scenarios/0/tools/x",
        { scenarios: [{ name, caller: hello, expect, tools: { x: {} } }] },
        "must have one of result",
      ],
      ["/scenarios/1/name", { scenarios: [1, 2].map(() => ({ name, caller: hello, expect })) }, "another scenario"],
      ["/version", { version: 77, scenarios: [{ name, caller: hello, expect }] }, "is not a version"],
    ]
    for (const [pointer, body, detail] of faults) {
      const { errors } = await refused(owner.post(`${path}/scenario-runs`, body), 400, "invalid_request", pointer)
      const said = errors.find((error) => error.pointer === pointer)!.detail
      if (detail !== undefined) assert.include(said, detail)
    }
    const many = Array.from({ length: 11 }, (_, at) => ({ name: `${at}`, caller: hello, expect, repeat: 10 }))
    await refused(owner.post(`${path}/scenario-runs`, { scenarios: many }), 400, "invalid_request", "/scenarios")
    await refused(owner.post(`${path}/scenario-runs`, {}), 400, "invalid_request", "/scenarios")
    await refused(owner.get(`${path}/scenario-runs/${unknownId}`), 404, "not_found")
    await refused(owner.get(`${path}/scenario-runs/none`), 404, "not_found")
    await refused(owner.post(`/api/agents/${unknownId}/scenario-runs`, {}), 404, "not_found")
  })

  test("two runs of an account go on at once, a third one waits for its turn", async (path, owner) => {
    const scenarios = Array.from({ length: 10 }, (_, at) => ({
      name: `${at}`,
      caller: hello,
      expect: { outcome: "answered" },
      // Long enough that none has ended when the third one comes.
      repeat: 5,
    }))
    const answers = await Promise.all([1, 2, 3].map(() => owner.post(`${path}/scenario-runs`, { scenarios })))
    assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [202, 202, 409])
    const reader = made(await owner.post("/api/v1/api-keys", { name: "reader", scopes: ["read"] })).key
    await refused(owner.post(`${path}/scenario-runs`, {}, { token: reader }), 403, "missing_scope")
    for (const { headers, status } of answers) {
      if (status !== 202) continue
      const run = await until(async () => {
        const each = made(
          await owner.get(headers.get("location") as `${Agent}/scenario-runs/${string}`, { token: reader }),
        )
        return each.status !== "running" && each
      })
      assert.strictEqual(run.counts.passed, 10)
    }
  })

  test("the example of the documentation passes", async (path, owner) => {
    const [, text = ""] = /```yaml\n(scenarios:[^]*?)```/u.exec(readFileSync("docs/scenarios.md", "utf8")) ?? []
    const run = await ended(owner, path, parse(text))
    for (const { calls, name } of run.results) assert.deepStrictEqual(failing(calls[0]!), [], name)
    assert.isTrue(run.passed)
  })
})

type Models = Effect.Success<ReturnType<typeof modelServer>>
class Provider extends Context.Service<Provider, Models>()("test/Provider") {}
const provider = Layer.effect(Provider, modelServer([]))
const withModel = Layer.unwrap(
  Provider.useSync(({ url }) => TestServer.layerWith({ OPENAI_COMPATIBLE_BASE_URL: `${url}/v1` })),
).pipe(Layer.provideMerge(provider))

it.layer(withModel, sideBySide)("a caller that is a language model", (it) => {
  it.effect("is heard, and hangs up; without a key the scenario says so", () =>
    Effect.gen(function* () {
      const model = yield* Provider
      model.begin([
        { says: "Yes, speaking. What are your opening hours?" },
        { says: "Good, thank you. Goodbye. [hang up]" },
      ])
      yield* inAccountOfItsOwn(async (own, owner) => {
        const path = `/api/agents/${own.line.agent_id}` as const
        const caller = {
          persona: "A driver in a hurry.",
          goal: "Learn the opening hours.",
          model: { provider: "openai-compatible", id: "llama" },
        }
        const expect = { called: [{ tool: "lookup_faq" }], ended_by: "caller" }
        const { call } = await oneOf(owner, path, { caller, expect })
        assert.deepStrictEqual(failing(call), [])
        assert.deepStrictEqual(said(call, "caller").slice(1), [
          "Yes, speaking. What are your opening hours?",
          "Good, thank you. Goodbye.",
        ])
        const unknown = { ...caller, model: { provider: "openai", id: "gpt" } }
        const without = await oneOf(owner, path, { caller: unknown, expect })
        assert.include(without.call.error, "there is no key for the provider openai")
        assert.isFalse(without.result.passed)
      })
      const [asked] = model.asked
      assert.include(JSON.stringify(asked?.body), "A driver in a hurry.")
    }),
  )
})
