/** The fields by which a direct call asks for rule packs and a consent, and those by which it shows the decision. */
import { Schema } from "effect"
import { RequiredConsent } from "./Consent.ts"
import { AttemptReceipt } from "./Receipt.ts"
import { RulePackIds } from "./RulePack.ts"
import { Subject } from "./Subject.ts"

export const askedFields = {
  rule_packs: Schema.optionalKey(
    RulePackIds.annotate({
      description:
        "The rule packs that have to permit the call; none by default. A rule that forbids it is a 409 `rule`. The variables `country`, `state` and `time_zone` say where the called party is; without them, the number's prefix decides.",
    }),
  ),
  subject: Schema.optionalKey(
    Schema.NullOr(Subject).annotate({
      description:
        "What the call is about. Rules of `rule_packs` that cap attempts per subject count the calls with the same subject, and do-not-call entries for another subject do not forbid it. Omit it or send null if it may be about anything, so that each attempt counts, and each entry forbids it.",
    }),
  ),
  required_consent: Schema.optionalKey(
    Schema.NullOr(RequiredConsent).annotate({
      description:
        "The consent that the number must have at this moment; without it, the request is a 409 `no_consent`. Omit it or send null to require none.",
    }),
  ),
}

export const permittedFields = {
  decision: Schema.optionalKey(Schema.JsonObject).annotate({
    description:
      "Why the call was permitted, if it was placed directly and named `rule_packs` or `required_consent`: the packs with their versions, the place, the consent and the caps. Absent for any other call; an attempt of a campaign's contact shows its own.",
  }),
  receipt: Schema.optionalKey(Schema.NullOr(AttemptReceipt)).annotate({
    description:
      "The place of `decision` in the account's chain of receipts. Null until it is sealed. Absent without a `decision`.",
  }),
}
