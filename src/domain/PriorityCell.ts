/** The priority in a cell of a list. Without schemas, so that the console reads a file in the same way as the server. */
import { beginningOf } from "./Beginning.ts"

export const highestPriority = 100

export const priorityRule = `must be a whole number from 0 to ${highestPriority}`

/** Returns the priority that a cell of a list states: 0 if it is blank, undefined if it is no priority. */
export const priorityFrom = (cell: string): number | undefined => {
  const text = cell.trim()
  if (text === "") return 0
  const priority = /^\d{1,3}$/u.test(text) ? Number(text) : undefined
  return priority !== undefined && priority <= highestPriority ? priority : undefined
}

export const priorityFault = (written: string): string =>
  `${beginningOf(written, 40)} is no priority: it ${priorityRule}, or blank`
