/**
 * A form in a dialog, checked with the router's schema. Each problem is shown at its field; the first gets the focus.
 */
import { type ReactNode, type SubmitEvent, useState } from "react"
import type { z } from "zod"
import { useAct } from "../data/Act.ts"
import { findProblems, type FieldProblems, sum } from "../data/Checks.ts"
import type { Fields, Form } from "../data/Fields.ts"
import { fieldProblems } from "../data/Problem.ts"
import { Button } from "./Button.tsx"
import { CancelButton, Dialog, DialogActs } from "./Dialog.tsx"
import { ProblemLine } from "./ProblemLine.tsx"

export interface FormDialogProps<T extends object> {
  readonly title: string
  /** "Make the key" */
  readonly verb: string
  readonly schema: z.ZodType
  readonly draft: Fields<T>
  /** The value that the schema checks. Defaults to the draft's fields. */
  readonly value?: object
  readonly onSubmit: () => Promise<unknown>
  readonly onClose: () => void
  readonly children: (form: Form<T>) => ReactNode
}

/** Focuses the first invalid field. Called after the form was refused. */
const focusFirstFault = (form: HTMLFormElement): void => {
  // Wait for the problems to be rendered.
  requestAnimationFrame(() => form.querySelector<HTMLElement>("[data-invalid] :is(input, textarea)")?.focus())
}

export const FormDialog = <T extends object>(props: FormDialogProps<T>) => {
  const { children, draft, onClose, onSubmit, schema, title, value = draft.value, verb } = props
  const [problems, setProblems] = useState<FieldProblems>({})
  const { clear, isBusy, problem, run } = useAct()
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const found = findProblems(schema, value)
    setProblems(found)
    clear()
    if (Object.keys(found).length > 0) return focusFirstFault(form)
    const refused = await run(onSubmit)
    if (refused === undefined) return
    setProblems(fieldProblems(refused))
    focusFirstFault(form)
  }
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <form noValidate onSubmit={submit} className="Form">
        {Object.keys(problems).length > 1 && <p className="Field-problem">{sum(problems)}</p>}
        {children({ draft, problems, mayChange: true })}
        {problem !== undefined && <ProblemLine problem={problem} />}
        <DialogActs>
          <Button type="submit" look="primary" isDisabled={isBusy}>
            {verb}
          </Button>
          <CancelButton onPress={onClose} />
        </DialogActs>
      </form>
    </Dialog>
  )
}
