/** A direct call is refused by what it asked to be checked: a 409 (decision 0090). A campaign skips the contact, or waits. */
import { Schema } from "effect"
import type { RequiredConsent } from "./Consent.ts"
import type { Place } from "./Place.ts"
import type { AppliedRule } from "./Rules.ts"
import { Timestamp } from "./Timestamp.ts"

/** The number has no consent as the request requires it. */
export class NoConsent extends Schema.TaggedError<NoConsent>()("NoConsent", {
  phone_number: Schema.String.annotate({ description: "The number that was to be called, in E.164 form." }),
  detail: Schema.String.annotate({ description: "What is required, as a sentence for people." }),
}) {
  override get message() {
    return this.detail
  }
}

export const noConsent = (phone_number: string, { basis, seller, subject }: RequiredConsent): NoConsent => {
  const about = subject === undefined ? "" : ` about ${subject}`
  const on_behalf = seller === undefined ? "" : ` on behalf of ${seller}`
  const wanted = `${basis.join(" or ")} for automated calls${about}${on_behalf}`
  const detail = `${phone_number} has no consent at this moment as required_consent asks for: ${wanted}. Record the consent (POST /api/v1/consents) before you call`
  return new NoConsent({ phone_number, detail })
}

/** A rule of the packs that the request names forbids the call now, or for good. */
export class RefusedByRule extends Schema.TaggedError<RefusedByRule>()("RefusedByRule", {
  pack: Schema.String.annotate({ description: "The rule pack." }),
  version: Schema.String.annotate({ description: "The version of the pack." }),
  rule: Schema.String.annotate({ description: "The rule within the pack." }),
  place: Schema.Struct({
    country: Schema.NullOr(Schema.String).annotate({ description: "ISO 3166-1 alpha-2. Null if it is not known." }),
    state: Schema.NullOr(Schema.String).annotate({
      description: "A state of the US or a province of Canada. Null if it is not known, and in other countries.",
    }),
    found_by: Schema.Literals(["column", "prefix", "unknown"]).annotate({
      description:
        "`column`: by the variables `country` and `state`. `prefix`: by the number. `unknown`: neither names a country.",
    }),
  }).annotate({ description: "Where the called party was taken to be." }),
  opens_at: Schema.NullOr(Timestamp).annotate({
    description: "From when all rules of the packs permit the call. Null if they never do within 400 days.",
  }),
  detail: Schema.String.annotate({
    description: "Which rule refuses, where, and until when, as a sentence for people.",
  }),
}) {
  override get message() {
    return this.detail
  }
}

const foundBy: Record<Place["found_by"], string> = {
  column: "by its variables",
  prefix: "by its prefix",
  unknown: "neither variables nor prefix name one",
}

export const refusedByRule = (
  phone_number: string,
  { pack, rule, title, version }: AppliedRule,
  place: Place,
  opens_at: Date | null,
): RefusedByRule => {
  const { country, found_by, state } = place
  const where = country === null ? "an unknown place" : state === null ? country : `${country}-${state}`
  const until =
    opens_at === null
      ? "The rules of the packs never permit the call. Leave out the pack, or call from another number"
      : `All rules of the packs permit the call from ${opens_at.toISOString()} on`
  const detail = `The rule ${rule} of ${pack}, version ${version}, forbids a call to ${phone_number} now: ${title}. The number counts as one of ${where} (${foundBy[found_by]}). ${until}`
  return new RefusedByRule({ pack, version, rule, place, opens_at, detail })
}
