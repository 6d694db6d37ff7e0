/** What a company sets up once: its account, an agent with a playbook and FAQs, and a number to call from. */
import { login, type Parley } from "./parley.ts"

interface Named {
  readonly id: string
  readonly name: string
}

/** Done by an administrator: creates a tenant with its own database and its caps. */
export const makeAccount = async (url: string, slug: string): Promise<Parley> => {
  const admin = await login(url, { email: "admin@example.com", admin: true })
  const caps = { concurrent_max: 50, calls_per_minute: 6_000, calls_per_day: 100_000 }
  await admin.post("/api/admin/accounts", {
    slug,
    name: "Harbor Fleet Service",
    time_zone: "America/New_York",
    ...caps,
  })
  return login(url, { email: `robin@${slug}.example`, account: slug })
}

/** Prompts are Liquid templates. The columns of the contact list are their variables. */
export const makeAgent = (parley: Parley) =>
  parley.post<Named>("/api/agents", {
    name: "appointment-desk",
    description: "Confirms the service appointments of our customers' vehicles.",
    system_prompt: [
      "You are Robin, the automated assistant of Harbor Fleet Service, a workshop for company vehicles.",
      'You call {{ first_name | default: "the driver" }} of {{ company }} about the {{ vehicle }}.',
      "Be brief and friendly. Never guess: look questions up, and offer a colleague when you do not know.",
    ].join("\n"),
    first_message:
      'Hello {{ first_name | default: "there" }}, this is Robin, the automated assistant of Harbor Fleet Service. ' +
      "Your {{ vehicle }} is booked in for {{ appointment }}. Does that still suit you?",
    voicemail_action: "leave_message",
    max_call_seconds: 180,
    silence_timeout_seconds: 8,
    // The arguments of `record_outcome`, which become columns of results.csv.
    outcome_schema: {
      type: "object",
      properties: {
        confirmed: { type: "boolean" },
        replacement_vehicle: { type: "boolean" },
        preferred_date: { type: "string", format: "date" },
        summary: { type: "string" },
      },
    },
  })

/** The brain that needs no model follows the `Ask:`, `Record:` and `Say:` lines. A model reads the text as prose. */
export const attachPlaybook = async (parley: Parley, agentId: string) => {
  const playbook = await parley.post<Named>("/api/playbooks", {
    name: "confirm-appointment",
    description: "Confirm, ask for the replacement vehicle, note what came of it.",
    prompt: [
      "Confirm the appointment. When another day suits better, call find_free_slots and offer what is free.",
      "Ask: Does that still suit you?",
      "Record: confirmed",
      "Ask: Would you like a replacement vehicle for that day?",
      "Record: replacement_vehicle",
    ].join("\n"),
    tool_names: ["find_free_slots", "record_outcome", "end_call"],
  })
  await parley.post(`/api/agents/${agentId}/playbooks`, { playbook_id: playbook.id })
  return playbook
}

const faqs: ReadonlyArray<readonly [question: string, answer: string]> = [
  ["What are your opening hours?", "We are open Monday to Friday from 7 AM to 6 PM, and Saturday from 8 AM to noon."],
  ["How can I reach you?", "Call 202 555 0142, or write to service@harborfleet.example."],
  ["What does it cost to cancel?", "Nothing, up to 24 hours before the appointment."],
  ["How long does a service take?", "Two to three hours; you can wait in our lounge."],
]

export const attachFaqs = async (parley: Parley, agentId: string) => {
  for (const [question, answer] of faqs) {
    const faq = await parley.post<Named>("/api/faqs", { question, answer, category: "workshop" })
    await parley.post(`/api/agents/${agentId}/faqs`, { faq_id: faq.id })
  }
  return faqs.length
}

/** A `lab` number is on the simulated phone network, so no real phone rings. For real calls: `twilio` or `sip`. */
export const makePhoneNumber = (parley: Parley) =>
  parley.post<Named>("/api/phone-numbers", { number: "+12025550142", label: "Appointment desk", carrier: "lab" })
