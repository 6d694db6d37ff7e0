/** Whether a person or a machine was on the line of a call that was cut off. */
import type { Outcome } from "../domain/Call.ts"
import { machineKindOf } from "../languages/MachineGreeting.ts"

/**
 * The outcome of an answered phone call that was cut off, by the first words of the called party (decision 0029).
 * Without a word it is `unknown`, because a machine may have answered. After a screening assistant it is `unknown` too,
 * because a person may have followed.
 */
export const outcomeOfCut = (firstWords: string | null): Outcome => {
  if (firstWords === null) return "unknown"
  switch (machineKindOf(firstWords)) {
    case "screening":
      return "unknown"
    case "voicemail":
    case "full_mailbox":
    case "menu":
      return "voicemail"
    case "out_of_service":
      return "invalid_number"
    case "announcement":
      return "no_answer"
    case null:
      return "answered"
  }
}
