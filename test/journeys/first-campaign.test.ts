import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { follow, type Snapshot } from "../../examples/follow.ts"
import { Parley } from "../../examples/parley.ts"
import { numbersOf } from "../support/Campaigner.ts"
import { campaignForm, made } from "../support/Fixtures.ts"
import { type Client, TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

/** Brief · asks an FAQ · busy · does not exist · voicemail. */
const contacts = `phone_number,first_name,company
+14155550100,Ava,Blue Harbor Bakery
+14155550120,Ben,"Hill & Sons, Inc."
+14155550170,Carla,=Cedar
+14155550188,Daniel,Summit
+14155550180,Elena,Maple
`

/** An agent and a number, as the first steps of every newcomer make them. */
const prepare = async (owner: Client) => {
  const agent = made(
    await owner.post("/api/agents", {
      name: "desk",
      system_prompt: "You call {{company}}.\nAsk: Does your appointment still suit you?\nRecord: confirmed",
      first_message: 'Hello {{first_name | default: "there"}}. Does your appointment still suit you?',
      voicemail_action: "leave_message",
    }),
  )
  const faq = made(
    await owner.post("/api/faqs", { question: "What are your opening hours?", answer: "We are open from 8 to 6." }),
  )
  made(await owner.post(`/api/agents/${agent.id}/faqs`, { faq_id: faq.name }))
  for (const tool_name of ["lookup_faq", "record_outcome", "end_call"]) {
    made(await owner.post(`/api/agents/${agent.id}/tools`, { tool_name }))
  }
  const number = made(await owner.post("/api/phone-numbers", { number: "+12025550142", carrier: "lab" }))
  return { agent_id: String(agent.id), phone_number_id: String(number.id) }
}

const upload = async (owner: Client, fields: Record<string, string>, csv: string) =>
  made(await owner.request("POST", "/api/v1/campaigns", { body: campaignForm(fields, csv) }))

const toTheEnd = async (url: string, owner: Client, id: string) => {
  const snapshots: Array<Snapshot> = []
  for await (const snapshot of follow(new Parley(url, owner.token, owner.account), id)) snapshots.push(snapshot)
  return snapshots
}

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })("a first campaign", (it) => {
  const test = (name: string, body: (server: TestServer["Service"]) => Promise<void>) =>
    it.effect(name, () => Effect.flatMap(TestServer, (server) => Effect.promise(() => body(server))))

  test("a fresh Parley lets a developer in as the owner of the demo account", async ({ request }) => {
    const login = await request("POST", "/api/login", { body: { email: "dev@example.com", account: "demo" } })
    assert.strictEqual(login.status, 200)
    assert.strictEqual(login.body.token_type, "Bearer")
    const accounts = made(await request("GET", "/api/accounts"))
    assert.deepInclude(accounts.items, { slug: "demo", name: accounts.items[0]!.name })
    const org = made(await request("GET", "/api/user/org", { token: login.body.access_token! }))
    assert.strictEqual(org.email, "dev@example.com")
    assert.strictEqual(org.accounts.find(({ slug }: { slug: string }) => slug === "demo")?.role, "owner")
  })

  test("from an empty account to the results of five calls", async ({ ownerOf, url }) => {
    const owner = await ownerOf("newcomer")
    const ids = await prepare(owner)
    const settings = { max_concurrent_calls: "5", retries_per_contact: "1", retry_delay_seconds: "1" }
    const draft = await upload(owner, { name: "First", ...ids, ...settings }, contacts)
    const path = `/api/v1/campaigns/${draft.id}` as const
    assert.deepInclude(draft, { status: "draft", started_at: null, ended_at: null, end_reason: null })
    assert.deepInclude(draft.counts, { total: 5, pending: 5, completed: 0 })
    assert.deepInclude(draft.import, { rows: 5, accepted: 5, duplicates: 0, invalid: 0, errors: [] })

    const waiting = made(await owner.get(`${path}/contacts?page=0`))
    assert.deepInclude(waiting, { page: 0, page_size: 100, total: 5 })
    assert.deepStrictEqual(
      waiting.items.map((contact) => [contact.phone_number, contact.status, contact.custom_fields.first_name]),
      [
        ["+14155550100", "pending", "Ava"],
        ["+14155550120", "pending", "Ben"],
        ["+14155550170", "pending", "Carla"],
        ["+14155550188", "pending", "Daniel"],
        ["+14155550180", "pending", "Elena"],
      ],
    )

    const running = made(await owner.post(`${path}/start`))
    assert.strictEqual(running.status, "running")
    const snapshots = await toTheEnd(url, owner, draft.id)
    const last = snapshots.at(-1)
    assert.deepInclude(last, { campaign_id: draft.id, status: "completed", active_calls: 0, dialed: 6 })
    assert.deepStrictEqual(last?.counts, { total: 5, pending: 0, in_progress: 0, completed: 3, failed: 2, skipped: 0 })
    assert.deepStrictEqual(last?.outcomes, { answered: 2, voicemail: 1, busy: 2, invalid_number: 1 })
    for (const { counts } of snapshots) {
      assert.strictEqual(counts.pending + counts.in_progress + counts.completed + counts.failed + counts.skipped, 5)
    }

    const ended = made(await owner.get(path))
    assert.deepInclude(ended, { status: "completed", end_reason: "finished", waiting_for: null })
    assert.isAtLeast(Date.parse(ended.ended_at!), Date.parse(ended.started_at!))
    const reached = made(await owner.get(`${path}/contacts`)).items
    assert.deepStrictEqual(
      reached.map(({ attempts, outcome, status }) => [status, outcome, attempts]),
      [
        ["completed", "answered", 1],
        ["completed", "answered", 1],
        ["failed", "busy", 2],
        ["failed", "invalid_number", 1],
        ["completed", "voicemail", 1],
      ],
    )
    const failed = made(await owner.get(`${path}/contacts?status=failed&page=0`))
    assert.strictEqual(failed.total, 2)

    const carla = made(await owner.get(`${path}/contacts/${reached[2]!.id}`))
    assert.deepStrictEqual(
      carla.attempt_log.map(({ number, outcome }) => [number, outcome]),
      [
        [1, "busy"],
        [2, "busy"],
      ],
    )
    const [first, second] = carla.attempt_log
    assert.isAtLeast(Date.parse(second!.started_at) - Date.parse(first!.ended_at!), 1000)

    const call = made(await owner.get(`/api/v1/calls/${reached[1]!.last_call_id}`))
    assert.deepInclude(call, {
      campaign_id: draft.id,
      to: "+14155550120",
      from: "+12025550142",
      outcome: "answered",
    })
    const said = call.transcript.map(({ role, text }) => `${role}: ${text}`)
    assert.include(said, "agent: Hello Ben. Does your appointment still suit you?")
    assert.include(said, "caller: What are your opening hours?")
    assert.isTrue(said.some((line: string) => line.startsWith("agent: We are open from 8 to 6.")))
    const lookup = call.tool_invocations.find(({ tool_name }) => tool_name === "lookup_faq")
    assert.deepStrictEqual(lookup!.arguments, { question: "What are your opening hours?" })
    assert.nestedPropertyVal(lookup!.result, "answers[0].answer", "We are open from 8 to 6.")

    const results = await owner.get(`${path}/results.csv`)
    assert.strictEqual(results.status, 200)
    assert.match(results.headers.get("content-type") ?? "", /^text\/csv/)
    const lines = String(results.body).trim().split(/\r?\n/)
    assert.strictEqual(lines.length, 6)
    assert.match(
      lines[0] ?? "",
      /^phone_number,status,outcome,attempts,last_called_at,duration_seconds,first_name,company,confirmed/,
    )
    assert.match(lines[1] ?? "", /^\+14155550100,completed,answered,1,/)
    assert.include(lines[2], '"Hill & Sons, Inc."')
    assert.include(lines[3], ",'=Cedar")
  })

  test("a draft can be thrown away; what has run cannot, nor be started again", async ({ ownerOf, url }) => {
    const owner = await ownerOf("keeper")
    const ids = await prepare(owner)
    const one = "phone_number\n+14155550100\n"
    const unwanted = await upload(owner, { name: "Unwanted", ...ids }, one)
    assert.strictEqual((await owner.delete(`/api/v1/campaigns/${unwanted.id}`)).status, 204)
    assert.strictEqual((await owner.get(`/api/v1/campaigns/${unwanted.id}`)).status, 404)

    const wanted = await upload(owner, { name: "Wanted", ...ids }, one)
    const path = `/api/v1/campaigns/${wanted.id}` as const
    made(await owner.post(`${path}/start`))
    await toTheEnd(url, owner, wanted.id)
    for (const refused of [
      await owner.delete(path),
      await owner.post(`${path}/start`),
      await owner.post(`${path}/resume`),
      await owner.post(`${path}/pause`),
    ]) {
      assert.deepInclude(refused.body, { status: 409, code: "invalid_state" })
      assert.include(refused.body!.detail, "completed")
    }
    const stopped = await owner.post(`${path}/stop`)
    assert.strictEqual(stopped.status, 200)
    assert.strictEqual(stopped.body.end_reason, "finished")
  })

  test("a stop skips who was not called yet, and lets the call in progress finish", async ({ ownerOf, url }) => {
    const owner = await ownerOf("stopper")
    const ids = await prepare(owner)
    const chatty = numbersOf("10", 60)
    const campaign = await upload(owner, { name: "Stopped", ...ids }, `phone_number\n${chatty.join("\n")}\n`)
    const path = `/api/v1/campaigns/${campaign.id}` as const
    made(await owner.post(`${path}/start`))
    const live = await until(async () => {
      const { items } = made(await owner.get(`/api/v1/calls?campaign_id=${campaign.id}&status=in_progress`))
      assert.isAtMost(items.length, 1)
      return items[0]
    })
    const stopped = made(await owner.post(`${path}/stop`))
    assert.deepInclude(stopped, { status: "completed", end_reason: "stopped" })
    assert.strictEqual(stopped.counts.pending, 0)
    assert.strictEqual((await owner.delete(path)).body?.code, "invalid_state")
    assert.strictEqual((await toTheEnd(url, owner, campaign.id)).length, 1)

    const finished = await until(async () => {
      const call = made(await owner.get(`/api/v1/calls/${live.id}`))
      return call.status === "completed" && call
    })
    assert.deepInclude(finished, { outcome: "answered" })
    assert.include(["agent_hung_up", "caller_hung_up"], finished.end_reason)
    const { counts } = await until(async () => {
      const campaign = made(await owner.get(path))
      return campaign.counts.in_progress === 0 && campaign
    })
    assert.strictEqual(counts.completed + counts.skipped, 60)
    const skipped = made(await owner.get(`${path}/contacts?status=skipped`)).items
    assert.isNotEmpty(skipped)
    for (const contact of skipped) assert.deepInclude(contact, { skip_reason: "stopped", attempts: 0, outcome: null })
  })
})
