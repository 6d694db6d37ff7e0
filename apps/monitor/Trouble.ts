/** Decides when calls that failed at the carrier are worth a line. */
import type { Snapshot } from "./Snapshot.ts"
import { plural } from "./Words.ts"

/** The fewest failures worth a note: one or two happen in any campaign. */
const worthALine = 5

/** Returns the count of failures to compare with next time, and the line to print, if any. */
export const carrierTrouble = (known: number, snapshot: Snapshot, isFirst: boolean) => {
  const failed = snapshot.outcomes["carrier_error"] ?? 0
  // The table shows the calls that failed before the monitor began.
  if (isFirst) return { known: failed, text: undefined }
  if (failed - known < worthALine) return { known, text: undefined }
  return { known: failed, text: `${plural(failed - known, "more call", "more calls")} failed at the carrier` }
}
