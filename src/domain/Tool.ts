/** A function that an agent may call during a call (spec §2, Tool; decisions §2). */
import { Schema } from "effect"
import { inexpressible } from "./Inexpressible.ts"
import { isUuid, Name, visible } from "./Name.ts"
import { CreatedAt, UpdatedAt } from "./Timestamp.ts"

export const ToolId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("ToolId"))
export type ToolId = typeof ToolId.Type

/** The function names that every language model accepts. */
export const ToolName = Schema.String.check(
  Schema.isPattern(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/u, {
    message: "must be 1 to 64 of a-z, A-Z, 0-9, _ and -, beginning with a letter or _",
  }),
  Schema.makeFilter((name) => !isUuid(name) || "must not look like a UUID", inexpressible),
)

export const ImplementationType = Schema.Literals(["python", "http"])
export type ImplementationType = typeof ImplementationType.Type

const Category = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200))
const Tag = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(100))
const tags = { description: "Labels for people. The language model does not see them." }

export const Tool = Schema.Struct({
  id: ToolId.annotate({ description: "The tool's UUID, assigned by Parley." }),
  name: ToolName.annotate({
    description:
      "Unique within the account. Paths accept it in place of the id. The language model calls the tool by this name.",
  }),
  display_name: Name.annotate({ description: "The name that the console shows." }),
  category: Category.annotate({ description: "A label for grouping. Lists can be filtered by it." }),
  description: Schema.String.check(Schema.isMaxLength(10_000)).annotate({
    description: "Tells the language model what the tool does and when to call it.",
  }),
  schema: Schema.JsonObject.annotate({
    description:
      "JSON Schema 2020-12 of the arguments. `type` must be `object`. At most 64 KiB, 16 levels deep and 200 properties; references may only point into the schema itself.",
  }),
  implementation_type: ImplementationType.annotate({
    description: "How the tool runs. A built-in tool reports `python` with `implementation_code` null.",
  }),
  implementation_config: Schema.JsonObject.annotate({
    description:
      'For http tools: `url`, `method`, `headers`, `public_headers`, `timeout_ms`, `authentication` and `idempotent`. Secrets are masked as "********"; sending the mask back keeps them, unless `url` changes to another origin. Values of `headers` are also treated as secrets, except for common harmless headers such as Accept and those that `public_headers` names.',
  }),
  implementation_code: Schema.NullOr(Schema.String.check(Schema.isMaxLength(100_000))).annotate({
    description:
      "Python source that defines exactly one top-level function with two parameters: the arguments and a context.",
  }),
  tags: Schema.Array(Tag).check(Schema.isMaxLength(50), Schema.isUnique()).annotate(tags),
  is_default: Schema.Boolean.annotate({
    description: "True for a built-in tool. It can be changed but not deleted.",
  }),
  modified_from_default: Schema.Boolean.annotate({
    description: "True if the account has changed this built-in tool.",
  }),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
}).annotate({ identifier: "Tool" })
export type Tool = typeof Tool.Type
/** Tags as a client may write them. */
export const TagsInput = Schema.Array(Tag.check(visible))
  .check(Schema.isMaxLength(50), Schema.isUnique())
  .annotate(tags)
/** Read-only fields that a client may send back. */
export const toolReadOnly = ["id", "is_default", "modified_from_default", "created_at", "updated_at"] as const

/** Arguments of a tool that takes none. */
export const noArguments = { type: "object", properties: {}, required: [] } as const satisfies Schema.JsonObject

/** The tools that run inside the platform, in every account from its first moment (decisions §2, Tool). */
export const BuiltInTool = Schema.Literals([
  "end_call",
  "transfer_call",
  "send_dtmf",
  "collect_digits",
  "lookup_faq",
  "get_current_time",
  "record_outcome",
  "schedule_callback",
  "add_to_do_not_call",
  "leave_voicemail",
  "pause_recording",
  "resume_recording",
  "switch_language",
])
export type BuiltInTool = typeof BuiltInTool.Type
