/**
 * Names that people give to agents, playbooks and FAQs. Paths accept a name in place of an id, so no name may look
 * like an id, or be a part of a path that clients remove (RFC 3986 §5.2.4).
 */
import { Schema } from "effect"
import { inexpressible } from "./Inexpressible.ts"
import { isVisible, visibleRule } from "./VisibleText.ts"

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu

export const isUuid = (text: string): boolean => uuid.test(text)

/**
 * A name as it is stored and answered. The rules for names hold only for what a client writes (`NameInput`,
 * `DisplayNameInput`): a rule may be newer than a row, and the row must stay readable.
 */
export const Name = Schema.String

/**
 * The filter for every text that a client writes and that a list shows on one line. It does not apply when rows are
 * read.
 */
export const visible = Schema.makeFilter((text: string) => isVisible(text) || visibleRule, inexpressible)

/** A name for people to read. Nothing is looked up by it. */
export const DisplayNameInput = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200), visible)

export const NameInput = Schema.String.check(
  Schema.isPattern(/^\S(?:.*\S)?$/u, { message: "must not be empty, and must not begin or end with a space" }),
  Schema.isMaxLength(200),
  visible,
  Schema.makeFilter((name) => !isUuid(name) || "must not look like a UUID", inexpressible),
  Schema.makeFilter(
    (name) => !/^\.{1,2}$/u.test(name) || "must not be . or .., which no path can contain",
    inexpressible,
  ),
)

/**
 * The default `display_name`: `appointment_reminder` → "Appointment reminder". A name without words, such as `__`, is
 * returned unchanged.
 */
export const inWords = (name: string): string => {
  const words = name.replaceAll(/[_-]+/g, " ").trim()
  return words === "" ? name : words.charAt(0).toUpperCase() + words.slice(1)
}
