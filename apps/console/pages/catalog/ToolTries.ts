/** The runs of a tool in this tab, newest first: result, duration, and the line that failed. */
import { useSyncExternalStore } from "react"
import type { Outputs } from "../../data/AccountPulse.ts"

export type ToolAnswer = Outputs["tools"]["invoke"]

export interface ToolTry extends ToolAnswer {
  readonly at: string
  /** The code that ran. */
  readonly code: string | null
  /** The line of the code, if the failure names one. */
  readonly line?: number
}

const kept = 10
const tries = new Map<string, ReadonlyArray<ToolTry>>()
const listeners = new Set<() => void>()
const none: ReadonlyArray<ToolTry> = []

/** The last line of the tool's own code in Python's traceback. */
const lineIn = (logs: ReadonlyArray<string>): number | undefined => {
  const found = logs.join("\n").matchAll(/File "tool\.py", line (\d+)/g)
  return [...found].map(([, line]) => Number(line)).at(-1)
}

export const addTry = (toolId: string, answer: ToolAnswer, code: string | null): void => {
  const line = answer.error === undefined ? undefined : lineIn(answer.logs)
  const added: ToolTry = { ...answer, at: new Date().toISOString(), code, ...(line !== undefined && { line }) }
  tries.set(toolId, [added, ...(tries.get(toolId) ?? none)].slice(0, kept))
  for (const listener of listeners) listener()
}

export const useToolTries = (toolId: string): ReadonlyArray<ToolTry> =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => tries.get(toolId) ?? none,
  )
