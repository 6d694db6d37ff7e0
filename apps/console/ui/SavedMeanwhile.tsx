/**
 * Shown if another user saved the same fields: both texts side by side, between which the user chooses. Nothing is
 * overwritten silently.
 */
import { useAct } from "../data/Act.ts"
import type { Draft } from "../data/Draft.ts"
import { joinNames } from "../words/Figures.ts"
import { Button } from "./Button.tsx"
import { Dialog, DialogActs } from "./Dialog.tsx"
import { ProblemLine } from "./ProblemLine.tsx"
import "./SavedMeanwhile.css"

export interface SavedMeanwhileProps<T extends object> {
  /** "v15", "estimate_copay". */
  readonly name: string
  readonly draft: Draft<T>
  readonly saved: T
  /** "Save mine as v16". */
  readonly saveWord: string
  /** What happens to the other user's changes if the present user's are saved. */
  readonly note?: string
  readonly wordOf?: (field: string) => string
  readonly onSaveMine: () => Promise<void>
  readonly onClose: () => void
}

/** A field's value as text. */
const toText = (value: unknown): string =>
  typeof value === "string" ? value : value === null ? "none" : JSON.stringify(value, null, 2)

const toWords = (field: string): string => field.replaceAll("_", " ")

export const SavedMeanwhile = <T extends object>({
  draft,
  name,
  note = "",
  onClose,
  onSaveMine,
  saveWord,
  saved,
  wordOf = toWords,
}: SavedMeanwhileProps<T>) => {
  const { problem, run } = useAct()
  const fields = draft.overlap
  const mine = async () => {
    const refused = await run(onSaveMine)
    if (refused === undefined) onClose()
  }
  const theirs = () => {
    for (const field of fields) draft.set(field, saved[field])
    draft.rebase()
    onClose()
  }
  return (
    <Dialog title={`${name} was saved by someone else`} isOpen onClose={onClose} size="wide" isDismissable={false}>
      <p className="quiet">
        {fields.length === 0
          ? "Your changes touch other fields than theirs. They can be saved together."
          : `Both of you changed the ${joinNames(fields.map(wordOf))}. ${note}`}
      </p>
      {fields.map((field) => (
        <div key={field} className="SavedMeanwhile">
          <section aria-label={`Theirs: ${wordOf(field)}`}>
            <h3>Their version</h3>
            <pre className="SavedMeanwhile-text">{toText(saved[field])}</pre>
          </section>
          <section aria-label={`Yours: ${wordOf(field)}`}>
            <h3>Your version, unsaved</h3>
            <pre className="SavedMeanwhile-text">{toText(draft.value[field])}</pre>
          </section>
        </div>
      ))}
      {problem !== undefined && <ProblemLine problem={problem} />}
      <DialogActs after={<span className="mono label">412 precondition_failed</span>}>
        <Button look="primary" onPress={mine}>
          {saveWord}
        </Button>
        {fields.length > 0 && <Button onPress={theirs}>Take theirs</Button>}
        <Button look="quiet" autoFocus shortcut="esc" onPress={onClose}>
          Keep editing
        </Button>
      </DialogActs>
    </Dialog>
  )
}
