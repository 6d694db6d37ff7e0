/**
 * Checks whether a history keeps the promises. A pure function over what clients, the carrier and the database report,
 * written from the invariants alone (docs/promises.md), without knowledge of how Parley keeps them.
 */
import * as Attempts from "./checks/Attempts.ts"
import * as Caps from "./checks/Caps.ts"
import * as Ends from "./checks/Ends.ts"
import { type Facts, lay, type Violation } from "./checks/Facts.ts"
import * as Orders from "./checks/Orders.ts"
import type { History } from "./History.ts"

const checks: ReadonlyArray<(facts: Facts) => ReadonlyArray<Violation>> = [
  Attempts.oneLiveAttempt,
  Attempts.dialledOnce,
  Attempts.attemptsWithinBudget,
  Attempts.outcomesAgree,
  Caps.slots,
  Caps.instants,
  Caps.rates,
  Caps.apart,
  Orders.stopAndPause,
  Orders.stopHangsUpNobody,
  Orders.suppressed,
  Orders.schedules,
  Orders.windows,
  Ends.nothingLost,
  Ends.everythingEnds,
  Ends.log,
  Ends.streams,
  Ends.drain,
]

export const check = (history: History): ReadonlyArray<Violation> => {
  const facts = lay(history)
  return checks.flatMap((violations) => violations(facts))
}
