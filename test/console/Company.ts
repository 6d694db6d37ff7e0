/**
 * A dental practice with agents, numbers and campaigns in every state, made through the public API: what pages are
 * looked at with.
 */
import type { Page } from "playwright-core"
import { toFetchOptions } from "../support/FetchOptions.ts"
import { until } from "../support/Until.ts"

const names = {
  first:
    "Maria Gwen Ravi June Omar Bettina Ana Will Theo Priya Luis Lena Jonah Amara Ed Sun-hee Carl Nadia Hugh Inez Mark Yusuf Grace Peter Dorothy Felix".split(
      " ",
    ),
  last: "Delgado Abbott Menon Park Haddad Kroll Sousa Tanaka Marchetti Raman Ortega Fischer Weiss Obi Kowalski Cho Bryant Petrova Lockwood Duarte Ellery Demir Lam Sandoval Ames Braun".split(
    " ",
  ),
  dentist: ["Dr. Osei", "Dr. Lindqvist"],
}

/** What the lab does by a number's last two digits, as often as a real list has it. */
const endings = [
  ...Array.from({ length: 58 }, (_, at) => at),
  ...Array.from({ length: 11 }, (_, at) => 80 + (at % 5)),
  ...Array.from({ length: 22 }, (_, at) => 75 + (at % 5)),
  ...[70, 71, 72, 73, 74],
  ...[85, 86, 88, 90],
]

const areas = [617, 781, 508, 857, 413, 978, 339, 401, 603, 207]

/** Rows whose numbers answer, decline or fail as the lab's numbers do; the same for the same seed. */
export const contactList = (rows: number, seed = 1): string => {
  let state = seed * 2_654_435_761
  const next = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const lines = Array.from({ length: rows }, (_, at) => {
    const ending = endings[next(endings.length)] ?? 0
    const number = `+1${areas[at % areas.length]}5${String(20 + seed).padStart(2, "0")}${String(Math.floor(at / areas.length) % 100).padStart(2, "0")}${String(ending).padStart(2, "0")}`
    const first = names.first[next(names.first.length)]
    const last = names.last[next(names.last.length)]
    const visit = `2026-0${1 + next(9)}-${10 + next(18)}`
    return `${number},${first},${last},${visit},${names.dentist[next(2)]},America/New_York`
  })
  return ["phone_number,first_name,last_name,last_visit,dentist,time_zone", ...new Set(lines)].join("\n")
}

/**
 * As lists come: too short a number, an unknown time zone, a column that is empty, a number twice, one never to be
 * called.
 */
const flawed = [
  "",
  "617-555-01,Theo,Lam,2026-04-30,Dr. Osei,America/New_York",
  "+44 20 7946,Grace,Obi,2026-03-02,Dr. Osei,Europe/London",
  "+16175550121,Hugh,Ames,2026-02-11,Dr. Lindqvist,EST5",
  "+12135550150,Luis,Ortega,,Dr. Osei,America/Los_Angeles",
  "+12135550151,Ana,Sousa,,Dr. Osei,America/Los_Angeles",
  "+12135550150,Luis,Ortega,,Dr. Osei,America/Los_Angeles",
  "+16175550199,Peter,Weiss,2026-01-20,Dr. Osei,America/New_York",
].join("\n")

export interface Parley {
  readonly url: string
  readonly token: string
  readonly account: string
  readonly send: (method: string, path: string, body?: unknown) => Promise<any>
}

export const signIn = async (url: string, account: string, email = "dana@harbordental.example"): Promise<Parley> => {
  const login = await fetch(`${url}/api/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, account }),
  })
  const { access_token: token } = (await login.json()) as { access_token: string }
  const send = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${token}`, "x-account-id": account }
    const response = await fetch(url + path, toFetchOptions(method, headers, body))
    const answer = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${answer}`)
    return answer === "" ? undefined : JSON.parse(answer)
  }
  return { url, token, account, send }
}

/** The token of an administrator of the platform. */
export const adminToken = async (url: string): Promise<string> => {
  const login = await fetch(`${url}/api/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "admin@example.com", admin: true }),
  })
  const { access_token } = (await login.json()) as { access_token: string }
  return access_token
}

