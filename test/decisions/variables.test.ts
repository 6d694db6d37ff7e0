/** What a campaign's answer says about variables that its contact list does not fill, before anyone is called. */
import { assert } from "@effect/vitest"
import type { Campaign } from "../../src/domain/Campaign.ts"
import { agent, catalog, fresh, made, number } from "../support/Catalog.ts"
import type { Client } from "../support/TestServer.ts"

const campaignOf = async (owner: Client, agent_id: string, csv: string, fields: Record<string, string> = {}) => {
  const { id: phone_number_id } = await made(owner.post("/api/phone-numbers", number()))
  const form = new FormData()
  for (const [name, value] of Object.entries({ name: "Spring", agent_id, phone_number_id, ...fields })) {
    form.set(name, value)
  }
  form.set("contacts", new File([csv], "contacts.csv", { type: "text/csv" }))
  return made(owner.post("/api/v1/campaigns", form))
}

const templates = {
  first_message:
    "Hello {{ first_name }}, this is {{ campaign.name }}. It is long since your visit on {{ last_visit }}.",
  system_prompt:
    'You call {{ frist_name }} on {{ phone_number }} at {{ now }}. {{ city | default: "There" }} it rains.',
}
const csv =
  "phone_number,first_name,last_visit,city\n+14155550101,Ada,March,\n+14155550102,Grace, ,\n+14155550103,,,Rome\n"

const names = ({ variables }: { readonly variables?: (typeof Campaign.Encoded)["variables"] }) =>
  variables?.unknown.map(({ name }) => name)

