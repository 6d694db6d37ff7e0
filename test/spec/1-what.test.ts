import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { campaignForm, everything, made } from "../support/Fixtures.ts"
import { type Client, TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

interface Ids {
  readonly agent_id: string
  readonly phone_number_id: string
}

const prepare = async (owner: Client): Promise<Ids> => {
  const agent = made(
    await owner.post("/api/agents", { name: "desk", system_prompt: "You are kind.", first_message: "Good morning." }),
  )
  const number = made(await owner.post("/api/phone-numbers", { number: "+12025550142", carrier: "lab" }))
  return { agent_id: agent.id, phone_number_id: number.id }
}

const callTo = async (owner: Client, ids: Ids, to: string) => {
  const { id } = made(await owner.post("/api/v1/calls", { ...ids, to }))
  return until(async () => {
    const call = made(await owner.get(`/api/v1/calls/${id}`))
    return call.ended_at !== null && call
  })
}

/** A called party that asks for the opening hours (decisions §6, digits 20–29). */
const curious = "+14155550120"
const hours = { question: "What are your opening hours?", answer: "From eight to six." }

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })(
  "what the service does (spec §1)",
  (it) => {
    const test = (name: string, body: (owner: Client, server: TestServer["Service"]) => Promise<void>) =>
      it.effect(name, () =>
        Effect.flatMap(TestServer, (server) =>
          Effect.promise(async () => body(await server.ownerOf(`w${crypto.randomUUID().slice(0, 8)}`), server)),
        ),
      )

    test("the service runs voice agents that take part in phone calls", async (owner) => {
      const call = await callTo(owner, await prepare(owner), "+14155550100")
      assert.deepInclude(call, { status: "completed", outcome: "answered", direction: "outbound" })
      const roles: ReadonlyArray<string> = call.transcript.map(({ role }: { role: string }) => role)
      assert.include(roles, "agent")
      assert.include(roles, "caller")
      assert.isTrue(call.transcript.some(({ text }: { text: string }) => text === "Good morning."))
    })

    test("tools: functions the agent may invoke during a call", async (owner) => {
      const ids = await prepare(owner)
      made(await owner.post("/api/faqs", { ...hours, name: "hours" }))
      made(await owner.post(`/api/agents/${ids.agent_id}/faqs`, { faq_id: "hours" }))
      const without = await callTo(owner, ids, curious)
      assert.deepStrictEqual(without.tool_invocations, [])
      made(await owner.post(`/api/agents/${ids.agent_id}/tools`, { tool_name: "lookup_faq" }))
      const call = await callTo(owner, ids, curious)
      const [invocation] = call.tool_invocations
      assert.deepInclude(invocation, { tool_name: "lookup_faq", arguments: { question: hours.question } })
    })

    test("playbooks: a prompt fragment bundled with the names of tools it needs", async (owner) => {
      const { agent_id } = await prepare(owner)
      const prompt = "Be especially polite to {{company}}."
      const tool_names = ["lookup_faq", "end_call"]
      const playbook = made(await owner.post("/api/playbooks", { name: "polite", prompt, tool_names }))
      assert.deepStrictEqual(playbook.tool_names, tool_names)
      made(await owner.post(`/api/agents/${agent_id}/tools`, { tool_name: "end_call" }))
      const attached = made(await owner.post(`/api/agents/${agent_id}/playbooks`, { playbook_id: "polite" }))
      assert.deepStrictEqual(attached.missing_tools, ["lookup_faq"])
      const messages = [{ role: "user", content: "Hello" }]
      const preview = made(
        await owner.post(`/api/agents/${agent_id}/preview`, { messages, variables: { company: "Hill & Sons" } }),
      )
      assert.include(JSON.stringify(preview.prompt), "Be especially polite to Hill & Sons.")
    })

    test("FAQs: single question/answer entries the agent can look up", async (owner) => {
      const ids = await prepare(owner)
      const faq = made(await owner.post("/api/faqs", hours))
      assert.deepInclude(faq, hours)
      made(await owner.post(`/api/agents/${ids.agent_id}/faqs`, { faq_id: faq.id }))
      made(await owner.post(`/api/agents/${ids.agent_id}/tools`, { tool_name: "lookup_faq" }))
      const call = await callTo(owner, ids, curious)
      assert.isTrue(call.transcript.some(({ role, text }) => role === "agent" && text.startsWith(hours.answer)))
    })

    test("campaigns: outbound dialing of a contact list, one number, one agent, within a concurrency budget", async (owner) => {
      const ids = await prepare(owner)
      const numbers = Array.from({ length: 12 }, (_, index) => `+141555501${String(index).padStart(2, "0")}`)
      const campaign = made(
        await owner.request("POST", "/api/v1/campaigns", {
          body: campaignForm(
            { name: "All", ...ids, max_concurrent_calls: "3" },
            `phone_number\n${numbers.join("\n")}\n`,
          ),
        }),
      )
      made(await owner.post(`/api/v1/campaigns/${campaign.id}/start`))
      await until(async () => made(await owner.get(`/api/v1/campaigns/${campaign.id}`)).status === "completed")
      const calls = made(await owner.get(`/api/v1/calls?campaign_id=${campaign.id}`)).items
      assert.sameMembers(
        calls.map(({ to }) => to),
        numbers,
      )
      for (const call of calls) assert.deepInclude(call, { ...ids, from: "+12025550142", direction: "outbound" })
      for (const { started_at } of calls) {
        const atOnce = calls.filter((other) => other.started_at <= started_at && started_at < other.ended_at!)
        assert.isAtMost(atOnce.length, 3)
      }
    })

    test("each account has its own storage, chosen per request by the X-Account-ID header", async (owner, {
      ownerOf,
    }) => {
      const other = await ownerOf("elsewhere")
      const mine = made(await owner.post("/api/faqs", { ...hours, name: "hours" }))
      assert.strictEqual((await other.get("/api/faqs/hours")).status, 404)
      assert.strictEqual((await other.get(`/api/faqs/${mine.id}`)).status, 404)
      const theirs = made(await other.post("/api/faqs", { ...hours, name: "hours", answer: "Never." }))
      assert.strictEqual(made(await owner.get("/api/faqs/hours")).answer, hours.answer)
      assert.strictEqual(made(await other.get("/api/faqs/hours")).id, theirs.id)
      assert.strictEqual((await owner.get("/api/faqs/hours", { account: "elsewhere" })).body.code, "not_a_member")
    })

    test("there is no account identifier in any record", async (owner) => {
      for (const [resource, record] of Object.entries(await everything(owner, "record"))) {
        const names = Object.keys(record).filter((name) => /account|tenant|slug/.test(name))
        assert.deepStrictEqual(names, [], resource)
        // A note names its author, whose address has the account's name in these tests.
        const withoutAuthor = JSON.stringify(record, (name, value: unknown) => (name === "by" ? undefined : value))
        assert.notInclude(withoutAuthor, owner.account, resource)
      }
    })
  },
)
