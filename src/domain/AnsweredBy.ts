/** Who or what answered a call that Parley placed, and the evidence for it (decision 0040). */
import { Schema } from "effect"

export const AnsweredByVerdict = Schema.Literals([
  "person",
  "voicemail",
  "mailbox_full",
  "screening",
  "ivr",
  "fax",
  "announcement",
  "unknown",
]).annotate({
  description:
    "`person`: nothing that was heard shows otherwise. `mailbox_full`: a voicemail that takes no message. `screening`: an assistant asked who is calling; `person` follows if the called person then takes the call. `ivr`: a menu that wants a key. `announcement`: the telephone network says that the call cannot be completed. `unknown`: nothing was said.",
})
export type AnsweredByVerdict = typeof AnsweredByVerdict.Type

const at_ms = Schema.Int.annotate({ description: "When it was known, in milliseconds of phone time since the answer." })

export const AnsweredByEvidence = Schema.Union([
  Schema.Struct({
    kind: Schema.Literal("words").annotate({ description: "What the other side said." }),
    at_ms,
    started_ms: Schema.Int.annotate({
      description: "The `started_ms` of the caller's entry in `transcript` that has the words.",
    }),
  }),
  Schema.Struct({
    kind: Schema.Literal("beep").annotate({ description: "The tone after which a voicemail records." }),
    at_ms,
  }),
  Schema.Struct({
    kind: Schema.Literal("tone").annotate({ description: "A tone of a fax or of the telephone network." }),
    at_ms,
    tone: Schema.Literals(["fax", "sit"]).annotate({
      description: "`fax`: 1100 or 2100 Hz. `sit`: the three special information tones before an announcement.",
    }),
  }),
  Schema.Struct({
    kind: Schema.Literal("announcement").annotate({
      description: "What the telephone network said before the call was answered. Such a call is not answered.",
    }),
    at_ms: Schema.Int.annotate({
      description: "When it began, in milliseconds since the first sound before the answer.",
    }),
    said: Schema.NullOr(Schema.String).annotate({
      description: "The words of the announcement. Null for the three special information tones before it.",
    }),
  }),
  Schema.Struct({
    kind: Schema.Literal("carrier").annotate({ description: "The carrier's own detection." }),
    at_ms,
    said: Schema.String.annotate({ description: "The carrier's own word, such as `machine_end_beep`." }),
  }),
]).annotate({ identifier: "AnsweredByEvidence" })
export type AnsweredByEvidence = typeof AnsweredByEvidence.Type

export const AnsweredBy = Schema.Struct({
  verdict: AnsweredByVerdict,
  evidence: Schema.Array(AnsweredByEvidence).annotate({
    description: "What led to the verdict, in the order in which it was heard.",
  }),
}).annotate({ identifier: "AnsweredBy" })
export type AnsweredBy = typeof AnsweredBy.Type
