/**
 * The consent ledger: on what ground a number may be called, and when that was revoked (decision 0077). A campaign may
 * require a consent; which entry of a number counts is decided in catalog/ConsentGround.
 */
import { Schema } from "effect"
import { consentBases, consentChannels, mostConsentsAtOnce } from "./ConsentValues.ts"
import { E164, e164Input } from "./E164.ts"
import { inexpressible } from "./Inexpressible.ts"
import { visible } from "./Name.ts"
import { CreatedAt, Timestamp, timestamp, TimestampInput } from "./Timestamp.ts"

export const ConsentBasis = Schema.Literals(consentBases).annotate({
  description:
    "The basis. `express_written`: agreed in writing or on a web form. `express`: agreed in spoken words. `existing_relationship`: a customer relation. `legitimate_interest`: a weighed interest of the seller.",
})
export type ConsentBasis = typeof ConsentBasis.Type

export const ConsentChannel = Schema.Literals(consentChannels).annotate({
  description:
    "The calls that the entry covers. `automated_call`: calls by an agent of Parley. `live_call`: calls by a person, so no campaign dials on it. `any_call`: both.",
})

/** PostgreSQL has no year 0, and there were no telephones before 1876. */
const isRecent = Schema.makeFilter<string>(
  (written) => new Date(written).getUTCFullYear() >= 1900 || "must be in 1900 or later",
  inexpressible,
)
const Moment = TimestampInput.check(isRecent)

const text = (longest: number) => Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(longest), visible)
const Subject = text(200)
const subject = "What the calls are about, such as `energy tariffs`. Compared without regard to case."
const seller = "The company on whose behalf the calls are made. Compared without regard to case."
const words = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(2_000))
const Source = text(200)
const ExternalId = text(200)

export const Consent = Schema.Struct({
  id: Schema.String.check(Schema.isUUID()).annotate({ description: "The entry's UUID, assigned by Parley." }),
  kind: Schema.Literals(["consent", "revocation"]).annotate({
    description:
      "`revocation`: the person withdrew. It ends every earlier consent within its subject, seller and channel.",
  }),
  phone_number: Schema.NullOr(E164).annotate({
    description: "The number, in E.164 form. Null if the person was erased.",
  }),
  basis: Schema.NullOr(ConsentBasis),
  subject: Schema.NullOr(Schema.String).annotate({ description: `${subject} Null for every subject.` }),
  seller: Schema.NullOr(Schema.String).annotate({ description: `${seller} Null for every seller.` }),
  channel: ConsentChannel,
  text: Schema.NullOr(Schema.String).annotate({ description: "The words that the person was shown or told." }),
  source: Schema.NullOr(Schema.String).annotate({
    description: "Where the entry comes from, such as a web address. `call`: the person said so in a call of Parley.",
  }),
  external_id: Schema.NullOr(Schema.String).annotate({
    description: "The client's own identifier of the entry, unique within the account. Null if it has none.",
  }),
  call_id: Schema.NullOr(Schema.String).annotate({
    description: "The call in which the person revoked. Null if none.",
  }),
  at: timestamp("When the person agreed or withdrew. The entry counts from this time on."),
  expires_at: Schema.NullOr(Timestamp).annotate({
    description:
      "When the consent ends. Null if it has no end of its own: then the account's `consent_days` may end it.",
  }),
  created_at: CreatedAt,
  used_at: Schema.NullOr(Timestamp).annotate({
    description: "When a call was last begun on the basis of this consent. Null if none was.",
  }),
}).annotate({ identifier: "Consent" })
export type Consent = typeof Consent.Type

const scope = {
  subject: Schema.optionalKey(
    Schema.NullOr(Subject).annotate({ description: `${subject} Omit it or send null for every subject.` }),
  ),
  seller: Schema.optionalKey(
    Schema.NullOr(Subject).annotate({ description: `${seller} Omit it or send null for every seller.` }),
  ),
}
const evidence = {
  text: Schema.optionalKey(
    Schema.NullOr(words).annotate({ description: "The words that the person was shown or told, or said." }),
  ),
  source: Schema.optionalKey(
    Schema.NullOr(Source).annotate({ description: "Where the entry comes from, such as the address of a web form." }),
  ),
  external_id: Schema.optionalKey(
    Schema.NullOr(ExternalId).annotate({
      description: "The client's own identifier of the entry. The same entry sent twice is recorded once.",
    }),
  ),
}

