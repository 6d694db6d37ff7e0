/**
 * A rule pack: the rules of one jurisdiction as data, each with its source (decision 0076). Parley checks the rules with
 * `checked: true` on each dial. It shows the others as duties, which the account has to fulfil itself.
 */
import { Schema } from "effect"
import { CallingHours } from "./CallingWindow.ts"
import { inexpressible } from "./Inexpressible.ts"

/** What PostgreSQL cannot store in JSON would refuse the campaigns that freeze the pack. */
const storable = Schema.makeFilter(
  (words: string) =>
    (!words.includes("\0") && words.isWellFormed()) ||
    "must not contain the character U+0000, or half of a surrogate pair",
  inexpressible,
)
const text = (most: number) =>
  Schema.String.check(Schema.isPattern(/\S/u, { message: "must not be empty" }), Schema.isMaxLength(most), storable)
const Slug = Schema.String.check(
  Schema.isPattern(/^[a-z0-9]+(?:-[a-z0-9]+)*$/u, { message: "must be lower-case letters and digits, joined by -" }),
  Schema.isMaxLength(60),
)
const written = /^\d{4}-\d{2}-\d{2}$/u
const CalendarDate = Schema.String.check(
  Schema.makeFilter(
    (date) =>
      (written.test(date) && new Date(`${date}T00:00:00Z`).toJSON()?.slice(0, 10) === date) ||
      "must be a date of the calendar, such as 2026-12-25",
    inexpressible,
  ),
)

export const RulePackId = Slug.annotate({ description: "The pack's name in requests, such as `us-florida`." })
/** The packs that a campaign or a direct call names. */
export const RulePackIds = Schema.Array(RulePackId).check(Schema.isMaxLength(20), Schema.isUnique())

const common = {
  id: Slug.annotate({ description: "The rule's name within the pack." }),
  title: text(200).annotate({ description: "What the rule demands, in a few words." }),
  source: text(1_000).annotate({ description: "Where the rule comes from: the law, its paragraph, or the order." }),
  status: Schema.Literals(["verified", "unverified"]).annotate({
    description:
      "`verified`: the rule was found in a public source, on the day that `source` names. `unverified`: it was not looked up. Neither is legal advice.",
  }),
  checked: Schema.Boolean.annotate({
    description: "Whether Parley checks the rule before each dial: true for every kind but `duty`.",
  }),
  effective_from: Schema.optionalKey(
    CalendarDate.annotate({
      description: "The first day on which the rule applies. Absent if it applied before the pack was written.",
    }),
  ),
  effective_to: Schema.optionalKey(
    CalendarDate.annotate({ description: "The last day on which the rule applies. Absent if no end is known." }),
  ),
}

export const RulePackRule = Schema.Union([
  Schema.Struct({
    ...common,
    kind: Schema.Literal("calling_hours").annotate({ description: "When calls are permitted." }),
    hours: Schema.Array(CallingHours).check(Schema.isMinLength(1), Schema.isMaxLength(14)).annotate({
      description:
        "When calls are permitted, on the called party's clock. With several candidate time zones, a call must be permitted in each. Days without hours are closed.",
    }),
  }),
  Schema.Struct({
    ...common,
    kind: Schema.Literal("holidays").annotate({ description: "Dates without calls." }),
    dates: Schema.Array(CalendarDate).check(Schema.isMinLength(1), Schema.isMaxLength(500)).annotate({
      description: "Dates on which no call is permitted, on the called party's clock.",
    }),
  }),
  Schema.Struct({
    ...common,
    kind: Schema.Literal("frequency").annotate({ description: "A cap on attempts to one number." }),
    attempts: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })).annotate({
      description: "The maximum number of attempts to a number within `hours`, answered or not.",
    }),
    hours: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 744 })).annotate({
      description: "The length of the rolling period, in hours.",
    }),
    per: Schema.Literals(["subject", "person"]).annotate({
      description:
        "`subject`: attempts of campaigns with the same `subject` count, and those of campaigns without one. `person`: attempts of all campaigns of the account count. A direct call counts if it named packs; its `subject` is that of its request.",
    }),
  }),
  Schema.Struct({
    ...common,
    kind: Schema.Literal("number_series").annotate({ description: "The numbers that calls must come from." }),
    prefixes: Schema.Array(
      Schema.String.check(Schema.isPattern(/^\+[1-9]\d{0,14}$/u, { message: "must be a prefix such as +91140" })),
    )
      .check(Schema.isMinLength(1), Schema.isMaxLength(50))
      .annotate({ description: "The campaign's phone number must begin with one of these." }),
  }),
  Schema.Struct({
    ...common,
    kind: Schema.Literal("duty").annotate({ description: "A duty that Parley does not check." }),
    duty: Schema.Literals([
      "consent",
      "disclosure",
      "recording_consent",
      "announcement",
      "opt_out",
      "records",
    ]).annotate({
      description: "What the duty is about.",
    }),
  }),
])
  .check(
    Schema.makeFilter(
      ({ checked, kind }) =>
        checked === (kind !== "duty") || {
          path: ["checked"],
          issue: `must be ${kind !== "duty"} for the kind ${kind}`,
        },
      inexpressible,
    ),
  )
  .annotate({
    identifier: "RulePackRule",
    description: "A rule of a pack. Rules of the kind `duty` are not checked by Parley.",
  })
export type RulePackRule = typeof RulePackRule.Type
/** A rule that the dialler checks. */
export type CheckedRule = Exclude<RulePackRule, { readonly kind: "duty" }>

export const RulePack = Schema.Struct({
  id: RulePackId,
  name: text(100).annotate({ description: "The pack's name, for people." }),
  version: text(40).annotate({
    description: "The version of the data. A running campaign keeps the one it began with.",
  }),
  jurisdiction: Schema.Struct({
    country: Schema.String.check(
      Schema.isPattern(/^[A-Z]{2}$/u, { message: "must be an ISO 3166-1 alpha-2 country code, such as US" }),
    ).annotate({ description: "ISO 3166-1 alpha-2." }),
    state: Schema.NullOr(
      Schema.String.check(Schema.isPattern(/^[A-Z]{2}$/u, { message: "must be a code such as FL" })),
    ).annotate({ description: "A state of the US or a province of Canada. Null for the whole country." }),
  }).annotate({
    description:
      "Where the pack applies. It applies to each contact who is there, and to each whose place is unknown in this respect.",
  }),
  notice: text(1_000).annotate({ description: "What was reviewed, and what was not." }),
  rules: Schema.Array(RulePackRule)
    .check(
      Schema.isMinLength(1),
      Schema.isMaxLength(100),
      Schema.makeFilter(
        (rules) => new Set(rules.map(({ id }) => id)).size === rules.length || "must not have two rules with one id",
        inexpressible,
      ),
    )
    .annotate({ description: "The rules, checked ones and duties." }),
}).annotate({ identifier: "RulePack" })
export type RulePack = typeof RulePack.Type

/** A pack with only its checked rules: what a campaign freezes. */
export const FrozenPack = Schema.Struct({
  id: Schema.String,
  version: Schema.String,
  jurisdiction: RulePack.fields.jurisdiction,
  rules: Schema.Array(RulePackRule),
})
export type FrozenPack = typeof FrozenPack.Type

export const freeze = ({ id, jurisdiction, rules, version }: RulePack): FrozenPack => ({
  id,
  version,
  jurisdiction,
  rules: rules.filter(({ checked }) => checked),
})
