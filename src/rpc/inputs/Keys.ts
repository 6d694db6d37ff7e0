/** Inputs of the operations on API keys and widget keys. */
import { z } from "zod"
import { Key, listOf, Name, page, text, Timestamp, Uuid, visible, writable } from "./Fields.ts"

export const NewApiKey = writable(
  {
    name: Name,
    scopes: listOf(z.enum(["read", "write", "dial", "audit"]), 1, 4),
    expires_at: Timestamp.nullable().exactOptional(),
  },
  ["id", "key_id", "last_used_at", "created_at"],
)

const isOrigin = (text: string): boolean =>
  /^https?:\/\/[^/?#@*\s]+$/u.test(text) && URL.canParse(text) && new URL(text).origin === text
const Origin = z.string().max(300).refine(isOrigin, "must be an origin, such as https://www.example.com")

export const WidgetTheme = z.strictObject({
  color: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/u, "must be a colour, such as #1a1b19")
    .exactOptional(),
  mode: z.enum(["system", "light", "dark"]).exactOptional(),
  position: z.enum(["bottom-right", "bottom-left"]).exactOptional(),
  label: text(1, 40)
    .refine(...visible)
    .exactOptional(),
  notice: text(1, 300).exactOptional(),
})

export const NewWidgetKey = writable(
  {
    name: Name,
    kind: z.enum(["public", "secret"]),
    agent_id: Uuid,
    origins: listOf(Origin, 0, 50).exactOptional(),
    theme: WidgetTheme.exactOptional(),
    greeting: text(1, 1000).nullable().exactOptional(),
  },
  ["id", "key", "hint", "created_at"],
)

export const KeyToRemove = z.strictObject({ id: Key })
export const KeyList = z.strictObject(page()).prefault({})
