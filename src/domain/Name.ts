/** Names that people give: of an agent, a playbook, a FAQ. They stand in paths beside ids, so none looks like an id. */
import { Schema } from "effect"

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu

export const isUuid = (text: string): boolean => uuid.test(text)

/**
 * Invisible characters: controls, those that turn the direction of a line, zero-width spaces, tags. With them a
 * name can look like another one.
 */
const unseen = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/u

/** For names that are written. Rows from before the rule are still read. */
export const hasNoneUnseen = Schema.makeFilter(
  (text: string) => !unseen.test(text) || "must not have control characters or invisible ones",
)

/** A name that people read and nothing is found by. */
export const DisplayName = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200), hasNoneUnseen)

export const Name = Schema.String.check(
  Schema.isPattern(/^\S(?:.*\S)?$/u, { message: "must not be empty nor begin or end with a space" }),
  Schema.isMaxLength(200),
  hasNoneUnseen,
  Schema.makeFilter((name) => !isUuid(name) || "must not look like a UUID"),
)

/** `appointment_reminder` → "Appointment reminder": what `display_name` is when left out. `__` has no words and stays. */
export const inWords = (name: string): string => {
  const words = name.replaceAll(/[_-]+/g, " ").trim()
  return words === "" ? name : words.charAt(0).toUpperCase() + words.slice(1)
}