export const makeAccount = async (url: string, slug: string, settings: object): Promise<void> => {
  const made = await fetch(`${url}/api/admin/accounts`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${await adminToken(url)}`,
      "x-admin": "true",
    },
    body: JSON.stringify({ slug, discoverable: true, ...settings }),
  })
  if (made.status !== 201 && made.status !== 409) throw new Error(`The account answered ${made.status}`)
}

export interface Company {
  readonly parley: Parley
  readonly agents: Record<string, string>
  readonly number: string
  readonly campaigns: Record<string, string>
}

export const makeAgent = async (parley: Parley, name: string): Promise<string> => {
  const { id } = await parley.send("POST", "/api/agents", {
    name,
    first_message: `Hi {{first_name | default: "there"}}, this is ${name}, the virtual assistant of Harbor Dental. It has been a while since your visit to {{dentist}} on {{last_visit}}, and a hygiene appointment is due. Is this a good moment?`,
    system_prompt: `You are ${name}, the virtual assistant of Harbor Dental.\nYou call {{first_name | default: "there"}}, who was last seen on {{last_visit}} by {{dentist}}.\n\n## Goal\nBook a hygiene appointment. Offer at most three times.\n\n## Manners\n- Say in the first sentence that you are a virtual assistant.\n- One question at a time. At most two sentences a turn.`,
  })
  return id
}

export interface NewCampaign {
  readonly name: string
  readonly agent_id: string
  readonly phone_number_id: string
  readonly [field: string]: unknown
}

export const makeCampaign = async (parley: Parley, csv: string, fields: NewCampaign): Promise<string> => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    form.set(name, typeof value === "object" ? JSON.stringify(value) : String(value))
  }
  form.set("contacts", new File([csv], "contacts.csv", { type: "text/csv" }))
  const { id } = await parley.send("POST", "/api/v1/campaigns", form)
  return id
}

const copay = `def estimate_copay(arguments, context):
    """What a plan leaves to pay, from the table of the front desk."""
    table = {"delta-ppo": {"cleaning": 31.0, "crown": 412.0}, "aetna-dmo": {"cleaning": 18.0, "crown": 365.0}}
    fees = table.get(arguments["plan"], {})
    if arguments["procedure"] not in fees:
        print("not in the table:", arguments["plan"], arguments["procedure"])
        return {"known": False}
    return {"known": True, "pays": fees[arguments["procedure"]]}
`

/** What an agent of the practice works with: a tool of its own, built-in ones, a playbook and an FAQ. */
export const equip = async (parley: Parley, agent: string): Promise<void> => {
  const post = (path: string, body: object) => parley.send("POST", path, body)
  const text = { type: "string" }
  await post("/api/tools", {
    name: "estimate_copay",
    description: "Estimates what the caller pays for a procedure.",
    implementation_type: "python",
    implementation_code: copay,
    schema: { type: "object", properties: { procedure: text, plan: text }, required: ["procedure", "plan"] },
  })
  for (const tool_name of ["estimate_copay", "lookup_faq", "record_outcome", "schedule_callback", "end_call"]) {
    await post(`/api/agents/${agent}/tools`, { tool_name })
  }
  await post("/api/playbooks", {
    name: "recall-booking",
    prompt: "Offer the next three free times, one at a time. Repeat the day and the time before you book.",
    tool_names: ["estimate_copay", "transfer_call"],
  })
  await post(`/api/agents/${agent}/playbooks`, { playbook_id: "recall-booking" })
  const faq = { name: "parking", question: "Where can I park?", answer: "Behind the house, free for patients." }
  await post("/api/faqs", faq)
  await post(`/api/agents/${agent}/faqs`, { faq_id: "parking" })
  await post("/api/v1/webhooks", {
    url: "https://crm.example.com/hooks/parley",
    events: ["call.ended", "contact.completed", "campaign.completed"],
    description: "CRM",
  })
  await post("/api/v1/api-keys", { name: "Nightly export", scopes: ["read"] })
  await post("/api/v1/widget-keys", {
    name: "Site",
    kind: "public",
    agent_id: agent,
    origins: ["https://harbor-dental.example"],
  })
  await post(`/api/agents/${agent}/scenario-runs`, {
    scenarios: [
      {
        name: "says that it is a virtual assistant",
        caller: { says: ["Who is this?", "Thank you, that was all."] },
        expect: { said: ["virtual assistant"], turns_at_most: 8 },
      },
      {
        name: "asks the front desk about insurance",
        caller: { says: ["What would it cost me with Delta?", "Thank you, goodbye."] },
        expect: { called: [{ tool: "estimate_copay" }] },
      },
    ],
  })
  await post("/api/v1/suppressions", { phone_number: "+16175550199", reason: "Asked by e-mail" })
}

