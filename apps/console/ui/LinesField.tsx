/** A field for several texts, one a line. */
import { useState } from "react"
import { Field, type FieldProps } from "./Field.tsx"

export interface LinesFieldProps extends Omit<FieldProps, "value" | "onChange" | "rows"> {
  readonly lines: ReadonlyArray<string>
  readonly onLines: (lines: Array<string>) => void
}

/** Needs a `key` that depends on the edited item, since it keeps empty lines while the user types. */
export const LinesField = ({ lines, onLines, ...rest }: LinesFieldProps) => {
  const [text, setText] = useState(() => lines.join("\n"))
  return (
    <Field
      {...rest}
      rows={Math.min(8, Math.max(2, text.split("\n").length))}
      value={text}
      onChange={(typed) => {
        setText(typed)
        onLines(
          typed
            .split("\n")
            .map((line) => line.trim())
            .filter((line) => line !== ""),
        )
      }}
    />
  )
}
