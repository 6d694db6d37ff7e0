/** When calls that fail at the carrier are worth a line. */
import type { Snapshot } from "./Snapshot.ts"
import { plural } from "./Words.ts"

/** One or two happen on any line. */
const worthALine = 5

/** What is known of failed calls from now on, and what there is to say of them. */
export const carrierTrouble = (known: number, snapshot: Snapshot, isFirst: boolean) => {
  const failed = snapshot.outcomes["carrier_error"] ?? 0
  // Those from before somebody looked stand in the table.
  if (isFirst) return { known: failed, text: undefined }
  if (failed - known < worthALine) return { known, text: undefined }
  return { known: failed, text: `the carrier failed ${plural(failed - known, "more call", "more calls")}` }
}
