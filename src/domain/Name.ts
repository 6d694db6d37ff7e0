/** Names that people give: of an agent, a playbook, a FAQ. They stand in paths beside ids, so none looks like an id. */
import { Schema } from "effect"

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu

export const isUuid = (text: string): boolean => uuid.test(text)

export const Name = Schema.String.check(
  Schema.isPattern(/^\S(?:.*\S)?$/u, { message: "must not be empty nor begin or end with a space" }),
  Schema.isMaxLength(200),
  Schema.makeFilter((name) => !isUuid(name) || "must not look like a UUID"),
)

/** `appointment_reminder` → "Appointment reminder": what `display_name` is when left out. `__` has no words and stays. */
export const inWords = (name: string): string => {
  const words = name.replaceAll(/[_-]+/g, " ").trim()
  return words === "" ? name : words.charAt(0).toUpperCase() + words.slice(1)
}
