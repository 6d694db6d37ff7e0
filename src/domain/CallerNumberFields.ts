/** The settings of a campaign that say which numbers it calls from (decision 0084). */
import { Schema } from "effect"
import { inexpressible } from "./Inexpressible.ts"
import { NumberRestRule } from "./NumberRest.ts"
import { PhoneNumberId } from "./PhoneNumber.ts"

/** The most numbers that a campaign dials from besides `phone_number_id`: a dial pass compares all of them. */
export const callerNumbersAtMost = 100

/** A UUID means the same in any case, and is stored in lower case. */
const isUniqueInAnyCase = Schema.makeFilter(
  (ids: ReadonlyArray<string>) =>
    new Set(ids.map((id) => id.toLowerCase())).size === ids.length || "must not have an item twice",
  inexpressible,
)

export const CallerNumberFields = {
  caller_numbers: Schema.Array(PhoneNumberId)
    .check(Schema.isMaxLength(callerNumbersAtMost), Schema.isUnique().abort(), isUniqueInAnyCase)
    .annotate({
      description:
        "Further numbers that the campaign dials from, besides `phone_number_id`; all have its carrier. Each call comes from the number that called this person first, otherwise from the one whose last call is the longest ago, among those that may call now. None by default.",
    }),
  local_presence: Schema.Boolean.annotate({
    description:
      "Whether numbers of the called person's state, then of their country, are chosen first. A new campaign has false by default.",
  }),
  number_rest: Schema.NullOr(NumberRestRule).annotate({
    description:
      "When a number of the pool rests automatically, because fewer of its calls are answered than of the others'. Null (the default): never.",
  }),
}
