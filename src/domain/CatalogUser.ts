/** An agent that uses a tool, a playbook or an FAQ: a change of that resource reaches it. */
import { Schema } from "effect"
import { Agent } from "./Agent.ts"

export const CatalogUser = Schema.Struct({
  id: Agent.fields.id,
  name: Agent.fields.name,
  enabled: Schema.Boolean.annotate({
    description: "Whether the agent has the tool enabled. Always true for playbooks and FAQs.",
  }),
}).annotate({ identifier: "CatalogUser" })
