/** The state that the parts of a tool's page share: the tool with its draft, and its arguments from the JSON Schema. */
import type { Outputs } from "../../data/AccountPulse.ts"
import type { Draft } from "../../data/Draft.ts"
import type { Form } from "../../data/Fields.ts"

export type Tool = Outputs["tools"]["get"]
export type Json = Tool["schema"]
export type ToolDraft = Draft<Tool>

export interface ToolParts extends Form<Tool> {
  readonly tool: Tool
  readonly draft: ToolDraft
}

export const kindWord = ({
  implementation_type,
  is_default,
}: Pick<Tool, "implementation_type" | "is_default">): string => (is_default ? "built-in" : implementation_type)

/** One argument, as a form shows it. Other keywords of its schema are kept. */
export interface Argument {
  readonly name: string
  readonly isRequired: boolean
  readonly schema: Readonly<Record<string, unknown>>
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const argumentsOf = (schema: Json): ReadonlyArray<Argument> => {
  const { properties, required } = schema
  const names: ReadonlyArray<unknown> = Array.isArray(required) ? required : []
  return Object.entries(isObject(properties) ? properties : {}).map(([name, one]) => ({
    name,
    isRequired: names.includes(name),
    schema: isObject(one) ? one : {},
  }))
}

export const withArguments = (schema: Json, all: ReadonlyArray<Argument>): Json => ({
  ...schema,
  type: "object",
  properties: Object.fromEntries(all.map(({ name, schema }) => [name, schema as Json])),
  required: all.filter(({ isRequired }) => isRequired).map(({ name }) => name),
})

export const choicesOf = ({ schema }: Argument): ReadonlyArray<string> =>
  Array.isArray(schema["enum"]) ? schema["enum"].map(String) : []

/** "string, one of 3"; "string, date"; "number". */
export const typeWord = (argument: Argument): string => {
  const type = argument.schema["type"]
  const word = typeof type === "string" ? type : Array.isArray(type) ? type.join(" or ") : "any"
  const choices = choicesOf(argument).length
  const format = argument.schema["format"]
  if (choices > 0) return `${word}, one of ${choices}`
  return typeof format === "string" ? `${word}, ${format}` : word
}

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")
