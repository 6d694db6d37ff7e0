/** What the agent may do in a call: tools that come with Parley, and one of the company's own. */
import type { Parley } from "./parley.ts"

/** Built-in tools by name, each with this agent's settings. */
const builtIn: Record<string, object> = {
  lookup_faq: {},
  get_current_time: {},
  record_outcome: {},
  schedule_callback: {},
  add_to_do_not_call: {},
  end_call: {},
  transfer_call: { to: "+12025550143" },
  leave_voicemail: {
    message: "This is Harbor Fleet Service about your appointment. Please call us back at 202 555 0142. Thank you.",
  },
}

/**
 * The company's own tool: an endpoint of the workshop's system. Its token is encrypted at rest and never shown again.
 */
export const makeTool = (parley: Parley, workshopUrl: string) =>
  parley.post<{ readonly name: string }>("/api/tools", {
    name: "find_free_slots",
    description: "Lists the workshop's free appointments on a date. Call it before offering another day.",
    category: "appointments",
    schema: {
      type: "object",
      properties: { date: { type: "string", format: "date", description: "The day asked for." } },
      required: ["date"],
    },
    implementation_type: "http",
    implementation_config: {
      url: `${workshopUrl}/free-slots`,
      authentication: { type: "bearer", token: "secret-of-the-workshop" },
    },
  })

/** Defining a tool does not expose it: each agent enables its own. */
export const enableTools = async (parley: Parley, agentId: string, ownTool?: string) => {
  const tools = { ...builtIn, ...(ownTool === undefined ? {} : { [ownTool]: {} }) }
  for (const [tool_name, config] of Object.entries(tools)) {
    await parley.post(`/api/agents/${agentId}/tools`, { tool_name, config, enabled: true })
  }
  return Object.keys(tools).length
}

/** The result of calling the tool as an agent would: an answer, or the tool's failure. */
export const tryTool = async (parley: Parley, name: string, args: object): Promise<string> => {
  type Invoked = { result?: unknown; error?: { code: string; message: string }; duration_ms: number }
  const { duration_ms, error, result } = await parley.post<Invoked>(`/api/tools/${name}/invoke`, { arguments: args })
  const answer = error === undefined ? JSON.stringify(result) : error.message
  return `${name}(${JSON.stringify(args)}) → ${answer} in ${duration_ms} ms`
}
