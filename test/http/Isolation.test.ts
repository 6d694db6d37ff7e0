import { assert, it } from "@effect/vitest"
import { campaignForm, type Everything, everything, made } from "../support/Fixtures.ts"
import { exampleBody, type Operation, operationsOf } from "../support/OpenApi.ts"
import { type Client, onServer, sideBySide, TestServer } from "../support/TestServer.ts"

/** What stands for `{id}` and its like under each path. The longest beginning that fits counts. */
const idsUnder = (all: Everything): ReadonlyArray<readonly [beginning: string, values: Record<string, string>]> => [
  ["/api/tools/", { id: all.tool.id }],
  ["/api/playbooks/", { id: all.playbook.id }],
  ["/api/faqs/", { id: all.faq.id }],
  [
    "/api/agents/",
    {
      id: all.agent.id,
      tool_name: all.tool.name,
      pbId: all.playbook.id,
      faqId: all.faq.id,
      version: "1",
      run_id: all.agent.id,
    },
  ],
  ["/api/phone-numbers/", { id: all.number.id }],
  ["/api/v1/caller-numbers/", { id: all.number.id }],
  ["/api/v1/campaigns/", { id: all.campaign.id, contact_id: all.contact.id }],
  ["/api/v1/calls/", { id: all.call.id, note_id: all.note.id }],
  ["/api/v1/suppressions/", { phone_number: encodeURIComponent(all.suppression.phone_number) }],
  ["/api/v1/consents/", { id: all.consent.id }],
  ["/api/v1/api-keys/", { id: all.apiKey.id }],
  ["/api/v1/widget-keys/", { id: all.widgetKey.id }],
  ["/api/v1/exports/", { id: all.call.id }],
  ["/api/v1/webhooks/", { id: all.webhook.id, delivery_id: all.delivery.id }],
]

/** The operation's path with the ids of `all`; undefined if it takes no id of an account's things. */
const pathWith = (operation: Operation, all: Everything): string | undefined => {
  const [, values] = idsUnder(all).find(([beginning]) => operation.path.startsWith(beginning)) ?? []
  if (values === undefined || !operation.path.includes("{")) return undefined
  return operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`No value for {${name}} of ${operation.path}`)
    return value
  })
}

const lists = [
  ...["/api/tools", "/api/playbooks", "/api/faqs", "/api/agents", "/api/phone-numbers"],
  ...["/api/v1/campaigns", "/api/v1/calls", "/api/v1/suppressions", "/api/v1/api-keys", "/api/v1/widget-keys"],
  ...["/api/v1/webhooks", "/api/v1/events", "/api/v1/audit", "/api/v1/audit.csv"],
  ...[
    "/api/v1/calls.csv",
    "/api/v1/suppressions.csv",
    "/api/v1/consents",
    "/api/v1/consents.csv",
    "/api/v1/receipts.jsonl",
  ],
  "/api/v1/caller-numbers",
]

const readAll = async (client: Client, all: Everything): Promise<unknown> => {
  const { agent, campaign, faq, number, playbook, tool, webhook } = all
  const paths = [
    ...[`/api/tools/${tool.id}`, `/api/playbooks/${playbook.id}`, `/api/faqs/${faq.id}`],
    ...[`/api/agents/${agent.id}`, `/api/agents/${agent.id}/tools`, `/api/agents/${agent.id}/playbooks`],
    ...[
      `/api/agents/${agent.id}/faqs`,
      `/api/agents/${agent.id}/versions`,
      `/api/phone-numbers/${number.id}`,
      "/api/v1/suppressions",
    ],
    ...[`/api/v1/campaigns/${campaign.id}`, `/api/v1/campaigns/${campaign.id}/contacts`],
    ...["/api/v1/api-keys", "/api/v1/widget-keys", `/api/v1/webhooks/${webhook.id}`],
  ]
  const answers = await Promise.all(paths.map((path) => client.get(path)))
  return answers.map(({ body, status }) => ({ status, body }))
}

