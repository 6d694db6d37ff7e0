/** A labelled text input, of one line or several. Its problem is shown below it. */
import type { ReactNode, Ref } from "react"
import { FieldError, Input, Label, Text, TextArea, TextField, type TextFieldProps } from "react-aria-components"
import "./Field.css"

export interface FieldProps extends Omit<TextFieldProps, "className" | "children" | "style"> {
  readonly label: ReactNode
  /** What the field accepts, shown below it. */
  readonly hint?: ReactNode
  readonly problem?: string | undefined
  readonly placeholder?: string
  readonly isMono?: boolean
  /** The number of visible lines. More than one makes it a text area. */
  readonly rows?: number
  /** A remark on the typed text, at the end of the field. */
  readonly after?: ReactNode
  readonly inputRef?: Ref<HTMLInputElement>
}

export const Field = ({ after, hint, inputRef, isMono, label, placeholder, problem, rows, ...rest }: FieldProps) => (
  <TextField {...rest} isInvalid={problem !== undefined} className="Field">
    <Label className="Field-label">{label}</Label>
    <span className={`Field-box ${isMono ? "mono" : ""}`}>
      {rows === undefined ? (
        <Input ref={inputRef ?? null} className="Field-input" {...(placeholder !== undefined && { placeholder })} />
      ) : (
        <TextArea rows={rows} className="Field-input" {...(placeholder !== undefined && { placeholder })} />
      )}
      {after !== undefined && <span className="Field-after">{after}</span>}
    </span>
    {hint !== undefined && (
      <Text slot="description" className="Field-hint">
        {hint}
      </Text>
    )}
    <FieldError className="Field-problem">{problem}</FieldError>
  </TextField>
)
