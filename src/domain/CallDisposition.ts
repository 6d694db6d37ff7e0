/**
 * What came of one call: a disposition of its agent. The agent sets it during the call, the extraction afterwards, or a
 * person, whose choice no model changes (decision 0086).
 */
import { Schema } from "effect"
import { VersionAuthor } from "./AgentVersion.ts"
import { type Disposition, DispositionKey, dispositionNames } from "./Disposition.ts"
import { timestamp } from "./Timestamp.ts"

export const CallDisposition = Schema.Struct({
  ...dispositionNames,
  final: Schema.Boolean.annotate({ description: "Whether it ended the contact." }),
  source: Schema.Literals(["agent", "extracted", "person"]).annotate({
    description:
      "`agent`: the agent set it during the call. `extracted`: it was read from the transcript. `person`: a person or an API key set it, and no model changes it any more.",
  }),
  by: Schema.NullOr(VersionAuthor).annotate({ description: "Who set it. Null unless `source` is `person`." }),
  at: timestamp("When it was set."),
}).annotate({
  identifier: "CallDisposition",
  description: "The disposition, as the agent listed it when it was set.",
  examples: [
    {
      key: "wrong_number",
      label: "Does not know the customer",
      final: true,
      source: "agent",
      by: null,
      at: new Date("2026-11-21T10:00:40.000Z"),
    },
  ],
})
export type CallDisposition = typeof CallDisposition.Type

export const makeDisposition = (
  { final = false, key, label }: Disposition,
  from: Pick<CallDisposition, "source" | "by" | "at">,
): CallDisposition => ({ key, label, final, ...from })

/** A person's choice. */
export const NewDisposition = Schema.Struct({
  key: DispositionKey.annotate({ description: "One of the present `dispositions` of the call's agent." }),
}).annotate({ identifier: "NewDisposition", examples: [{ key: "interested" }] as never })
