/** The worst of a campaign's contacts, which are many or wide: exports, pages, searches, reports and preflights of them. */
import { campaignForm, made } from "../support/Fixtures.ts"
import { many, type Sender, type WorstInput } from "./WorstInput.ts"

/** A campaign whose contacts have this text in each of these columns. Returns its path. */
const campaignOf = async ({ client }: Sender, name: string, contacts: number, columns: Array<string>, cell: string) => {
  const prompt = columns.map((column) => `{{ ${column} }}`).join(" ")
  const agent = made(await client.post("/api/agents", { name, system_prompt: `Hello. ${prompt}` }))
  const number = `+1415556${String(exports++).padStart(4, "0")}`
  const phone = made(await client.post("/api/phone-numbers", { number, carrier: "lab" }))
  const quoted = `,"${cell.replaceAll('"', '""')}"`.repeat(columns.length)
  const rows = many(contacts, (at) => `+1212${2_000_000 + at}${quoted}`)
  const fields = { name, agent_id: agent.id, phone_number_id: phone.id }
  const body = campaignForm(fields, [["phone_number", ...columns].join(","), ...rows].join("\n"))
  return `/api/v1/campaigns/${made(await client.request("POST", "/api/v1/campaigns", { body })).id}`
}

/** The export of a campaign whose contacts have this text in a column. */
const exported = (name: string, cell: string, contacts: number): WorstInput => {
  let path = ""
  return {
    name,
    prepare: async (sender) => {
      path = `${await campaignOf(sender, name, contacts, ["note"], cell)}/results.csv`
    },
    send: async ({ client }) => made(await client.get(path)),
  }
}
let exports = 0

const files: ReadonlyArray<WorstInput> = [
  exported("an export of 480 cells of 10,000 quotes", '"'.repeat(10_000), 480),
  exported("an export of 900 cells of 5,000 formulas", "\n=".repeat(5_000), 900),
  exported("an export of 1,000 cells of 9,900 commas", ",".repeat(9_900), 1_000),
]

/** Reads of one campaign. */
const listed = (
  name: string,
  [contacts, columns, cell]: readonly [contacts: number, columns: number, cell: string],
  sends: Readonly<Record<string, (sender: Sender, campaign: string, name: string) => Promise<unknown>>>,
): ReadonlyArray<WorstInput> => {
  let path = ""
  const names = many(columns, (at) => `column${at}`)
  const prepare = async (sender: Sender) => {
    if (path === "") path = await campaignOf(sender, name, contacts, names, cell)
  }
  return Object.entries(sends).map(([what, send]) => ({
    name: `${what} of ${name}`,
    prepare,
    send: (sender) => send(sender, path, name),
  }))
}

const getting = (rest: string) => async (sender: Sender, campaign: string) =>
  made(await sender.client.get(`${campaign}${rest}`))

const adding = (contactAt: (at: number) => object) => async (sender: Sender, campaign: string) =>
  made(await sender.client.post(`${campaign}/contacts`, { contacts: many(1_000, contactAt) }))

/**
 * A toll-free number has each of the 42 zones of North America. With these packs some of them are closed all day, and
 * the retries of a preflight ask about many moments.
 */
const tollFree = (contacts: number): WorstInput => {
  const name = `a preflight of ${contacts} people with five toll-free numbers under three rule packs`
  let path = ""
  return {
    name,
    prepare: async ({ client }) => {
      if (path !== "") return
      const agent = made(await client.post("/api/agents", { name, system_prompt: "Hello." }))
      const phone = made(await client.post("/api/phone-numbers", { number: "+14155569999", carrier: "lab" }))
      const rows = many(contacts, (at) => [0, 1, 2, 3, 4].map((line) => `+1800${2_000_000 + 5 * at + line}`).join(","))
      const packs = { rule_packs: JSON.stringify(["us-federal", "us-florida", "canada"]), subject: "dues" }
      const retries = { retries_per_contact: "5", retry_delay_seconds: "0", retry_time_of_day: "rotate" }
      const others = { additional_number_columns: JSON.stringify(["b", "c", "d", "e"]) }
      const fields = { name, agent_id: agent.id, phone_number_id: phone.id, ...packs, ...retries, ...others }
      const body = campaignForm(fields, ["phone_number,b,c,d,e", ...rows].join("\n"))
      path = `/api/v1/campaigns/${made(await client.request("POST", "/api/v1/campaigns", { body })).id}`
    },
    send: async ({ client }) => made(await client.post(`${path}/preflight`, {})),
  }
}

let edition = 0
export const campaignInputs: ReadonlyArray<WorstInput> = [
  ...files,
  tollFree(4_000),
  ...listed("100,000 contacts", [100_000, 8, "xxxxx"], {
    "the report on variables": async ({ client }, campaign, agent) => {
      const first_message = `Hello {{ column0 }} {{ unknown }} ${edition++}`
      made(await client.put(`/api/agents/${encodeURIComponent(agent)}`, { first_message }))
      made(await client.get(campaign))
    },
    "a preflight": async ({ client }, campaign) => made(await client.post(`${campaign}/preflight`, {})),
    "a search": getting("/contacts?search=xxx&page_size=100"),
    "a search for a number": getting("/contacts?search=2099999"),
    "the last page": getting("/contacts?page=999&page_size=100"),
    "the export": getting("/results.csv"),
    "an addition of 1,000 contacts with the longest numbers": adding((at) => ({
      phone_number: `${at}${" (9)".repeat(24)}`,
      custom_fields: { a: "\u{1F600}".repeat(60) },
    })),
    "an addition of 1,000 contacts with wide fields": adding((at) => ({
      phone_number: `+1646${2_000_000 + edition++}`,
      external_id: `${"x".repeat(190)}${at}${edition}`,
      custom_fields: { a: "y".repeat(90), b: "y".repeat(90), c: "y".repeat(90), d: "y".repeat(90) },
    })),
  }),
  ...listed("100 contacts of 90 KB", [100, 90, "y".repeat(1_000)], {
    "a page": getting("/contacts?page_size=100"),
    "a search": getting("/contacts?search=yyy&page_size=100"),
    "a preflight": async ({ client }, campaign) => made(await client.post(`${campaign}/preflight`, {})),
  }),
]
