/**
 * What the scripted brain records at the end: the answers that it heard, in the fields of the agent's outcome schema.
 */
import type { DateTime, Schema } from "effect"
import { isObject } from "../../domain/JsonValue.ts"
import type { Message } from "../Brain.ts"
import type { Cue } from "./Cues.ts"
import { answerOf, dateOf } from "./Wishes.ts"

const longestText = 500

/** The caller's answers to questions that name a field, and values for the schema's other fields. */
export const findings = (
  cues: ReadonlyArray<Cue>,
  history: ReadonlyArray<Message>,
  schema: Schema.JsonObject | null,
  today: DateTime.DateTime,
): Schema.JsonObject => {
  const said = history.filter(({ role }) => role === "caller").map(({ text }) => text)
  const all = said.join(" ").slice(0, longestText)
  const properties = isObject(schema?.["properties"]) ? schema["properties"] : undefined
  const fields: Record<string, Schema.Json> = {}
  const fill = (name: string, heard: ReadonlyArray<string>) => {
    const property = properties?.[name]
    const value = valueOf(isObject(property) ? property : {}, heard, today)
    if (value !== undefined) fields[name] = value
  }
  for (const { field, text } of cues) {
    const answer = field === null ? undefined : answerTo(text, history)
    if (field !== null && answer !== undefined) fill(field, [answer])
  }
  for (const name of Object.keys(properties ?? {})) if (fields[name] === undefined) fill(name, said)
  if (properties === undefined && Object.keys(fields).length === 0 && all !== "") {
    const date = said.map((text) => dateOf(text, today)).findLast((found) => found !== undefined)
    return { summary: all, ...(date === undefined ? {} : { date }) }
  }
  return fields
}

const answerTo = (question: string, history: ReadonlyArray<Message>): string | undefined => {
  const asked = history.findIndex(({ role, text }) => role === "agent" && text.includes(question))
  return asked < 0 ? undefined : history.slice(asked).find(({ role }) => role === "caller")?.text
}

/** The value of the property's type in the last utterance that has one. */
const valueOf = (
  property: Schema.JsonObject,
  heard: ReadonlyArray<string>,
  today: DateTime.DateTime,
): Schema.Json | undefined => {
  const last = <A>(read: (text: string) => A | undefined): A | undefined =>
    heard.map(read).findLast((value) => value !== undefined)
  const { enum: choices, format, type } = property
  if (Array.isArray(choices)) {
    return last((text) =>
      choices.find(
        (choice): choice is string => typeof choice === "string" && text.toLowerCase().includes(choice.toLowerCase()),
      ),
    )
  }
  if (type === "boolean") return last(answerOf)
  if (type === "integer" || type === "number") return last(numberOf)
  if (format === "date") return last((text) => dateOf(text, today))
  if (format === "date-time") return last((text) => at(dateOf(text, today)))
  if (format !== undefined || property["pattern"] !== undefined) return undefined
  if (type === undefined || type === "string") return heard.join(" ").slice(0, longestText) || undefined
  return undefined
}

const at = (date: string | undefined) => (date === undefined ? undefined : `${date}T00:00:00Z`)

const numberOf = (text: string): number | undefined => {
  const [digits] = /\b\d{1,9}\b/u.exec(text) ?? []
  return digits === undefined ? undefined : Number(digits)
}
