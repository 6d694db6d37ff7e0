/** Inputs of the operations on agents: their settings, and their tools, playbooks and FAQs. */
import { z } from "zod"
import {
  between,
  decimalBetween,
  DispositionKey,
  etag,
  JsonObject,
  Key,
  Name,
  notBlank,
  notLikeUuid,
  page,
  Search,
  text,
  Uuid,
  writable,
} from "./Fields.ts"

const readOnly = ["id", "version", "is_default", "created_at", "updated_at"]

const provider = z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/u, "must be the name of a provider, such as lab")
const item = z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N} ._:/@+-]{0,199}$/u, "must be an id that the provider uses")

const fields = {
  description: z.string().max(10_000).exactOptional(),
  first_message: z.string().max(5_000).exactOptional(),
  language: z
    .string()
    .regex(/^[a-zA-Z]{2,3}(?:-[a-zA-Z0-9]{2,8}){0,4}$/u, "must be a BCP 47 language tag, such as en or de-AT")
    .exactOptional(),
  voice: z
    .strictObject({
      provider: provider.exactOptional(),
      id: item.exactOptional(),
      speed: decimalBetween(0.25, 4).exactOptional(),
    })
    .exactOptional(),
  model: z.strictObject({ provider: provider.exactOptional(), id: item.exactOptional() }).exactOptional(),
  temperature: decimalBetween(0, 2).exactOptional(),
  max_call_seconds: between(10, 14_400).exactOptional(),
  silence_timeout_seconds: between(2, 120).exactOptional(),
  interruptible: z.boolean().exactOptional(),
  voicemail_action: z.enum(["hang_up", "leave_message"]).exactOptional(),
  recording: z.boolean().exactOptional(),
  recording_notice: z.string().max(1_000).exactOptional(),
  disclosure: z.string().max(2_000).exactOptional(),
  opt_out_key: z
    .string()
    .regex(/^[0-9*#]$/u, "must be one key of a telephone: 0 to 9, * or #")
    .nullable()
    .exactOptional(),
  outcome_schema: JsonObject.nullable().exactOptional(),
  dispositions: z
    .array(
      z.strictObject({
        key: DispositionKey,
        label: notBlank(100),
        final: z.boolean().exactOptional(),
      }),
    )
    .refine((all) => all.length <= 50, "must have a length of at most 50")
    .refine((all) => new Set(all.map(({ key }) => key)).size === all.length, "must not have a key twice")
    .readonly()
    .exactOptional(),
}
const system_prompt = text(1, 100_000)

export const NewAgent = writable({ name: Name, system_prompt, ...fields }, readOnly)
export const AgentChange = writable(
  { name: Name.exactOptional(), system_prompt: system_prompt.exactOptional(), ...fields },
  readOnly,
)

export const AgentKey = z.strictObject({ id: Key })
export const AgentUpdate = AgentChange.extend({ id: Key, ...etag })
export const AgentList = z.strictObject({ ...page(), search: Search.exactOptional() }).prefault({})

/** Unsaved fields of an editor, used in place of the saved ones. */
const AgentDraft = z.strictObject({
  system_prompt: system_prompt.exactOptional(),
  first_message: fields.first_message,
  language: fields.language,
  model: z.strictObject({ provider, id: item }).exactOptional(),
  temperature: fields.temperature,
  outcome_schema: fields.outcome_schema,
})

/** One turn of an agent in text. */
export const TurnTrial = z.strictObject({
  messages: z
    .array(z.strictObject({ role: z.enum(["user", "assistant"]), content: text(1, 20_000) }))
    .max(500)
    .exactOptional(),
  variables: JsonObject.exactOptional(),
  agent: AgentDraft.exactOptional(),
})
export const AgentTrial = TurnTrial.extend({ id: Key })

/** A page of an agent's tools, playbooks or FAQs. */
export const AgentItems = z.strictObject({ agent_id: Key, ...page() })

const idOrName = text(1, 200)

export const ToolName = z
  .string()
  .regex(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/u, "must be 1 to 64 of a-z, A-Z, 0-9, _ and -, beginning with a letter or _")
  .refine(...notLikeUuid)

export const NewEnablement = writable(
  { tool_name: ToolName, config: JsonObject.exactOptional(), enabled: z.boolean().exactOptional() },
  ["created_at", "updated_at"],
)
export const ToolOfAgent = NewEnablement.extend({ agent_id: Key })
export const ToolOfAgentKey = z.strictObject({ agent_id: Key, tool_name: Key })

/** The most items of one list: more than an agent ever has, and too few to hold the event loop. */
const atMost = 500
const each = <Item extends z.ZodType>(item: Item, keyOf: (one: z.output<Item>) => string) =>
  z
    .array(item)
    .max(atMost)
    .refine((all) => new Set(all.map(keyOf)).size === all.length, "must not name the same one twice")
    .exactOptional()
const ids = each(
  Uuid.transform((id) => id.toLowerCase()),
  (id) => id,
)

/**
 * An editor's changes to an agent's fields and kit, saved as one version. Fields that are left out stay as they are.
 */
export const AgentSave = AgentUpdate.extend({
  kit: z
    .strictObject({
      tools: each(
        z.strictObject({ tool_name: ToolName, config: JsonObject, enabled: z.boolean() }),
        ({ tool_name }) => tool_name,
      ),
      tools_removed: each(ToolName, (name) => name),
      playbooks: ids,
      playbooks_detached: ids,
      faqs_attached: ids,
      faqs_detached: ids,
    })
    .exactOptional(),
})

export const NewPlaybookAttachment = writable(
  { playbook_id: idOrName, position: between(0, 1_000_000).exactOptional() },
  ["name", "missing_tools"],
)
export const PlaybookOfAgent = NewPlaybookAttachment.extend({ agent_id: Key })
export const PlaybookOfAgentKey = z.strictObject({ agent_id: Key, playbook_id: Key })

export const NewFaqAttachment = writable({ faq_id: idOrName }, ["name"])
export const FaqOfAgent = NewFaqAttachment.extend({ agent_id: Key })
export const FaqOfAgentKey = z.strictObject({ agent_id: Key, faq_id: Key })
