/** The revision of a call, from which its ETag is made. */
import { type Call, CallStatus, type CallTransfer } from "./Call.ts"
import type { CallListener } from "./CallListener.ts"
import type { RecordingPause } from "./Recording.ts"
import type { CallTakeover } from "./Takeover.ts"

/** The number of times that a recording was paused or resumed. */
const countChanges = (pauses: ReadonlyArray<RecordingPause>): number =>
  pauses.length + pauses.filter(({ ended_ms }) => ended_ms !== null).length

/** The number of times that a listener, a take-over or a second call of a transfer began or ended. */
const countComings = (all: ReadonlyArray<CallListener | CallTakeover | CallTransfer>): number =>
  all.length + all.filter(({ ended_at }) => ended_at !== null).length

/**
 * A number that tells one reading of a call from another. It changes with the call's status, with each utterance, with
 * each pause of its recording, with each listener that comes or goes, with each take-over and transfer that begins or
 * ends, with its disposition, with each note, and when its decision is sealed.
 */
export const revisionOf = ({
  disposition,
  listeners,
  notes,
  receipt,
  recording_pauses,
  status,
  takeovers,
  tool_invocations,
  transcript,
  transfers,
  turns,
}: Call): number =>
  CallStatus.literals.length *
    (transcript.length +
      tool_invocations.length +
      turns.length +
      countChanges(recording_pauses) +
      countComings(listeners) +
      countComings(takeovers) +
      countComings(transfers) +
      (receipt === undefined || receipt === null ? 0 : 1) +
      (disposition?.at.getTime() ?? 0) +
      notes.reduce((sum, { created_at }) => sum + created_at.getTime(), 0)) +
  CallStatus.literals.indexOf(status)
