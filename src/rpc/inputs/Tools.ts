/** Inputs of the operations on tools. */
import { z } from "zod"
import { ToolName } from "./Agents.ts"
import { DisplayName, etag, JsonObject, Key, listOf, page, Search, text, visible, writable } from "./Fields.ts"

const readOnly = ["id", "is_default", "modified_from_default", "created_at", "updated_at"]

const ImplementationType = z.enum(["python", "http"])

const optional = {
  display_name: DisplayName.exactOptional(),
  category: text(1, 200)
    .refine(...visible)
    .exactOptional(),
  schema: JsonObject.exactOptional(),
  implementation_config: JsonObject.exactOptional(),
  implementation_code: z.string().max(100_000).nullable().exactOptional(),
  tags: listOf(text(1, 100).refine(...visible), 0, 50).exactOptional(),
}
const required = { name: ToolName, description: z.string().max(10_000), implementation_type: ImplementationType }

export const NewTool = writable({ ...required, ...optional }, readOnly)
export const ToolChange = writable(
  {
    name: required.name.exactOptional(),
    description: required.description.exactOptional(),
    implementation_type: required.implementation_type.exactOptional(),
    ...optional,
  },
  readOnly,
)

export const ToolKey = z.strictObject({ id: Key })
export const ToolUpdate = ToolChange.extend({ id: Key, ...etag })
export const ToolList = z
  .strictObject({
    ...page(),
    category: z.string().max(200).exactOptional(),
    type: ImplementationType.exactOptional(),
    search: Search.exactOptional(),
    is_default: z.boolean().exactOptional(),
  })
  .prefault({})

/** Unsaved fields of an editor, used in place of the saved ones. */
const ToolDraft = z.strictObject({
  schema: optional.schema,
  implementation_config: optional.implementation_config,
  implementation_code: optional.implementation_code,
})

/** One invocation of a tool without a call. */
export const ToolTrial = z.strictObject({
  arguments: JsonObject.exactOptional(),
  context: JsonObject.exactOptional(),
  config: JsonObject.exactOptional(),
  tool: ToolDraft.exactOptional(),
})
export const ToolInvocation = ToolTrial.extend({ id: Key })
