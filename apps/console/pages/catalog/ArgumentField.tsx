/** The field of one argument, by its schema: a choice, a date, a number or a text. Any other value is written as JSON. */
import { Field } from "../../ui/Field.tsx"
import { SelectMenu } from "../../ui/SelectMenu.tsx"
import { type Argument, choicesOf } from "./Tool.ts"

const left = "(left out)"

export interface ArgumentFieldProps {
  readonly argument: Argument
  readonly value: string
  readonly onChange: (value: string) => void
  readonly problem: string | undefined
}

const placeholderOf = ({ isRequired, schema }: Argument): string => {
  const example = schema["format"] === "date" ? new Date().toISOString().slice(0, 10) : isJson(schema) ? "as JSON" : ""
  return isRequired ? example : [example, "may be left out"].filter((word) => word !== "").join(", ")
}

export const ArgumentField = ({ argument, onChange, problem, value }: ArgumentFieldProps) => {
  const choices = argument.schema["type"] === "boolean" ? ["true", "false"] : choicesOf(argument)
  if (choices.length > 0) {
    return (
      <div>
        <SelectMenu
          label={argument.name}
          form="field"
          placeholder="Choose one"
          choices={[...(argument.isRequired ? [] : [left]), ...choices].map((id) => ({ id, word: id }))}
          chosen={value === "" ? null : value}
          onChoose={(id) => onChange(id === left ? "" : id)}
        />
        {problem !== undefined && <p className="Field-problem">{problem}</p>}
      </div>
    )
  }
  return (
    <Field
      label={argument.name}
      value={value}
      onChange={onChange}
      placeholder={placeholderOf(argument)}
      problem={problem}
    />
  )
}

const isJson = (schema: Argument["schema"]): boolean => schema["type"] === "array" || schema["type"] === "object"

/** Converts typed text to the type of the schema; undefined omits it. Text that does not fit is sent unchanged, and the server refuses it. */
export const valueOf = ({ schema }: Argument, typed: string): unknown => {
  if (typed.trim() === "") return undefined
  const { type } = schema
  if (type === "boolean") return typed === "true" ? true : typed === "false" ? false : typed
  if (type === "number" || type === "integer") return Number.isFinite(Number(typed)) ? Number(typed) : typed
  if (!isJson(schema)) return typed
  try {
    return JSON.parse(typed) as unknown
  } catch {
    return typed
  }
}
