/** The result of trying a tool or an agent without a call (decisions §1). */
import { Schema } from "effect"
import { Agent } from "./Agent.ts"
import { ToolFailure, ToolInvocation } from "./Call.ts"
import { Tool } from "./Tool.ts"

const { first_message, language, model, outcome_schema, system_prompt, temperature } = Agent.fields

/** Unsaved fields of an editor, used in place of the saved ones. */
export const AgentDraft = Schema.Struct({
  system_prompt: Schema.optionalKey(system_prompt),
  first_message: Schema.optionalKey(first_message),
  language: Schema.optionalKey(language),
  model: Schema.optionalKey(model),
  temperature: Schema.optionalKey(temperature),
  outcome_schema: Schema.optionalKey(outcome_schema),
}).annotate({ identifier: "AgentDraft" })
export type AgentDraft = typeof AgentDraft.Type

export const ToolDraft = Schema.Struct({
  schema: Schema.optionalKey(Tool.fields.schema),
  implementation_config: Schema.optionalKey(Tool.fields.implementation_config),
  implementation_code: Schema.optionalKey(Tool.fields.implementation_code),
}).annotate({ identifier: "ToolDraft" })
export type ToolDraft = typeof ToolDraft.Type

export const ToolAnswer = Schema.Struct({
  result: Schema.optionalKey(Schema.Json).annotate({ description: "What the tool returned. Absent if it failed." }),
  error: Schema.optionalKey(ToolFailure),
  duration_ms: Schema.Int.annotate({ description: "How long the tool took, in milliseconds." }),
  logs: Schema.Array(Schema.String).annotate({ description: "The lines that the tool printed." }),
}).annotate({ identifier: "ToolAnswer", description: "Contains `result`, or `error` if the tool itself failed." })

export const TurnAnswer = Schema.Struct({
  reply: Schema.String.annotate({ description: "What the agent says." }),
  tool_invocations: Schema.Array(ToolInvocation).annotate({ description: "The tools that the agent invoked for it." }),
  prompt: Schema.String.annotate({
    description: "The prompt that the agent received: its system prompt and playbooks with their variables filled in.",
  }),
}).annotate({ identifier: "TurnAnswer" })
