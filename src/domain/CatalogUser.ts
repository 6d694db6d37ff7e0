/** An agent that has a tool, a playbook or a FAQ: what a change of that reaches. */
import { Schema } from "effect"
import { Agent } from "./Agent.ts"

export const CatalogUser = Schema.Struct({
  id: Agent.fields.id,
  name: Agent.fields.name,
  enabled: Schema.Boolean.annotate({ description: "Of a tool: whether it is switched on." }),
}).annotate({ identifier: "CatalogUser" })
