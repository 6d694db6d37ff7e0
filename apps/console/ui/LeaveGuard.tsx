/**
 * Asks before the user leaves a page with unsaved changes: by a dialog within the console, by the browser otherwise.
 */
import { useBlocker } from "@tanstack/react-router"
import { useAct } from "../data/Act.ts"
import { Button } from "./Button.tsx"
import { Dialog, DialogActs } from "./Dialog.tsx"
import { ProblemLine } from "./ProblemLine.tsx"

export interface LeaveGuardProps {
  readonly isOn: boolean
  /** "Nora" */
  readonly name: string
  /** The path of the item's pages. Going to one of them is not leaving. */
  readonly within: string
  /** "Save as v15" */
  readonly saveWord: string
  readonly onSave: () => Promise<unknown>
  /** Drops the changes. */
  readonly onDrop: () => void
}

export const LeaveGuard = ({ isOn, name, onDrop, onSave, saveWord, within }: LeaveGuardProps) => {
  const { clear, problem, run } = useAct()
  const blocker = useBlocker({
    shouldBlockFn: ({ next }) => isOn && next.pathname !== within && !next.pathname.startsWith(`${within}/`),
    enableBeforeUnload: () => isOn,
    withResolver: true,
  })
  if (blocker.status !== "blocked") return null
  const stay = () => {
    clear()
    blocker.reset()
  }
  const save = async () => {
    const refused = await run(onSave)
    if (refused === undefined) blocker.proceed()
  }
  const drop = () => {
    onDrop()
    blocker.proceed()
  }
  return (
    <Dialog title={`Leave ${name} with unsaved changes?`} isOpen onClose={stay} isAlert isDismissable={false}>
      <p className="quiet">They are kept in this browser until you come back.</p>
      {problem !== undefined && <ProblemLine problem={problem} />}
      <DialogActs>
        <Button look="primary" onPress={save}>
          {saveWord}
        </Button>
        <Button onPress={blocker.proceed}>Leave</Button>
        <Button look="stop" onPress={drop}>
          Discard changes
        </Button>
        <Button look="quiet" autoFocus shortcut="esc" onPress={stay}>
          Stay
        </Button>
      </DialogActs>
    </Dialog>
  )
}
