/**
 * An agent as it was after one of its changes: a frozen copy of its fields, its tools and its playbooks, and the list
 * of its FAQs. Versions are numbered from 1 (decision 0016).
 */
import { Schema } from "effect"
import { Agent, AgentId } from "./Agent.ts"
import { Enablement } from "./Enablement.ts"
import { FaqAttachment } from "./FaqAttachment.ts"
import { Playbook, PlaybookId } from "./Playbook.ts"
import type { Principal } from "./Principal.ts"
import { CreatedAt } from "./Timestamp.ts"
import { Tool, ToolId } from "./Tool.ts"

export const VersionNumber = Schema.Int.annotate({
  description:
    "The version number, from 1. It increases by one with each change of the agent's fields, tools, playbooks or FAQs.",
})

/** The largest value of a PostgreSQL `integer` column. */
const highest = 2_147_483_647

/** The version number in a path or a query; undefined if no version can have it. */
export const versionOf = (text: string): number | undefined => {
  const number = /^[1-9]\d{0,9}$/u.test(text) ? Number(text) : highest + 1
  return number > highest ? undefined : number
}

export const VersionAuthor = Schema.Union([
  Schema.Struct({
    type: Schema.Literal("person").annotate({ description: "A person with a token." }),
    subject: Schema.String.annotate({ description: "The `sub` of the token." }),
    email: Schema.NullOr(Schema.String).annotate({ description: "The `email` of the token. Null if it has none." }),
  }),
  Schema.Struct({
    type: Schema.Literal("api_key").annotate({ description: "A program with an API key." }),
    id: Schema.String.annotate({ description: "The key's UUID." }),
    name: Schema.String.annotate({ description: "The key's name when it made the request." }),
  }),
]).annotate({ identifier: "VersionAuthor", description: "The person or API key that made the request." })
export type VersionAuthor = typeof VersionAuthor.Type

export const authorOf = (principal: Principal): VersionAuthor =>
  principal._tag === "ApiKey"
    ? { type: "api_key", id: principal.id, name: principal.name }
    : { type: "person", subject: principal.subject, email: principal.email }

const { id: _, is_default: __, created_at: ___, updated_at: ____, version: _____, ...agentFields } = Agent.fields

/** The agent's own fields. */
export const VersionedAgent = Schema.Struct(agentFields).annotate({
  identifier: "VersionedAgent",
  description: "The agent's own fields in this version.",
})
export type VersionedAgent = typeof VersionedAgent.Type

export const ToolDefinition = Schema.Struct({
  name: Tool.fields.name,
  description: Tool.fields.description,
  schema: Tool.fields.schema,
  implementation_type: Tool.fields.implementation_type,
  implementation_config: Tool.fields.implementation_config,
  implementation_code: Tool.fields.implementation_code,
  is_default: Tool.fields.is_default,
}).annotate({
  identifier: "ToolDefinition",
  description: "The tool as it was in this version. Secrets are not versioned; the present ones apply.",
})
export type ToolDefinition = typeof ToolDefinition.Type

export const VersionedTool = Schema.Struct({
  tool_id: ToolId.annotate({ description: "The tool's UUID." }),
  tool_name: Enablement.fields.tool_name,
  enabled: Enablement.fields.enabled,
  config: Enablement.fields.config,
  definition: Schema.NullOr(ToolDefinition).annotate({ description: "Null if the tool is not enabled." }),
}).annotate({ identifier: "VersionedTool" })
export type VersionedTool = typeof VersionedTool.Type

export const PlaybookDefinition = Schema.Struct({
  name: Playbook.fields.name,
  display_name: Playbook.fields.display_name,
  prompt: Playbook.fields.prompt,
  tool_names: Playbook.fields.tool_names,
}).annotate({ identifier: "PlaybookDefinition", description: "The playbook as it was in this version." })
export type PlaybookDefinition = typeof PlaybookDefinition.Type

export const VersionedPlaybook = Schema.Struct({
  playbook_id: PlaybookId.annotate({ description: "The playbook's UUID." }),
  definition: PlaybookDefinition,
}).annotate({ identifier: "VersionedPlaybook" })
export type VersionedPlaybook = typeof VersionedPlaybook.Type

const content = {
  tools: Schema.Array(VersionedTool).annotate({
    description: "The agent's tools, including those with `enabled` false.",
  }),
  playbooks: Schema.Array(VersionedPlaybook).annotate({
    description: "Playbooks in the order in which they are added to the prompt.",
  }),
}

export const AgentContent = Schema.Struct({ agent: VersionedAgent, ...content })
export type AgentContent = typeof AgentContent.Type

