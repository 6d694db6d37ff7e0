/**
 * Guards a page's unsaved changes: shows refusals and changes that another user saved since, and asks before leaving.
 */
import type { Draft } from "../data/Draft.ts"
import { fieldProblems } from "../data/Problem.ts"
import { sum } from "../data/Checks.ts"
import type { Saving } from "../data/Saving.ts"
import { LeaveGuard } from "./LeaveGuard.tsx"
import { ProblemLine } from "./ProblemLine.tsx"
import { SavedMeanwhile, type SavedMeanwhileProps } from "./SavedMeanwhile.tsx"
import "./SaveGuards.css"

export interface SaveGuardsProps<T extends object> extends Pick<SavedMeanwhileProps<T>, "note" | "wordOf"> {
  readonly saving: Saving
  readonly draft: Draft<T>
  readonly saved: T & { readonly etag: string }
  /** "estimate_copay" */
  readonly name: string
  /** The version of the saved state, such as "v15", if it has one. */
  readonly version?: string
  /** "Save as v16" */
  readonly word?: string
  /** The path of the item's pages. Going to one of them is not leaving. */
  readonly within: string
}

export const SaveGuards = <T extends object>(props: SaveGuardsProps<T>) => {
  const { draft, name, saved, saving, version = name, within, word = "Save", ...about } = props
  return (
    <>
      <Refused saving={saving} />
      {saving.isConflict && (
        <SavedMeanwhile
          {...about}
          name={version}
          draft={draft}
          saved={saved}
          saveWord={word.replace("Save", "Save mine")}
          onSaveMine={() => saving.save(saved.etag)}
          onClose={() => saving.showConflict(false)}
        />
      )}
      <LeaveGuard
        isOn={saving.mayChange && draft.isDirty}
        name={name}
        within={within}
        saveWord={word}
        onSave={() => saving.save()}
        onDrop={draft.drop}
      />
    </>
  )
}

const Refused = ({ saving: { isConflict, problem } }: { readonly saving: Saving }) => {
  if (problem === undefined || isConflict) return null
  const atFields = fieldProblems(problem)
  return (
    <div className="SaveGuards-refused">
      <ProblemLine problem={problem} />
      {Object.keys(atFields).length > 0 && <p className="second-line">{sum(atFields)}</p>}
    </div>
  )
}
