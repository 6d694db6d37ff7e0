/** An agent's kit as a call has it, created without a database. */
import type { AgentKit, EquippedTool } from "../../src/catalog/AgentKit.ts"
import { AgentId } from "../../src/domain/Agent.ts"
import { ToolId } from "../../src/domain/Tool.ts"
import * as CallControls from "../../src/tools/CallControls.ts"
import type { InvocationContext } from "../../src/tools/Invocation.ts"

const moment = new Date("2026-11-21T10:00:00.000Z")
const id = "019aa3f2-7c1e-7a42-9d3b-5f0c1e2d3a4b"

export const tool = (name: string, change: Partial<EquippedTool> = {}): EquippedTool => ({
  id: ToolId.make(id),
  name,
  description: `Does ${name}.`,
  schema: { type: "object", properties: {}, required: [] },
  implementation_type: "python",
  implementation_config: {},
  implementation_code: null,
  is_default: true,
  config: {},
  ...change,
})

/** The context of an invocation outside of a call. */
export const outsideCalls: InvocationContext = {
  about: {},
  call_id: null,
  phone_number: null,
  variables: {},
  time_zone: "Europe/Berlin",
  controls: CallControls.none,
  faq_ids: [],
  outcome_schema: null,
  dispositions: [],
  digits: null,
}

export const playbook = (prompt: string): AgentKit["playbooks"][number] => ({
  name: "playbook",
  display_name: "Playbook",
  prompt,
  tool_names: [],
})

/** The settings of an agent without tools. */
export const rosa = {
  description: "",
  system_prompt: "You are Rosa.",
  first_message: "Hello, this is Rosa.",
  language: "en",
  voice: { provider: "lab", id: "default", speed: 1 },
  model: { provider: "scripted", id: "scripted" },
  temperature: 0,
  max_call_seconds: 600,
  silence_timeout_seconds: 12,
  interruptible: true,
  voicemail_action: "hang_up",
  recording: false,
  recording_notice: "",
  disclosure: "",
  opt_out_key: null,
} as const

export const kit = (
  agent: Partial<AgentKit["agent"]> = {},
  parts: Partial<Omit<AgentKit, "agent">> = {},
): AgentKit => ({
  agent: {
    id: AgentId.make(id),
    name: "Rosa",
    ...rosa,
    outcome_schema: null,
    dispositions: [],
    is_default: false,
    version: 1,
    created_at: moment,
    updated_at: moment,
    revision: 1,
    ...agent,
  },
  tools: [],
  playbooks: [],
  faqs: [],
  ...parts,
})