const operate = (parley: Parley, id: string, operation: "start" | "pause" | "stop") =>
  parley.send("POST", `/api/v1/campaigns/${id}/${operation}`)

/** Waits until this many of the campaign's contacts have ended. */
export const untilEnded = (parley: Parley, id: string, contacts: number) =>
  until(async () => {
    const { counts, status } = await parley.send("GET", `/api/v1/campaigns/${id}`)
    return counts.completed + counts.failed + counts.skipped >= contacts || status === "completed"
  })

/** The practice of the design's pictures, smaller; `wait` ends when the campaigns have something to show. */
export const makeCompany = async (url: string): Promise<Company> => {
  const account = "harbor-dental"
  await makeAccount(url, account, {
    name: "Harbor Dental",
    time_zone: "America/New_York",
    concurrent_max: 20,
    calls_per_minute: 600,
  })
  const parley = await signIn(url, account)
  const agents = {
    Nora: await makeAgent(parley, "Nora"),
    Sam: await makeAgent(parley, "Sam"),
    Iris: await makeAgent(parley, "Iris"),
  }
  await equip(parley, agents.Nora)
  const { id: number } = await parley.send("POST", "/api/phone-numbers", {
    number: "+16175550100",
    carrier: "lab",
    label: "Front desk",
    carrier_config: { calls_per_second: 50 },
  })
  const base = { phone_number_id: number, retries_per_contact: 2, retry_delay_seconds: 120 }
  const campaigns: Record<string, string> = {}
  const make = async (name: string, agent: keyof typeof agents, rows: number, fields: object = {}, more = "") => {
    const csv = contactList(rows, Object.keys(campaigns).length + 1) + more
    campaigns[name] = await makeCampaign(parley, csv, { name, agent_id: agents[agent], ...base, ...fields })
    return campaigns[name]
  }
  const recall = await make("Recall, pediatric", "Nora", 60, { max_concurrent_calls: 20, retries_per_contact: 0 })
  await operate(parley, recall, "start")
  await untilEnded(parley, recall, 60)
  const whitening = await make("Whitening promotion", "Sam", 80, { max_concurrent_calls: 20 })
  await operate(parley, whitening, "start")
  await untilEnded(parley, whitening, 40)
  await operate(parley, whitening, "stop")
  const noShows = await make("October no-shows", "Iris", 90, { max_concurrent_calls: 5 })
  await operate(parley, noShows, "start")
  await untilEnded(parley, noShows, 10)
  await operate(parley, noShows, "pause")
  await make("Retainer survey", "Iris", 164, { max_concurrent_calls: 3 }, flawed)
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
  await make("Flu clinic, Somerville", "Nora", 90, { max_concurrent_calls: 6, scheduled_at: inHours(66) })
  await make("Payment plan follow-up", "Iris", 21, { max_concurrent_calls: 4, scheduled_at: inHours(2.5) })
  const november = await make("November hygiene recall", "Nora", 240, { max_concurrent_calls: 8 })
  const postOp = await make("Post-op check-in", "Nora", 80, { max_concurrent_calls: 6 })
  await operate(parley, november, "start")
  await operate(parley, postOp, "start")
  await make("West Coast reactivation", "Sam", 150, { max_concurrent_calls: 8, scheduled_at: inHours(0.0005) })
  return { parley, agents, number, campaigns }
}

/** Makes the account's first agent by hand, in the console, and stays on its page. */
export const makeFirstAgent = async (page: Page, base: string, name: string): Promise<void> => {
  await page.goto(`${base}/agents`)
  await page.getByRole("heading", { name: "No agents yet" }).waitFor()
  await page.keyboard.press("n")
  await page.getByLabel("Name", { exact: true }).fill(name)
  await page.getByRole("button", { name: "Make the agent" }).click()
  await page.getByRole("heading", { name, level: 1 }).waitFor()
}
