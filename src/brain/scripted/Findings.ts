/**
 * Finds values for the fields of the agent's outcome schema in what the caller said. The scripted brain records them at
 * the end of a call (`findings`), or they are read from the transcript after it (`readingsOf`).
 */
import { DateTime, type Schema } from "effect"
import { isObject } from "../../domain/JsonValue.ts"
import type { Budget } from "../../offload/Budget.ts"
import type { Job } from "../../offload/Job.ts"
import type { Message } from "../Brain.ts"
import { fieldsOf, type Reading, type Readings, type Said } from "../outcome/OutcomeQuestion.ts"
import type { Cue } from "./Cues.ts"
import { answerOf, dateOf } from "./Wishes.ts"

const longestText = 500

type Utterance = Pick<Message, "role" | "text">

interface Heard {
  readonly cues: ReadonlyArray<Cue>
  readonly history: ReadonlyArray<Utterance>
  readonly schema: Schema.JsonObject | null
  /** The current time as an ISO 8601 text, and the time zone of the caller's days. */
  readonly now: string
  readonly time_zone: string
}

/** The caller's answers to questions that name a field, and values for the schema's other fields. */
export const findings = ({ cues, history, now, schema, time_zone }: Heard, budget: Budget): Schema.JsonObject => {
  const today = DateTime.setZoneNamedUnsafe(DateTime.makeUnsafe(now), time_zone)
  const said = history.filter(({ role }) => role === "caller").map(({ text }) => text)
  const all = said.join(" ").slice(0, longestText)
  const properties = isObject(schema?.["properties"]) ? schema["properties"] : undefined
  const fields: Record<string, Schema.Json> = {}
  const fill = (name: string, heard: ReadonlyArray<string>) => {
    const given = properties?.[name]
    const property = isObject(given) ? given : {}
    budget.spend(stepsOf(property, heard))
    const value = valueOf(property, heard, today)
    if (value !== undefined) fields[name] = value
  }
  for (const { field, text } of cues) {
    const answers = field === null ? [] : answersTo(text, history)
    if (field !== null && answers.length > 0)
      fill(
        field,
        answers.map((answer) => answer.text),
      )
  }
  for (const name of Object.keys(properties ?? {})) if (fields[name] === undefined) fill(name, said)
  if (properties === undefined && Object.keys(fields).length === 0 && all !== "") {
    const date = said.map((text) => dateOf(text, today)).findLast((found) => found !== undefined)
    return { summary: all, ...(date === undefined ? {} : { date }) }
  }
  return fields
}

/**
 * `findings` as a job with a budget: a tenant's schema may have thousands of fields, and a long call as many
 * utterances.
 */
export const finding: Job<Heard, Schema.JsonObject> = { module: import.meta.url, work: findings }

/**
 * The cost of one field, in steps of the budget: each utterance is searched once, or once for each choice of an enum.
 */
const stepsOf = ({ enum: choices }: Schema.JsonObject, heard: ReadonlyArray<string>): number => {
  const searches = Array.isArray(choices) ? choices.length : 1
  return searches * heard.reduce((steps, text) => steps + 20 + text.length / 10, 1)
}

/**
 * The value of each field in the caller's last utterance that has one, or in the answer to the question that names the
 * field. Free text is taken only from such an answer, because every utterance would be a valid value.
 */
export const readingsOf = (
  cues: ReadonlyArray<Cue>,
  said: ReadonlyArray<Said>,
  schema: Schema.JsonObject,
  today: DateTime.DateTime,
): Readings["found"] => {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {}
  const found = new Map<string, Reading>()
  for (const name of fieldsOf(schema)) {
    const given = properties[name]
    const property = isObject(given) ? given : {}
    const cue = cues.find(({ field }) => field === name)
    for (const { entry, text } of cue === undefined ? searchable(property, said) : answersTo(cue.text, said)) {
      const value = valueOf(property, [text], today)
      if (value !== undefined) found.set(name, { value, entry })
    }
  }
  return found
}

const searchable = ({ enum: choices, format, type }: Schema.JsonObject, said: ReadonlyArray<Said>) =>
  Array.isArray(choices) || format !== undefined || (type !== undefined && type !== "string")
    ? said.filter(({ role }) => role === "caller")
    : []

/** The caller's first words after a question, if it was asked and answered. */
const answersTo = <Words extends Pick<Message, "role" | "text">>(
  question: string,
  history: ReadonlyArray<Words>,
): ReadonlyArray<Words> => {
  const asked = history.findIndex(({ role, text }) => role === "agent" && text.includes(question))
  const answer = asked < 0 ? undefined : history.slice(asked).find(({ role }) => role === "caller")
  return answer === undefined ? [] : [answer]
}

/** The value of the property's type in the last utterance that has one. */
const valueOf = (
  property: Schema.JsonObject,
  heard: ReadonlyArray<string>,
  today: DateTime.DateTime,
): Schema.Json | undefined => {
  const last = <A>(read: (text: string) => A | undefined): A | undefined => {
    for (const text of heard.toReversed()) {
      const value = read(text)
      if (value !== undefined) return value
    }
    return undefined
  }
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
