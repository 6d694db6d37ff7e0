/**
 * A draft on its way to the server: what it says of each field, and the change of somebody else that stands in its way.
 * Nothing is overwritten: the server refuses by 412, what it has is asked for anew, and both are shown.
 */
import { useState } from "react"
import type { z } from "zod"
import { useMayChange } from "./Account.tsx"
import { checked, type FieldProblems } from "./Checks.ts"
import type { Draft } from "./Draft.ts"
import { fieldProblems, type ProblemBody, problemOf } from "./Problem.ts"

export interface Saving {
  /** Over the thing as it was when the changes began, or as somebody else has saved it since. */
  readonly save: (etag?: string) => Promise<void>
  readonly isBusy: boolean
  readonly mayChange: boolean
  readonly problem: ProblemBody | undefined
  /** At the fields: the schema's, then the server's. */
  readonly problems: FieldProblems
  /** Both texts are shown. */
  readonly isConflict: boolean
  readonly showConflict: (isShown: boolean) => void
}

export interface SavingOptions<T extends object, Saved> {
  readonly draft: Draft<T>
  /** What the router takes. */
  readonly schema: z.ZodType
  /** The changes as the router takes them. Left out: they are the fields that changed. */
  readonly toSend?: (changes: Partial<T>) => object
  readonly send: (etag: string) => Promise<Saved>
  /** Asks anew for what is there. */
  readonly refresh: () => Promise<unknown>
  readonly onSaved: (saved: Saved) => unknown
}

export const useSaving = <T extends { readonly etag: string }, Saved>({
  draft,
  onSaved,
  refresh,
  schema,
  send,
  toSend = (changes) => changes,
}: SavingOptions<T, Saved>): Saving => {
  const mayChange = useMayChange()
  const [problem, setProblem] = useState<ProblemBody>()
  const [isConflict, showConflict] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const save = async (etag = draft.base.etag) => {
    setProblem(undefined)
    setBusy(true)
    try {
      const saved = await send(etag)
      await refresh()
      draft.drop()
      await onSaved(saved)
    } catch (error) {
      const refused = problemOf(error)
      setProblem(refused)
      if (refused.status === 412) {
        await refresh()
        showConflict(true)
      }
      throw error
    } finally {
      setBusy(false)
    }
  }
  const problems = {
    ...(draft.isDirty ? checked(schema, toSend(draft.changes)) : {}),
    ...(problem === undefined ? {} : fieldProblems(problem)),
  }
  return { save, isBusy, mayChange, problem, problems, isConflict, showConflict }
}
