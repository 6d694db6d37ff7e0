/** The priority of a contact: which of a campaign's due contacts are called first (decision 0085). */
import { Schema } from "effect"

export const highestPriority = 100

const rule = `must be a whole number from 0 to ${highestPriority}`

export const Priority = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: highestPriority }, { message: rule }))

/** Returns the priority that a cell of a list states: 0 if it is blank, undefined if it is no priority. */
export const priorityFrom = (cell: string): number | undefined => {
  const text = cell.trim()
  if (text === "") return 0
  const priority = /^\d{1,3}$/u.test(text) ? Number(text) : undefined
  return priority !== undefined && priority <= highestPriority ? priority : undefined
}

export const priorityFault = (written: string): string => `${written.slice(0, 40)} is no priority: it ${rule}, or blank`
