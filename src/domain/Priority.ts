/** The priority of a contact: which of a campaign's due contacts are called first (decision 0085). */
import { Schema } from "effect"
import { highestPriority, priorityRule } from "./PriorityCell.ts"

export const Priority = Schema.Int.check(
  Schema.isBetween({ minimum: 0, maximum: highestPriority }, { message: priorityRule }),
)
