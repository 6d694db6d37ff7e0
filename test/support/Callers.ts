/** An account that can call: an agent with every built-in tool, an FAQ that callers ask for, and a lab number. */
import { type Agent, longestCallSeconds } from "../../src/domain/Agent.ts"
import type { Call } from "../../src/domain/Call.ts"
import type { PhoneNumber } from "../../src/domain/PhoneNumber.ts"
import { made } from "./Fixtures.ts"
import type { AnswerOf, Client } from "./TestServer.ts"
import { until } from "./Until.ts"

export interface Caller {
  readonly agent: typeof Agent.Encoded
  readonly number: typeof PhoneNumber.Encoded
  readonly call: (to: string, variables?: Record<string, unknown>) => Promise<AnswerOf<typeof Call.Encoded>>
  /** Waits until the call has ended, and returns it. */
  readonly ended: (id: string) => Promise<typeof Call.Encoded>
  /** Places a call and returns it once it has ended. */
  readonly through: (to: string) => Promise<typeof Call.Encoded>
}

const tools = [
  "end_call",
  "transfer_call",
  "lookup_faq",
  "get_current_time",
  "record_outcome",
  "schedule_callback",
  "add_to_do_not_call",
  "leave_voicemail",
]

/** Caps that are high enough for any test that is not about caps. */
export const wide = { concurrent_max: 100, calls_per_minute: 10_000, calls_per_day: 100_000 }

/** Not in +1415555, which tests dial: files of a worker share this count, and a call to its own number is refused. */
let next = 2125550000

export const caller = async (client: Client, agent: object = {}): Promise<Caller> => {
  const mark = crypto.randomUUID().slice(0, 8)
  const made_agent = made(
    await client.post("/api/agents", {
      name: `agent-${mark}`,
      system_prompt: "You are Rosa.\nAsk: Does next week suit you?\nRecord: suits",
      first_message: 'Hello {{ first_name | default: "there" }}, this is Rosa.',
      // At the lab's speed, a machine that stalls for ten seconds makes a call ten minutes longer.
      max_call_seconds: longestCallSeconds,
      ...agent,
    }),
  )
  const of = `/api/agents/${made_agent.id}` as const
  for (const tool_name of tools) {
    const config = tool_name === "transfer_call" ? { to: "+14155550111" } : {}
    made(await client.post(`${of}/tools`, { tool_name, config }))
  }
  const faq = made(
    await client.post("/api/faqs", {
      question: "What are your opening hours?",
      answer: "We are open from nine to five.",
    }),
  )
  made(await client.post(`${of}/faqs`, { faq_id: faq.id }))
  const number = made(await client.post("/api/phone-numbers", { number: `+1${next++}`, carrier: "lab" }))

  const call: Caller["call"] = (to, variables) =>
    client.post("/api/v1/calls", {
      agent_id: made_agent.id,
      phone_number_id: number.id,
      to,
      ...(variables === undefined ? {} : { variables }),
    })
  const ended: Caller["ended"] = (id) =>
    until(async () => {
      const found = made(await client.get(`/api/v1/calls/${id}`))
      return found.ended_at !== null && found
    })
  const through: Caller["through"] = async (to) => ended(made(await call(to)).id)
  return { agent: made_agent, number, call, ended, through }
}
