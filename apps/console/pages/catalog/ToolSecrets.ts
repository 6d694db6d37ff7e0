/** The secrets in an http tool's request: how the server shows a stored one, and a draft without those that were typed. */
import type { Json, Tool } from "./Tool.ts"

/** The server shows a stored secret as this text, and keeps the stored one when the text comes back. */
export const mask = "********"

const secretParts = ["token", "password", "value"]

export const objectOf = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {}

/**
 * The changes that the browser may store. A typed secret is emptied and not masked: the server refuses an empty one, so
 * the stored secret cannot be saved by mistake instead of the typed one. Any header may hold a secret. Header values
 * that the server shows (a mask or a public value) are not secret.
 */
export const withoutSecrets = (changes: Partial<Tool>, saved: Tool): Partial<Tool> => {
  const config = changes.implementation_config
  if (config === undefined) return changes
  const emptied = (part: string, isSecret: (name: string) => boolean): Json => {
    const stored = objectOf(saved.implementation_config[part])
    return Object.fromEntries(
      Object.entries(objectOf(config[part])).map(([name, value]) => [
        name,
        isSecret(name) && value !== stored[name] ? "" : value,
      ]),
    )
  }
  return {
    ...changes,
    implementation_config: {
      ...config,
      ...(config["headers"] !== undefined && { headers: emptied("headers", () => true) }),
      ...(config["authentication"] !== undefined && {
        authentication: emptied("authentication", (name) => secretParts.includes(name)),
      }),
    },
  }
}