it.layer(TestServer.layer, sideBySide)("two accounts side by side", (it) => {
  it.effect("never see a trace of each other, on any path that takes an id", () =>
    onServer(async (server) => {
      const [acme, globex] = [await server.ownerOf("acme"), await server.ownerOf("globex")]
      const all = await everything(acme, "acmemark")
      await everything(globex, "globexmark", "+141555502")
      const before = await readAll(acme, all)

      const document = made(await server.request("GET", "/openapi.json"))
      const tried: Array<string> = []
      for (const operation of operationsOf(document)) {
        const path = pathWith(operation, all)
        if (path === undefined) continue
        const body = operation.requestBody === undefined ? undefined : exampleBody(document, operation)
        const answer = await globex.request(operation.method, path, body === undefined ? {} : { body })
        const name = `${operation.method} ${operation.path}`
        assert.strictEqual(answer.status, 404, `${name}: ${JSON.stringify(answer.body)}`)
        assert.notInclude(JSON.stringify(answer.body), "acmemark", name)
        tried.push(name)
      }
      assert.isAbove(tried.length, 30)
      assert.deepStrictEqual(await readAll(acme, all), before)
    }),
  )

  it.effect("never see each other's items in a list or a search", () =>
    onServer(async (server) => {
      const [north, south] = [await server.ownerOf("north"), await server.ownerOf("south")]
      await everything(north, "northmark")
      await everything(south, "southmark")
      for (const path of lists) {
        for (const query of ["", "?search=northmark", "?page_size=100"]) {
          const text = JSON.stringify((await south.get(path + query)).body)
          assert.notInclude(text, "northmark", path + query)
        }
      }
    }),
  )

  it.effect("cannot name each other's things in a body", () =>
    onServer(async (server) => {
      const [east, west] = [await server.ownerOf("east"), await server.ownerOf("west")]
      const theirs = await everything(east, "eastmark")
      const own = await everything(west, "westmark")
      const form = campaignForm(
        { name: "x", agent_id: theirs.agent.id, phone_number_id: own.number.id },
        "phone_number\n+14155550101\n",
      )
      const agent = `/api/agents/${own.agent.id}` as const
      const attempts = [
        ["/reference in a form", await west.request("POST", "/api/v1/campaigns", { body: form })],
        ["tool_name", await west.post(`${agent}/tools`, { tool_name: theirs.tool.name })],
        ["playbook_id", await west.post(`${agent}/playbooks`, { playbook_id: theirs.playbook.id })],
        ["faq_id", await west.post(`${agent}/faqs`, { faq_id: theirs.faq.id })],
        [
          "agent_id of a call",
          await west.post("/api/v1/calls", {
            agent_id: theirs.agent.id,
            phone_number_id: own.number.id,
            to: "+14155550101",
          }),
        ],
        [
          "agent_id of a widget key",
          await west.post("/api/v1/widget-keys", {
            name: "w",
            kind: "public",
            agent_id: theirs.agent.id,
            origins: [],
          }),
        ],
        [
          "inbound_agent_id",
          await west.put(`/api/phone-numbers/${own.number.id}`, { inbound_agent_id: theirs.agent.id }),
        ],
      ] as const
      for (const [name, answer] of attempts) {
        assert.strictEqual(answer.status, 404, `${name}: ${JSON.stringify(answer.body)}`)
        assert.isNotEmpty(answer.body.errors, name)
      }
    }),
  )

  it.effect("a key of one opens nothing in the other, and a foreign header is a 401", () =>
    onServer(async (server) => {
      const [left, right] = [await server.ownerOf("left"), await server.ownerOf("right")]
      const { key } = made(await left.post("/api/v1/api-keys", { name: "k", scopes: ["read", "write", "dial"] }))
      assert.strictEqual((await left.get("/api/faqs", { token: key })).status, 200)
      assert.strictEqual((await right.get("/api/faqs", { token: key })).status, 401)
      assert.strictEqual((await left.get("/api/faqs", { account: "right" })).status, 403)
    }),
  )
})
