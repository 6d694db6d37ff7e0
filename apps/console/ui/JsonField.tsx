/** A field for a JSON object. Text that is not an object is not passed on, and an empty field stands for none. */
import { useState } from "react"
import { Field, type FieldProps } from "./Field.tsx"

type JsonObject = Readonly<Record<string, unknown>>

export interface JsonFieldProps extends Omit<FieldProps, "value" | "onChange" | "rows" | "isMono"> {
  readonly object: JsonObject | undefined
  readonly onObject: (object: JsonObject | undefined) => void
}

const objectOf = (text: string): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}

/** Needs a `key` that depends on the edited item. */
export const JsonField = ({ object, onObject, problem, ...rest }: JsonFieldProps) => {
  const [text, setText] = useState(() => (object === undefined ? "" : JSON.stringify(object, null, 2)))
  const isEmpty = text.trim() === ""
  const read = objectOf(text)
  return (
    <Field
      {...rest}
      isMono
      rows={Math.min(8, Math.max(2, text.split("\n").length))}
      value={text}
      onChange={(typed) => {
        setText(typed)
        const typedObject = objectOf(typed)
        if (typed.trim() === "" || typedObject !== undefined) onObject(typedObject)
      }}
      problem={!isEmpty && read === undefined ? "This is not a JSON object yet." : problem}
    />
  )
}
