/** Names that people give: of an agent, a playbook, a FAQ. They stand in paths beside ids, so none looks like an id. */
import { Schema } from "effect"
import { isVisible, visibleRule } from "./VisibleText.ts"

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu

export const isUuid = (text: string): boolean => uuid.test(text)

/**
 * A name as it is stored and answered. Rules for names hold only for what a client writes (`NameInput`,
 * `DisplayNameInput`): a rule may be younger than a row, and the row must stay readable.
 */
export const Name = Schema.String

/** JSON Schema has no word for the rules below. Without this it would also drop what a field says of itself. */
const unsaid = { toJsonSchema: () => ({}) }

/** For every text that is written and that a list shows in one line. Never part of what a row is read with. */
export const visible = Schema.makeFilter((text: string) => isVisible(text) || visibleRule, unsaid)

/** A name that people read and nothing is found by. */
export const DisplayNameInput = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200), visible)

export const NameInput = Schema.String.check(
  Schema.isPattern(/^\S(?:.*\S)?$/u, { message: "must not be empty nor begin or end with a space" }),
  Schema.isMaxLength(200),
  visible,
  Schema.makeFilter((name) => !isUuid(name) || "must not look like a UUID", unsaid),
)

/** `appointment_reminder` → "Appointment reminder": what `display_name` is when left out. `__` has no words and stays. */
export const inWords = (name: string): string => {
  const words = name.replaceAll(/[_-]+/g, " ").trim()
  return words === "" ? name : words.charAt(0).toUpperCase() + words.slice(1)
}