/** An agent as it is stored. A version from before a field was added lacks that field. */
export const StoredAgent = Schema.Struct({
  ...VersionedAgent.fields,
  recording_notice: Schema.optionalKey(VersionedAgent.fields.recording_notice),
  disclosure: Schema.optionalKey(VersionedAgent.fields.disclosure),
  opt_out_key: Schema.optionalKey(VersionedAgent.fields.opt_out_key),
  dispositions: Schema.optionalKey(VersionedAgent.fields.dispositions),
})
export const StoredContent = Schema.Struct({ agent: StoredAgent, ...content })

const summary = {
  agent_id: AgentId.annotate({ description: "The agent's UUID." }),
  version: VersionNumber,
  is_current: Schema.Boolean.annotate({ description: "Whether it is the agent's present version." }),
  restored_from: Schema.NullOr(Schema.Int).annotate({ description: "The earlier version that this one restored." }),
  created_by: Schema.NullOr(VersionAuthor).annotate({
    description: "Null if the platform created the version itself.",
  }),
  created_at: CreatedAt,
}

export const AgentVersionSummary = Schema.Struct(summary).annotate({ identifier: "AgentVersionSummary" })
export type AgentVersionSummary = typeof AgentVersionSummary.Type

export const VersionedFaq = Schema.Struct({
  faq_id: FaqAttachment.fields.faq_id,
  name: Schema.NullOr(FaqAttachment.fields.name).annotate({
    description: "The FAQ's present name. Null if the FAQ was deleted.",
  }),
}).annotate({ identifier: "VersionedFaq" })

export const AgentVersion = Schema.Struct({
  ...summary,
  ...AgentContent.fields,
  faqs: Schema.Array(VersionedFaq).annotate({
    description: "The FAQs that the agent can look up. Their texts are not versioned.",
  }),
}).annotate({ identifier: "AgentVersion" })
export type AgentVersion = typeof AgentVersion.Type

export const VersionChange = Schema.Struct({
  path: Schema.String.annotate({
    description:
      "The changed field as a JSON pointer, such as `/agent/system_prompt`, `/tools/book_table/config` or `/faqs/<id>`.",
  }),
  kind: Schema.Literals(["added", "removed", "changed"]).annotate({
    description: "What happened to the field since the version that this one is compared with.",
  }),
  before: Schema.Json.annotate({ description: "Null if the field was added." }),
  after: Schema.Json.annotate({ description: "Null if the field was removed." }),
  diff: Schema.NullOr(Schema.String).annotate({
    description:
      "A unified diff of a longer text or object. Null for a short value, and if the two differ too much to compare.",
  }),
}).annotate({ identifier: "VersionChange" })
export type VersionChange = typeof VersionChange.Type

export const AgentVersionDiff = Schema.Struct({
  agent_id: AgentId.annotate({ description: "The agent's UUID." }),
  version: VersionNumber,
  against: Schema.NullOr(Schema.Int).annotate({
    description: "The version that this one is compared with. Null if there is none.",
  }),
  changes: Schema.Array(VersionChange).annotate({
    description: "The changed fields. Empty if the versions are equal.",
  }),
}).annotate({ identifier: "AgentVersionDiff" })
export type AgentVersionDiff = typeof AgentVersionDiff.Type

/** What a restore does with a tool or a playbook that has changed since the version and that other agents use too. */
export const SharedPolicy = Schema.Literals(["refuse", "keep", "restore"])
/** What a restore does about parts that were deleted since the version. */
export const MissingPolicy = Schema.Literals(["refuse", "leave_out"])

const Obstacle = Schema.Struct({
  kind: Schema.Literals(["tool", "playbook", "faq", "secret"]).annotate({
    description: "The kind of the part. `secret`: a secret of a tool that is no longer stored.",
  }),
  id: Schema.String.annotate({ description: "The UUID of the part." }),
  name: Schema.NullOr(Schema.String).annotate({ description: "The name of the part. Null if it is no longer known." }),
  used_by: Schema.Array(Schema.String).annotate({ description: "The other agents that use the part." }),
  detail: Schema.String.annotate({ description: "What is in the way, as a sentence for people." }),
}).annotate({ identifier: "RestoreObstacle" })
export type Obstacle = typeof Obstacle.Type

/** The agent cannot be restored: a part of the version was deleted, or is now shared with other agents. */
export class NotRestorable extends Schema.TaggedError<NotRestorable>()("NotRestorable", {
  version: Schema.Int.annotate({ description: "The version of the request." }),
  obstacles: Schema.Array(Obstacle).annotate({ description: "The parts that are in the way." }),
}) {
  override get message() {
    return `Version ${this.version} cannot be restored: ${this.obstacles.map(({ detail }) => detail).join("; ")}`
  }
}
