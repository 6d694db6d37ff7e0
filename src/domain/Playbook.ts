/** A fragment of a prompt and the names of the tools it needs (spec §2, Playbook; decisions §2). */
import { Schema } from "effect"
import { Name } from "./Name.ts"
import { CreatedAt, UpdatedAt } from "./Timestamp.ts"
import { ToolName } from "./Tool.ts"

export const PlaybookId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("PlaybookId"))
export type PlaybookId = typeof PlaybookId.Type

export const PlaybookCategory = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200))
const category = { description: "A label for grouping. Lists can be filtered by it." }

export const Playbook = Schema.Struct({
  id: PlaybookId.annotate({ description: "The playbook's UUID, assigned by Parley." }),
  name: Name.annotate({ description: "Unique within the account. Paths accept it in place of the id." }),
  display_name: Name.annotate({ description: "The name that the console shows." }),
  description: Schema.String.check(Schema.isMaxLength(10_000)).annotate({
    description: "A note for people. The language model does not see it.",
  }),
  prompt: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(100_000)).annotate({
    description: "A Liquid template that is added to the agent's system prompt.",
  }),
  tool_names: Schema.Array(ToolName)
    .check(Schema.isMaxLength(100), Schema.isUnique())
    .annotate({ description: "The tools that the prompt expects the agent to have enabled." }),
  category: PlaybookCategory.annotate(category),
  is_default: Schema.Boolean.annotate({
    description: "True for a built-in playbook. It can be changed but not deleted.",
  }),
  modified_from_default: Schema.Boolean.annotate({
    description: "True if the account has changed this built-in playbook.",
  }),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
}).annotate({ identifier: "Playbook" })
export type Playbook = typeof Playbook.Type
/** Read-only fields that a client may send back. */
export const playbookReadOnly = ["id", "is_default", "modified_from_default", "created_at", "updated_at"] as const

/** An agent's use of a playbook. */
export const PlaybookAttachment = Schema.Struct({
  playbook_id: PlaybookId.annotate({ description: "The playbook that the agent uses." }),
  name: Name.annotate({ description: "The playbook's name." }),
  position: Schema.Int.annotate({ description: "Playbooks are added to the prompt in this order." }),
  missing_tools: Schema.Array(ToolName).annotate({
    description: "The tools that the playbook names and the agent has not enabled.",
  }),
}).annotate({ identifier: "PlaybookAttachment" })
export type PlaybookAttachment = typeof PlaybookAttachment.Type
