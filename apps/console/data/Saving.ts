/**
 * Saves a draft: the problems of each field, and the conflict with another user's change.
 * Nothing is overwritten: the server refuses with 412, the saved state is refetched, and both are shown.
 */
import { useState } from "react"
import type { z } from "zod"
import { useAct } from "./Act.ts"
import { useMayChange } from "./Account.tsx"
import { findProblems, type FieldProblems } from "./Checks.ts"
import type { Draft } from "./Draft.ts"
import { fieldProblems, Problem, type ProblemBody, problemOf } from "./Problem.ts"

export interface Saving {
  /**
   * Saves over `etag`, which is by default that of the state when the changes began. Rejects with the refusal, which is
   * also in `problem`.
   */
  readonly save: (etag?: string) => Promise<void>
  readonly isBusy: boolean
  readonly mayChange: boolean
  readonly problem: ProblemBody | undefined
  /** Problems by field: those of the schema, then those of the server. */
  readonly problems: FieldProblems
  /** True while the user's text and the saved text are shown side by side. */
  readonly isConflict: boolean
  readonly showConflict: (isShown: boolean) => void
}

export interface SavingOptions<T extends object, Saved> {
  readonly draft: Draft<T>
  /** The router's schema of the input. */
  readonly schema: z.ZodType
  /** Converts the changes to the router's input. By default they are sent as they are. */
  readonly toSend?: (changes: Partial<T>) => object
  readonly send: (etag: string) => Promise<Saved>
  /** Refetches the saved state. */
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
  const { isBusy, problem, run } = useAct()
  const [isConflict, showConflict] = useState(false)
  const save = async (etag = draft.base.etag) => {
    const refused = await run(async () => {
      try {
        const saved = await send(etag)
        await refresh()
        draft.drop()
        await onSaved(saved)
      } catch (error) {
        // The saved state differs from what the page shows, so refetch it.
        if ([409, 412].includes(problemOf(error).status)) await refresh()
        throw error
      }
    })
    if (refused === undefined) return
    if (refused.status === 412) showConflict(true)
    throw new Problem(refused)
  }
  const problems = {
    ...(draft.isDirty ? findProblems(schema, toSend(draft.changes)) : {}),
    ...(problem === undefined ? {} : fieldProblems(problem)),
  }
  return { save, isBusy, mayChange, problem, problems, isConflict, showConflict }
}
