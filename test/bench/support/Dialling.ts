/** What a campaign needs: an agent and a lab number. */
import type { Client } from "./Parley.ts"

export interface Line {
  readonly agent_id: string
  readonly phone_number_id: string
}

export const prepare = async (client: Client): Promise<Line> => {
  const agent = await client.request("POST", "/api/agents", { name: "bench", system_prompt: "You are brief." })
  const number = await client.request("POST", "/api/phone-numbers", { number: "+14155550100", carrier: "lab" })
  return { agent_id: agent.id, phone_number_id: number.id }
}

export const form = (fields: Record<string, string>, csv: Uint8Array): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append("contacts", new Blob([csv as BlobPart], { type: "text/csv" }), "contacts.csv")
  return form
}
