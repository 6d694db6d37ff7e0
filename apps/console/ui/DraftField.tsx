/** A text field of a form. The form holds its text, its problem and whether it may change; `name` says which field it is. */
import { type FieldProblems, problemAt } from "../data/Checks.ts"
import { Field, type FieldProps } from "./Field.tsx"

export interface DraftFieldProps<Name extends string> extends Omit<FieldProps, "value" | "onChange" | "name" | "form"> {
  readonly form: {
    readonly draft: {
      readonly value: Readonly<Record<NoInfer<Name>, string>>
      readonly set: (name: NoInfer<Name>, value: string) => void
    }
    readonly problems: FieldProblems
    readonly mayChange: boolean
  }
  /** The field's name in the draft. Pass `problem` if the schema has another name for it. */
  readonly name: Name
}

export const DraftField = <Name extends string>(props: DraftFieldProps<Name>) => {
  const { form, isReadOnly = false, name, ...field } = props
  const { draft, mayChange, problems } = form
  return (
    <Field
      problem={problemAt(problems, name)}
      {...field}
      value={draft.value[name]}
      isReadOnly={isReadOnly || !mayChange}
      onChange={(typed) => draft.set(name, typed)}
    />
  )
}
