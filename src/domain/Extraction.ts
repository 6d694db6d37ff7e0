/**
 * The fields of a call's result: recorded by the agent during the call, or extracted from the transcript after it. An
 * extracted value names the utterance that it was read from.
 */
import { Schema } from "effect"
import { Timestamp, timestamp } from "./Timestamp.ts"

export const ExtractionState = Schema.Literals(["pending", "done", "failed"]).annotate({
  description: "`pending`: the transcript was not read yet, or its reading is retried.",
})

export const ExtractionFailure = Schema.Literals([
  "agent_deleted",
  "answer_unusable",
  "interrupted",
  "model_failed",
  "no_model",
  "too_costly",
  "transcript_deleted",
]).annotate({
  description:
    "`model_failed`: the model did not answer, also when it was asked again later. `answer_unusable`: it gave no answer of the asked form. `no_model`: the installation has no key for the agent's provider. `too_costly`: the values cannot be checked against the schema. `interrupted`: each process that read the transcript stopped meanwhile. `agent_deleted`, `transcript_deleted`: deleted before it was read.",
})
export type ExtractionFailure = typeof ExtractionFailure.Type

export const Extraction = Schema.Struct({
  state: ExtractionState,
  reason: Schema.NullOr(ExtractionFailure).annotate({ description: "Why it failed. Null unless `state` is `failed`." }),
  ended_at: Schema.NullOr(Timestamp).annotate({ description: "Null while `state` is `pending`." }),
}).annotate({
  identifier: "Extraction",
  description: "The reading of the transcript for the fields of the agent's `outcome_schema`.",
})

const Quote = Schema.Struct({
  text: Schema.String.annotate({ description: "What was said: the first 500 characters." }),
  role: Schema.Literals(["agent", "caller", "person"]).annotate({ description: "Who said it." }),
  at: timestamp("When the utterance began."),
  started_ms: Schema.Int.annotate({
    description: "When the utterance began, in milliseconds of phone time since the call was answered.",
  }),
  index: Schema.Int.annotate({ description: "The position of the utterance in `transcript`, from 0." }),
}).annotate({ identifier: "Quote", description: "The utterance that a value was read from." })

export const ResultField = Schema.Struct({
  name: Schema.String.annotate({ description: "The name of the field." }),
  value: Schema.Json.annotate({ description: "The value. Null if it was not said; `source` is then null too." }),
  source: Schema.NullOr(Schema.Literals(["agent", "extracted"])).annotate({
    description:
      "`agent`: the agent recorded it during the call. `extracted`: it was read from the transcript afterwards. Null: it was not said.",
  }),
  quote: Schema.NullOr(Quote).annotate({
    description: "Null unless the value was extracted and the transcript is still kept.",
  }),
}).annotate({ identifier: "ResultField" })

/** What a call, and the event of its extraction, show of its result. */
export const extractionFields = {
  extraction: Schema.NullOr(Extraction).annotate({
    description:
      "Null if there is nothing to extract: the agent recorded a result, has no `outcome_schema` with properties, or no person spoke.",
  }),
  result_fields: Schema.Array(ResultField).annotate({
    description:
      "The fields of `result`, each with its source and quote, and after an extraction also the fields of `outcome_schema` that were not said. An extraction reads the first 200 fields.",
  }),
}
