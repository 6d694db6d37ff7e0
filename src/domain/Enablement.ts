/**
 * Which tools an agent has, with the agent's settings for each. Defining a tool does not expose it (spec §2; decisions
 * §2).
 */
import { Schema } from "effect"
import { CreatedAt, UpdatedAt } from "./Timestamp.ts"
import { ToolName } from "./Tool.ts"

export const Enablement = Schema.Struct({
  tool_name: ToolName.annotate({ description: "The name of the tool." }),
  config: Schema.JsonObject.annotate({ description: "Settings of the tool for this agent. The tool can read them." }),
  enabled: Schema.Boolean.annotate({ description: "If false, the agent keeps the settings but cannot use the tool." }),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
}).annotate({
  identifier: "Enablement",
})
export type Enablement = typeof Enablement.Type
/** Read-only fields that a client may send back. */
export const enablementReadOnly = ["created_at", "updated_at"] as const
