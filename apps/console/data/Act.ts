/** An action on the server that a button starts: whether it is running, and why the server refused the last one. */
import { useState } from "react"
import { type ProblemBody, problemOf } from "./Problem.ts"

export interface Act {
  /** Clears the last refusal, then acts. Returns the refusal, or undefined if the action succeeded. Never rejects. */
  readonly run: (act: () => Promise<unknown>) => Promise<ProblemBody | undefined>
  readonly isBusy: boolean
  readonly problem: ProblemBody | undefined
  /** Forgets the refusal. */
  readonly clear: () => void
}

export const useAct = (): Act => {
  const [problem, setProblem] = useState<ProblemBody>()
  const [isBusy, setBusy] = useState(false)
  return {
    run: async (act) => {
      setProblem(undefined)
      setBusy(true)
      try {
        await act()
        return undefined
      } catch (error) {
        const refused = problemOf(error)
        setProblem(refused)
        return refused
      } finally {
        setBusy(false)
      }
    },
    isBusy,
    problem,
    clear: () => setProblem(undefined),
  }
}
