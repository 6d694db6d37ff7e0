/** Counts of what an erasure removed about a person. The answer must not repeat what was removed. */
import { Schema } from "effect"

const count = (description: string) => Schema.Int.annotate({ description })

export const ErasedPerson = Schema.Struct({
  calls: count(
    "Calls with the number that were deleted: each with its transcript, turns, tool invocations, result and variables.",
  ),
  transcripts: count("How many of these calls had a transcript."),
  recordings: count("Recordings whose sound was deleted."),
  recordings_elsewhere: count(
    "Recordings whose sound is on the disk of another machine, which deletes it within an hour.",
  ),
  contacts: count(
    "Contacts of campaigns that lost their number and all fields. Their rows remain, so that the campaign's counts stay right; those that still waited for a call are skipped.",
  ),
  decisions: count("Records of why the number was dialled or not that were deleted."),
  events: count("Events that no longer show the person, neither to readers nor to webhooks."),
  webhook_answers: count("Deliveries of these events whose stored answer was removed."),
  idempotent_answers: count("Answers stored for an Idempotency-Key that were deleted."),
  consents: count(
    "Entries of the consent ledger that lost their number, words and all else that identifies the person.",
  ),
  do_not_call: Schema.Boolean.annotate({
    description:
      "Whether the number is on the do-not-call list. Its entry is then kept as a keyed digest, without the number, reason and call, so that the number is still never dialled.",
  }),
}).annotate({ identifier: "ErasedPerson" })
export type ErasedPerson = typeof ErasedPerson.Type
