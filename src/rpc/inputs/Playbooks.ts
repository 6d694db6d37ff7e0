/** Inputs of the operations on playbooks. */
import { z } from "zod"
import { ToolName } from "./Agents.ts"
import { DisplayName, etag, Key, listOf, Name, page, Search, text, visible, writable } from "./Fields.ts"

const readOnly = ["id", "is_default", "modified_from_default", "created_at", "updated_at"]

const optional = {
  display_name: DisplayName.exactOptional(),
  description: z.string().max(10_000).exactOptional(),
  category: text(1, 200)
    .refine(...visible)
    .exactOptional(),
  tool_names: listOf(ToolName, 0, 100).exactOptional(),
}
const prompt = text(1, 100_000)

export const NewPlaybook = writable({ name: Name, prompt, ...optional }, readOnly)
export const PlaybookChange = writable(
  { name: Name.exactOptional(), prompt: prompt.exactOptional(), ...optional },
  readOnly,
)

export const PlaybookKey = z.strictObject({ id: Key })
export const PlaybookUpdate = PlaybookChange.extend({ id: Key, ...etag })
export const PlaybookList = z
  .strictObject({
    ...page(),
    category: z.string().max(200).exactOptional(),
    search: Search.exactOptional(),
    is_default: z.boolean().exactOptional(),
  })
  .prefault({})