export const NewConsent = Schema.Struct({
  phone_number: e164Input("The number of the person who agreed."),
  basis: ConsentBasis,
  at: Moment.annotate({ description: "When the person agreed. RFC 3339 with a UTC offset." }),
  ...scope,
  channel: Schema.optionalKey(ConsentChannel.annotate({ description: "Defaults to `automated_call`." })),
  ...evidence,
  expires_at: Schema.optionalKey(
    Schema.NullOr(Moment).annotate({
      description: "When the consent ends. Omit it or send null for no end of its own.",
    }),
  ),
})
export type NewConsent = typeof NewConsent.Type

export const NewRevocation = Schema.Struct({
  phone_number: e164Input("The number of the person who withdrew."),
  at: Schema.optionalKey(
    Moment.annotate({ description: "When the person withdrew. Defaults to now. RFC 3339 with a UTC offset." }),
  ),
  ...scope,
  channel: Schema.optionalKey(ConsentChannel.annotate({ description: "Defaults to `any_call`." })),
  ...evidence,
})
export type NewRevocation = typeof NewRevocation.Type

const batchOf = <Item extends Schema.Top>(item: Item) =>
  Schema.Array(item)
    .check(Schema.isMinLength(1), Schema.isMaxLength(mostConsentsAtOnce))
    .annotate({ description: `The entries, at most ${mostConsentsAtOnce} in one request.` })

export const RecordConsents = Schema.Struct({ consents: batchOf(NewConsent) }).annotate({
  identifier: "RecordConsents",
  examples: [
    {
      consents: [
        {
          phone_number: "+14155550142",
          basis: "express_written",
          at: "2026-11-21T10:00:00Z",
          text: "Yes, call me with an automated voice about energy tariffs.",
          source: "https://example.com/callback",
          external_id: "form-4711",
        },
      ],
    },
  ] as never,
})

export const RevokeConsents = Schema.Struct({ revocations: batchOf(NewRevocation) }).annotate({
  identifier: "RevokeConsents",
  examples: [{ revocations: [{ phone_number: "+14155550142", source: "letter" }] }] as never,
})

export const RecordedConsents = Schema.Struct({
  items: Schema.Array(
    Schema.Struct({
      id: Consent.fields.id,
      external_id: Consent.fields.external_id,
      result: Schema.Literals(["recorded", "unchanged"]).annotate({
        description: "`unchanged`: the account has this entry from an earlier request or row.",
      }),
    }),
  ).annotate({ description: "One result for each row, in the order of the request." }),
}).annotate({ identifier: "RecordedConsents" })
export type RecordedConsents = typeof RecordedConsents.Type

/** What a campaign requires of a contact's consent. */
export const RequiredConsent = Schema.Struct({
  basis: Schema.Array(ConsentBasis)
    .check(Schema.isMinLength(1), Schema.isMaxLength(consentBases.length), Schema.isUnique())
    .annotate({ description: "The bases that suffice." }),
  subject: Schema.optionalKey(
    Subject.annotate({
      description: "What the campaign calls about. Without it, only a consent for every subject suffices.",
    }),
  ),
  seller: Schema.optionalKey(
    Subject.annotate({
      description: "On whose behalf the campaign calls. Without it, only a consent for every seller suffices.",
    }),
  ),
}).annotate({ identifier: "RequiredConsent" })
export type RequiredConsent = typeof RequiredConsent.Type

/** The consent that a dial is based on, as the record of its decision keeps it. */
export type ConsentStamp = {
  readonly id: string
  readonly basis: ConsentBasis
  readonly at: string
  readonly expires_at: string | null
}
