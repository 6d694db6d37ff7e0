/** The frame of a dialog that runs a trial at once, shows the result, and can repeat it. */
import { type ReactNode, useEffect } from "react"
import { problemOf } from "../data/Problem.ts"
import { Button } from "./Button.tsx"
import { Dialog, DialogActs } from "./Dialog.tsx"
import { ProblemLine } from "./ProblemLine.tsx"

export interface TrialDialogProps {
  readonly title: ReactNode
  /** What is tried, if the title does not say it. */
  readonly about?: ReactNode
  /** The mutation that runs the trial. */
  readonly trial: {
    readonly error: unknown
    readonly isPending: boolean
    readonly mutate: (input: { readonly id: string }) => void
  }
  readonly id: string
  /** The label of the button that repeats it. */
  readonly again: string
  readonly onClose: () => void
  /** The result. */
  readonly children: ReactNode
}

export const TrialDialog = ({ about, again, children, id, onClose, title, trial }: TrialDialogProps) => {
  const { error, isPending, mutate } = trial
  useEffect(() => mutate({ id }), [id, mutate])
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      {about}
      <div aria-live="polite">
        {children}
        {error !== null && <ProblemLine problem={problemOf(error)} />}
      </div>
      <DialogActs>
        <Button look="primary" onPress={onClose}>
          Done
        </Button>
        <Button isDisabled={isPending} onPress={() => mutate({ id })}>
          {again}
        </Button>
      </DialogActs>
    </Dialog>
  )
}
