/** Asks before an action that cannot be undone, and lists its consequences. Enter does not confirm; Esc cancels. */
import type { ReactNode } from "react"
import { useAct } from "../data/Act.ts"
import { Button } from "./Button.tsx"
import { Dialog, DialogActs } from "./Dialog.tsx"
import { ProblemLine } from "./ProblemLine.tsx"
import "./Confirm.css"

export interface ConfirmProps {
  /** The question with the name: "Stop November hygiene recall?" */
  readonly question: string
  /** The consequences, one line each, with figures. */
  readonly lines: ReadonlyArray<{ readonly icon: ReactNode; readonly text: ReactNode }>
  /** The verb: "Stop the campaign". */
  readonly verb: string
  /** The label of the button that cancels, such as "Keep dialling". */
  readonly leave: string
  readonly instead?: { readonly word: string; readonly onAct: () => Promise<unknown> }
  readonly onConfirm: () => Promise<unknown>
  readonly isOpen: boolean
  readonly onClose: () => void
}

export const Confirm = ({ instead, isOpen, leave, lines, onClose, onConfirm, question, verb }: ConfirmProps) => {
  const { clear, isBusy, problem, run } = useAct()
  const close = () => {
    clear()
    onClose()
  }
  const press = (act: () => Promise<unknown>) => async () => {
    const refused = await run(act)
    if (refused === undefined) close()
  }
  return (
    <Dialog title={question} isOpen={isOpen} onClose={close} isAlert isDismissable={false}>
      <ul className="Confirm-lines">
        {lines.map(({ icon, text }, at) => (
          <li key={at}>
            {icon}
            <span>{text}</span>
          </li>
        ))}
      </ul>
      {problem !== undefined && <ProblemLine problem={problem} />}
      <DialogActs>
        <Button look="danger" isDisabled={isBusy} onPress={press(onConfirm)}>
          {verb}
        </Button>
        {instead !== undefined && (
          <Button isDisabled={isBusy} onPress={press(instead.onAct)}>
            {instead.word}
          </Button>
        )}
        <Button look="quiet" autoFocus shortcut="esc" onPress={close}>
          {leave}
        </Button>
      </DialogActs>
    </Dialog>
  )
}
