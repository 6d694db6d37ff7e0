/** One of everything in an account, created through the documented interface, for tests that need a whole account. */
import type { AnswerOf, Client } from "./TestServer.ts"
import { until } from "./Until.ts"

export type Everything = Awaited<ReturnType<typeof everything>>

/** The body of a response. Fails the test unless the response was a success. */
export const made = <Success>(answer: AnswerOf<Success>): Success => {
  if (answer.status >= 300) throw new Error(`It answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body as Success
}

/** A multipart form for POST /api/v1/campaigns. */
export const campaignForm = (fields: Record<string, string>, csv: string | Uint8Array): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append("contacts", new Blob([csv as BlobPart], { type: "text/csv" }), "contacts.csv")
  return form
}

/**
 * `mark` is part of every name and text, so that a test can search for traces of it elsewhere. `numbers` is the prefix
 * of the phone numbers, without their last two digits.
 */
export const everything = async (client: Client, mark: string, numbers = "+141555501") => {
  const tool = made(
    await client.post("/api/tools", {
      name: `tool_${mark}`,
      description: `Tool of ${mark}`,
      implementation_type: "python",
      implementation_code: "def run(arguments, context):\n    return {}\n",
    }),
  )
  const playbook = made(await client.post("/api/playbooks", { name: `playbook-${mark}`, prompt: `Prompt of ${mark}` }))
  const faq = made(await client.post("/api/faqs", { name: `faq-${mark}`, question: `${mark}?`, answer: `${mark}!` }))
  const agent = made(await client.post("/api/agents", { name: `agent-${mark}`, system_prompt: `You are ${mark}.` }))
  const of = `/api/agents/${agent.id}` as const
  made(await client.post(`${of}/tools`, { tool_name: tool.name }))
  made(await client.post(`${of}/playbooks`, { playbook_id: playbook.id }))
  made(await client.post(`${of}/faqs`, { faq_id: faq.id }))
  const number = made(await client.post("/api/phone-numbers", { number: `${numbers}00`, carrier: "lab", label: mark }))
  const ids = { agent_id: agent.id, phone_number_id: number.id }
  const csv = `phone_number,first_name\n${numbers}73,${mark}\n`
  const campaign = made(
    await client.request("POST", "/api/v1/campaigns", {
      body: campaignForm({ name: `campaign-${mark}`, ...ids }, csv),
    }),
  )
  const contacts = made(await client.get(`/api/v1/campaigns/${campaign.id}/contacts`))
  // The host does not exist, so deliveries stay pending.
  const url = `https://${mark}.invalid/hook`
  const webhook = made(await client.post("/api/v1/webhooks", { url, events: ["call.started"], description: mark }))
  const call = made(await client.post("/api/v1/calls", { ...ids, to: `${numbers}75` }))
  const note = made(await client.post(`/api/v1/calls/${call.id}/notes`, { text: mark }))
  const suppression = made(await client.post("/api/v1/suppressions", { phone_number: `${numbers}99`, reason: mark }))
  const consent = made(
    await client.post("/api/v1/consents", {
      consents: [
        { phone_number: `${numbers}98`, basis: "express", at: "2026-01-01T00:00:00Z", text: mark, source: mark },
      ],
    }),
  ).items[0]!
  const apiKey = made(await client.post("/api/v1/api-keys", { name: `key-${mark}`, scopes: ["read"] }))
  const widgetKey = made(
    await client.post("/api/v1/widget-keys", {
      name: `widget-${mark}`,
      kind: "public",
      agent_id: agent.id,
      origins: ["https://example.com"],
    }),
  )
  const contact = contacts.items[0]!
  const delivery = await deliveryOf(client, webhook.id)
  const keys = { suppression, consent, apiKey, widgetKey }
  return { tool, playbook, faq, agent, number, campaign, contact, call, note, ...keys, webhook, delivery }
}

/** Waits for the webhook's first delivery. */
const deliveryOf = (client: Client, webhook: string) =>
  until(async () => made(await client.get(`/api/v1/webhooks/${webhook}/deliveries`)).items[0])