catalog((test) => {
  test("a campaign says which variables are no column and have no default, and which columns are empty for which contacts", async (owner) => {
    const { id } = await made(owner.post("/api/agents", { ...agent(), ...templates }))
    const playbook = await made(
      owner.post("/api/playbooks", { name: fresh("playbook"), prompt: "Ask {{ first_name }} about {{ topic }}." }),
    )
    await made(owner.post(`/api/agents/${id}/playbooks`, { playbook_id: playbook.id }))
    const campaign = await campaignOf(owner, id, csv)
    const expected = {
      columns: ["first_name", "last_visit", "city"],
      unknown: [
        { name: "frist_name", where: ["system_prompt"], sentence: campaign.variables!.unknown[0]!.sentence },
        { name: "topic", where: [`playbook:${playbook.name}`], sentence: "Ask Ada about ." },
      ],
      empty: [
        {
          name: "first_name",
          where: ["first_message", `playbook:${playbook.name}`],
          rows: 1,
          first: { position: 3, phone_number: "+14155550103" },
          sentence: "Hello, this is Spring.",
        },
        {
          name: "last_visit",
          where: ["first_message"],
          rows: 2,
          first: { position: 2, phone_number: "+14155550102" },
          sentence: "It is long since your visit on.",
        },
      ],
    }
    assert.deepStrictEqual(campaign.variables, expected)
    assert.match(campaign.variables!.unknown[0]!.sentence!, /^You call {2}on \+14155550101 at 2/u)
    const shown = await owner.get(`/api/v1/campaigns/${campaign.id}`)
    assert.deepStrictEqual(shown.body.variables, expected)
  })

  test("it is a report, not a refusal: the campaign starts, and an agent that lacks nothing has nothing reported", async (owner) => {
    const { id } = await made(owner.post("/api/agents", { ...agent(), system_prompt: "Hello {{ nobody }}" }))
    const campaign = await campaignOf(owner, id, csv)
    assert.deepStrictEqual(
      campaign.variables!.unknown.map(({ name }: { name: string }) => name),
      ["nobody"],
    )
    assert.strictEqual((await owner.post(`/api/v1/campaigns/${campaign.id}/start`)).status, 200)
    const plain = await made(owner.post("/api/agents", { ...agent(), system_prompt: "Hello." }))
    assert.deepInclude((await campaignOf(owner, plain.id, csv)).variables, { unknown: [], empty: [] })
  })

  test("another agent of a draft is looked at anew, and so is one that is another by now, its playbooks and its FAQs", async (owner) => {
    const first = await made(owner.post("/api/agents", { ...agent(), system_prompt: "Hello {{ a }}" }))
    const second = await made(owner.post("/api/agents", { ...agent(), system_prompt: "Hello {{ b }}" }))
    const { id } = await campaignOf(owner, first.id, csv)
    const path = `/api/v1/campaigns/${id}` as const
    const changed = await owner.put(path, { agent_id: second.id })
    assert.deepStrictEqual(names(changed.body), ["b"])
    const seen = await owner.get(path)
    const etag = seen.headers.get("etag") ?? ""
    assert.strictEqual((await owner.get(path, { headers: { "if-none-match": etag } })).status, 304)

    await owner.put(`/api/agents/${second.id}`, { system_prompt: "Hello {{ c }}" })
    const { body } = await owner.post(`${path}/preflight`, {})
    assert.deepStrictEqual(names(body), ["c"])
    const anew = await owner.get(path, { headers: { "if-none-match": etag } })
    assert.deepStrictEqual([anew.status, names(anew.body)], [200, ["c"]])
    assert.strictEqual((await owner.put(path, { name: "Spring" }, { headers: { "if-match": etag } })).status, 200)

    const playbook = await made(owner.post("/api/playbooks", { name: fresh("playbook"), prompt: "Say {{ d }}." }))
    await made(owner.post(`/api/agents/${second.id}/playbooks`, { playbook_id: playbook.id }))
    assert.deepStrictEqual(names((await owner.get(path)).body), ["c", "d"])
    const faq = await made(owner.post("/api/faqs", { question: fresh("When?"), answer: "At noon." }))
    await made(owner.post(`/api/agents/${second.id}/faqs`, { faq_id: faq.id }))
    assert.deepStrictEqual(names((await owner.get(path)).body), ["c", "d"])
    await owner.put(`/api/faqs/${faq.id}`, { answer: "At {{ e }}." })
    assert.deepStrictEqual(names((await owner.get(path)).body), ["c", "d", "e"])

    await owner.put(`/api/agents/${second.id}`, { system_prompt: "Hello {{ campaign.name }} and {{ c }}." })
    const [unknown] = (await owner.get(path)).body.variables!.unknown
    assert.strictEqual(unknown!.sentence, "Hello Spring and .")
    const renamed = await owner.put(path, { name: "Autumn" })
    assert.strictEqual(renamed.body.variables!.unknown[0]!.sentence, "Hello Autumn and .")
  })

  test("a campaign that has started is judged by the version that it keeps, by its report and by a preflight", async (owner) => {
    const { id: agent_id } = await made(owner.post("/api/agents", { ...agent(), system_prompt: "Hello {{ a }}" }))
    // The number is busy, and tried again in an hour.
    const busy = "phone_number,first_name\n+14155550170,Ada\n"
    const retries = { retries_per_contact: "1", retry_delay_seconds: "3600" }
    const { id } = await campaignOf(owner, agent_id, busy, retries)
    const path = `/api/v1/campaigns/${id}` as const
    const edit = (system_prompt: string, voicemail_action: string) =>
      owner.put(`/api/agents/${agent_id}`, { system_prompt, voicemail_action })
    const answer = async () => {
      const { body } = await owner.post(`${path}/preflight`, { answer_rate: 0, voicemail_rate: 1 })
      // A message that is left completes a contact; one that is not is no reason to end it.
      return [names(body), body.contacts!.completed]
    }
    // The campaign was not read since, so the answer to the start has the report.
    await edit("Hello {{ b }}", "leave_message")
    const started = await owner.post(`${path}/start`)
    assert.deepStrictEqual(names(started.body), ["b"])
    const kept = started.body.agent_version
    assert.isNumber(kept)
    await edit("Hello {{ c }}", "hang_up")
    assert.deepStrictEqual(names((await owner.get(path)).body), ["b"])
    assert.deepStrictEqual(await answer(), [["b"], 1])
    await owner.post(`${path}/stop`)
    const ended = await owner.get(path)
    assert.deepStrictEqual([names(ended.body), ended.body.agent_version], [["b"], kept])
    // A draft of the same agent follows it.
    const draft = await campaignOf(owner, agent_id, busy, { name: "Later" })
    assert.deepStrictEqual(names(draft), ["c"])
  })
})
